# SPDX-License-Identifier: BSD-3-Clause
"""Writes the page about an event: one HTML file that needs nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.whole_file import write_whole
from markupsafe import Markup

from firesim.report.charts import line_chart
from firesim.report.page import STYLE
from firesim.report.templates import page_template
from firesim.timeline.window import Window
from firesim.timeline.write import TIMELINE
from firesim.topology.describe_signals import WAVES
from firesim.units import target_time
from firesim.why.around import HartStacks, Source
from firesim.why.packets import Packets
from firesim.why.signals import Shown
from firesim.why.wanted import Cause

PAGE = "why.html"
_SCRIPT = STYLE.with_name("script.js")
_FEW_CYCLES = 1000


@dataclass(frozen=True)
class About:
    """All that a page tells."""

    run: Path
    cause: Cause
    window: Window
    node: str | None
    clock_hz: float
    compared: str
    replay: Path
    source: Source | None = None
    signal_cycles: Sequence[int] = ()
    signals: Sequence[Shown] = ()
    stacks: Sequence[HartStacks] = ()
    lines: Sequence[tuple[int, str, str]] = ()
    packets: Packets = field(default_factory=Packets)
    counters: Sequence[tuple[str, int, list[float]]] = ()
    left_out: Sequence[str] = ()


def write_page(folder: Path, about: About) -> Path:
    """Write the page into a folder, beside the replay; return its path."""
    cause = about.cause
    text = page_template(Path(__file__).resolve().parent, "why.html.j2").render(
        about=about,
        cause=cause,
        where=cause.node or cause.switch or about.node or "",
        time=target_time(cause.cycle, about.clock_hz),
        style=Markup(STYLE.read_text(encoding="utf-8")),
        script=Markup(_SCRIPT.read_text(encoding="utf-8")),
        queues=_queues(about),
        links=_links(folder, about),
        commands=_commands(about),
    )
    page = folder / PAGE
    write_whole(page, text)
    return page


def _queues(about: About) -> Markup:
    cycles = [float(cycle - about.cause.cycle) for cycle in about.packets.cycles]
    return line_chart(
        cycles,
        about.packets.queues,
        x_label="cycles after the event",
        y_label="bytes",
    )


def _links(folder: Path, about: About) -> list[tuple[str, str]]:
    """Return the files beside the page that exist, with what each is."""
    replay = about.replay
    wanted = [(replay / TIMELINE, "timeline for Perfetto: stacks, packets, consoles, counters")]
    if about.node is not None:
        waves = replay / about.node / WAVES
        wanted.insert(0, (waves, f"signals of {about.node} for Surfer or GTKWave"))
    wanted.append((replay / "report.html", "report of the replay"))
    wanted += [(file, "packets for Wireshark") for file in sorted(replay.glob("*/*.pcapng"))]
    return [(file.relative_to(folder).as_posix(), what) for file, what in wanted if file.is_file()]


def _commands(about: About) -> list[tuple[str, str]]:
    """Return what to type to go on, with what it does."""
    run, replay = shlex.quote(str(about.run)), shlex.quote(str(about.replay))
    found = []
    if about.node is not None:
        at = max(about.window.first, about.cause.cycle - 1)
        if about.stacks or not (about.replay / about.node / WAVES).is_file():
            found.append(
                (f"firesim gdb {about.node} --run {run} --at {at}", "gdb there, forward and back")
            )
        if (about.replay / about.node / WAVES).is_file():
            first = max(0, about.cause.cycle - 10 * _FEW_CYCLES)
            found.append(
                (
                    f"firesim waves {about.node} --run {run} --from {first} "
                    f"--cycles {about.cause.cycle - first + 1} --open",
                    "more cycles of its signals, in a viewer",
                )
            )
    if (about.replay / TIMELINE).is_file():
        found.append((f"firesim timeline {replay} --open", "the timeline in Perfetto's viewer"))
    return found
