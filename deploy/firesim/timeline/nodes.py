# SPDX-License-Identifier: BSD-3-Clause
"""Shows a node: call stacks of its harts, its console, its disk, its counters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.user_path import found_in

from firesim.report.results import NodeFiles, Table
from firesim.timeline.events import EventFile, read_events
from firesim.timeline.perfetto import Perfetto, Track
from firesim.timeline.stacks import DeviceTrack, StackTrack
from firesim.timeline.window import Window

MOST_VALUES = 500_000
"""Values of counters that are shown of a node."""


def event_files(folder: Path, node: str) -> Iterator[tuple[Path, bool]]:
    """Yield the files of a node's events, harts first, and whether they hold call stacks."""
    if not found_in(folder / node, folder):
        return
    harts = (folder / node).glob("trace/hart*.events")
    for path in sorted(harts, key=lambda path: (len(path.name), path.name)):
        yield path, True
    for path in sorted((folder / node).glob("*.events")):
        yield path, False


def show_events(
    trace: Perfetto, below: Track, path: Path, has_stacks: bool, window: Window, shown: str
) -> list[str]:
    """Show what a hart or a device kept; return what is left out, in sentences."""
    found = EventFile()
    tracks: dict[int, StackTrack | DeviceTrack] = {}
    problem = ""
    try:
        for event in read_events(path, found, shown):
            root = found.names[event.name].track
            track = tracks.get(root)
            if track is None:
                made = trace.track(found.names[root].text, below)
                kind = StackTrack if has_stacks else DeviceTrack
                track = tracks[root] = kind(made, found.names)
            track.add(event, window)
    except InputError as error:
        problem = f"{error} What follows is left out."
    for track in tracks.values():
        track.close()
    left_out = [problem] if problem else []
    if found.is_cut_off:
        left_out.append(f"{shown}: it ends within an event, as after a run that was killed.")
    if found.left_out:
        left_out.append(
            f"{shown}: {found.left_out:,} events from cycle {found.left_out_from_cycle:,} on are "
            "left out, since simulation.timeline.limit_mib was reached."
        )
    return left_out


def show_counters(
    trace: Perfetto, below: Track, node: NodeFiles, window: Window, start_cycle: int
) -> list[str]:
    """Show by how much each counter grew in each interval; return what is left out."""
    table = node.counters
    if table is None or "cycle" not in table.columns:
        return []
    names = [name for name in table.columns if name not in ("cycle", "active_cycles")]
    group = trace.track("counters", below)
    cycles = [int(cycle) for cycle in table.column("cycle")]
    room = MOST_VALUES // max(1, len(cycles))
    for name in names[:room]:
        track = trace.counter(name, group, "in an interval")
        _show_growth(track, cycles, table, name, window, start_cycle)
    if len(names) > room:
        return [f"{node.name}/counters.csv: {len(names) - room:,} counters are left out."]
    return []


def _show_growth(
    track: Track, cycles: list[int], table: Table, name: str, window: Window, start_cycle: int
) -> None:
    before, since, last = 0.0, start_cycle, -1.0
    for cycle, value in zip(cycles, table.column(name), strict=True):
        growth = value - before
        if since in window and growth != last and since < cycle:
            track.value(since, growth)
            last = growth
        before, since = value, cycle
