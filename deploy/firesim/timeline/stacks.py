# SPDX-License-Identifier: BSD-3-Clause
"""Puts the events of a hart or a device on tracks: frames of stacks lie in each other."""

from __future__ import annotations

from firesim.report.flamegraph import shown_name
from firesim.timeline.events import Event, Name
from firesim.timeline.perfetto import Track
from firesim.timeline.window import Window


class StackTrack:
    """A track whose slices are call stacks: each traced cycle is in one innermost slice."""

    def __init__(self, track: Track, names: list[Name]) -> None:
        self._track = track
        self._names = names
        self._open: list[int] = []
        self._end = 0

    def add(self, event: Event, window: Window) -> None:
        """Show a slice, as far as it is in the window; or an instant."""
        if event.end is None:
            if event.begin in window:
                self._track.instant(event.begin, self._names[event.name].text)
            return
        begin, end = max(event.begin, window.first), min(event.end, window.end)
        if begin >= end:
            return
        if begin != self._end:
            self.close()
        self._move_to(event.name, begin)
        self._end = end

    def close(self) -> None:
        """End what is open."""
        self._cut(0)

    def _cut(self, depth: int) -> None:
        while len(self._open) > depth:
            self._open.pop()
            self._track.end(self._end)

    def _move_to(self, name: int, cycle: int) -> None:
        """End the frames that `name` does not stand on, and begin those that are missing."""
        missing = []
        depth = self._names[name].depth + 1
        while depth > len(self._open) or self._open[depth - 1] != name:
            missing.append(name)
            depth -= 1
            if depth == 0:
                break
            name = self._names[name].parent
        self._cut(depth)
        for one in reversed(missing):
            self._track.begin(cycle, shown_name(self._names[one].text))
            self._open.append(one)


class DeviceTrack:
    """A track of a device: requests and lines, which do not lie in each other."""

    def __init__(self, track: Track, names: list[Name]) -> None:
        self._track = track
        self._names = names

    def add(self, event: Event, window: Window) -> None:
        """Show a slice or an instant that has a cycle in the window."""
        text = self._names[event.name].text
        if event.end is None:
            if event.begin in window:
                self._track.instant(event.begin, text)
        elif event.begin < window.end and event.end > window.first:
            self._track.begin(event.begin, text)
            self._track.end(event.end)

    def close(self) -> None:
        """Nothing is left open."""
