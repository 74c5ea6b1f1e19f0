# SPDX-License-Identifier: BSD-3-Clause
"""Writes the timeline of a results folder: one Perfetto trace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.whole_file import whole_stream

from firesim.report.results import Results, read_results
from firesim.timeline.network import show_packets
from firesim.timeline.nodes import event_files, show_counters, show_events
from firesim.timeline.perfetto import Perfetto
from firesim.timeline.window import WHOLE, Window

TIMELINE = "timeline.perfetto-trace"


@dataclass(frozen=True)
class Written:
    """A timeline: where it is, how much is in it, and sentences about what is not."""

    path: Path
    events: int
    bytes: int
    left_out: tuple[str, ...]


def has_timeline(folder: Path) -> bool:
    """Return whether a run kept events for a timeline."""
    return any(folder.glob("*/*.events"))


def write_timeline(folder: Path, path: Path | None = None, window: Window = WHOLE) -> Written:
    """Write the timeline of a run, complete or not.

    Raises:
        FileNotFoundError: there is no such folder.
        InputError: it is no results folder, or nothing of it is in the window.
        OSError: the file cannot be written.
    """
    results = read_results(folder)
    if not results.description:
        raise InputError(f"{folder}: found no description.json, expected a results folder.")
    target = folder / TIMELINE if path is None else path
    with whole_stream(target) as stream:
        trace = Perfetto(stream)
        left_out = _show(trace, results, window)
        if trace.events == 0:
            raise InputError(
                f"{folder}: found nothing that a timeline shows in these cycles, expected a run "
                f"with simulation.timeline.enabled=true. {' '.join(left_out)}".rstrip()
            )
        for sentence in left_out:
            trace.track(f"left out: {sentence}")
        size = stream.tell()
    return Written(target, trace.events, size, tuple(left_out))


def _show(trace: Perfetto, results: Results, window: Window) -> list[str]:
    period_ns = 1e9 / results.clock_hz
    about = f"1 ns shown is 1 target cycle, {period_ns:g} ns of target time"
    trace.track(about)
    left_out: list[str] = []
    for node in results.nodes:
        group = None
        for path, has_stacks in event_files(results.folder, node.name):
            group = group or trace.track(node.name)
            shown = path.relative_to(results.folder).as_posix()
            left_out += show_events(trace, group, path, has_stacks, window, shown)
        if node.counters is not None and node.counters.rows:
            group = group or trace.track(node.name)
            left_out += show_counters(trace, group, node, window, results.start_cycle)
    return left_out + show_packets(trace, results, window)
