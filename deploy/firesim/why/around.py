# SPDX-License-Identifier: BSD-3-Clause
"""What a node did around an event: call stacks, lines, counters, and the line of an assert."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError

from firesim.report.flamegraph import shown_name
from firesim.report.results import NodeFiles
from firesim.timeline.events import EventFile, read_events
from firesim.timeline.window import Window
from firesim.why.cause import console_lines, prints

MOST_SLICES = 24
MOST_LINES = 20
MOST_COUNTERS = 40
SOURCE_LINES = 4
"""Lines of a source file that are shown before and after the one that is meant."""
_WORD = re.compile(r"(?<![\w'$.])[A-Za-z_]\w*")


@dataclass(frozen=True)
class Slice:
    """A stretch of cycles in one call stack, the outermost function first."""

    begin: int
    end: int
    stack: tuple[str, ...]


@dataclass(frozen=True)
class HartStacks:
    """The call stacks of a hart up to an event."""

    hart: str
    now: Slice | None
    """The last one that began at the event's cycle or before."""
    before: tuple[Slice, ...]
    """The ones before it, the last one first."""


def stacks_of(folder: Path, window: Window, cycle: int) -> tuple[list[HartStacks], list[str]]:
    """Return the call stacks of each traced hart of a node, and sentences about what is missing."""
    found, left_out = [], []
    files = sorted(folder.glob("trace/hart*.events"), key=lambda file: (len(file.name), file.name))
    for file in files:
        try:
            found.append(_hart(file, window, cycle))
        except InputError as error:
            left_out.append(str(error))
    return found, left_out


def _hart(file: Path, window: Window, cycle: int) -> HartStacks:
    events = EventFile()
    kept: deque[Slice] = deque(maxlen=MOST_SLICES + 1)
    for event in read_events(file, events, f"{file.parent.parent.name}/trace/{file.name}"):
        if event.begin > cycle:
            break
        if event.end is not None and event.end > window.first:
            begin = max(event.begin, window.first)
            kept.append(Slice(begin, event.end, _frames(events, event.name)))
    in_order = list(reversed(kept))
    now = in_order[0] if in_order else None
    return HartStacks(file.stem, now, tuple(in_order[1:]))


def _frames(events: EventFile, name: int) -> tuple[str, ...]:
    frames: list[str] = []
    while events.names[name].depth > 0:
        frames.append(shown_name(events.names[name].text))
        name = events.names[name].parent
    return tuple(reversed(frames))


def lines_of(folder: Path, last: int) -> list[tuple[int, str, str]]:
    """Return the last lines of a node up to a cycle: cycle, where from, text."""
    try:
        console = console_lines(folder) or []
    except InputError:
        console = []
    found = [(cycle, "console", text) for cycle, text in console if cycle <= last]
    found += [(cycle, "print", text) for cycle, text in prints(folder) if cycle <= last]
    return sorted(found, key=lambda line: line[0])[-MOST_LINES:]


def counters_of(node: NodeFiles, window: Window) -> list[tuple[str, int, list[float]]]:
    """Return the counters that grew most in a window: name, sum, growth in each interval."""
    table = node.counters
    if table is None or "cycle" not in table.columns:
        return []
    cycles = [int(cycle) for cycle in table.column("cycle")]
    found = []
    for name in table.columns:
        if name in ("cycle", "active_cycles"):
            continue
        values = table.column(name)
        grown = [
            after - before
            for cycle, before, after in zip(cycles[1:], values, values[1:], strict=False)
            if window.first < cycle <= window.end
        ]
        if any(grown):
            found.append((name, int(sum(grown)), grown))
    found.sort(key=lambda counter: (-counter[1], counter[0]))
    return found[:MOST_COUNTERS]


@dataclass(frozen=True)
class Source:
    """Lines of a file around the one that an assert is in."""

    file: Path
    line: int
    first: int
    lines: tuple[str, ...]

    @property
    def words(self) -> set[str]:
        """The names in the statement that begins at the line."""
        text = ""
        for line in self.lines[self.line - self.first :]:
            text += re.sub(r'"(\\.|[^"])*"|//.*', "", line) + "\n"
            if ";" in line:
                break
        return set(_WORD.findall(text))


def source_of(place: str | None, files: Sequence[Path]) -> Source | None:
    """Return the lines around FILE:LINE if one of the files is meant."""
    if place is None:
        return None
    name, _, number = place.rpartition(":")
    fits = [file for file in files if file.as_posix().endswith(f"/{name.lstrip('/')}")]
    if not number.isdigit() or len(fits) != 1:
        return None
    try:
        lines = fits[0].read_text(errors="replace").splitlines()
    except OSError:
        return None
    line = int(number)
    first = max(1, line - SOURCE_LINES)
    return Source(fits[0], line, first, tuple(lines[first - 1 : line + SOURCE_LINES]))
