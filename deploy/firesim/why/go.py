# SPDX-License-Identifier: BSD-3-Clause
"""`why`: find an event in a run, simulate the cycles before it again, write the page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.engines import ENGINES
from firesim.pipeline.check import check
from firesim.pipeline.load import load_file
from firesim.report.network import Network
from firesim.report.results import Results, read_results
from firesim.results.report_step import report_of
from firesim.timeline.window import Window
from firesim.topology.describe_signals import PEEKS, WAVES
from firesim.topology.plan import Plan
from firesim.why import again, around, packets, signals
from firesim.why.cause import find
from firesim.why.page import About, write_page
from firesim.why.told import check_told, is_told
from firesim.why.wanted import Cause, Wanted
from firesim.work.folder import new_folder, saved_config

AFTER_CYCLES = 100
"""Cycles that are shown after an event, too."""


@dataclass(frozen=True)
class Why:
    """What came of it: the page, the event, and the replay beside the page."""

    page: Path
    cause: Cause
    window: Window
    replay: Path
    waves: Path | None
    """None where no node with RTL is looked at."""


def why(
    folder: Path,
    wanted: Wanted,
    cycles: int,
    overrides: list[str],
    results: Path | None,
    console: Console,
    whole: bool = False,
) -> Why:
    """Write a page about an event of a finished run, with `cycles` of the run before it.

    The run is simulated again up to the event, if its cycle is known and the run told something by
    which the replay can be compared; else, and with `whole`, to its end.

    Raises:
        InputError: no such run or event, or the run does not repeat as it was recorded.
        ToolError, GoldenGateError: a build step failed.
    """
    run = again.recorded(folder, overrides)
    before = read_results(folder)
    cause = find(before, wanted)
    plan = _plan(folder, overrides)
    place = new_folder(f"why-{before.folder.name}"[:80], results)
    window = None if cause is None else _window(run, cause, cycles)
    stops = (
        window is not None
        and not whole
        and window.end < run.end_cycle
        and is_told(before, window.end)
    )
    first, compared = again.checked(run, window, place / again.CHECKED, console, stops=stops)
    if cause is not None and window is not None and stops:
        compared = check_told(before, read_results(first), window.end, cause, wanted)
    if cause is None:
        cause = find(read_results(first), wanted)
        if cause is None:
            raise InputError("why: found no cycle of the event in the replay either.")
    window = _window(run, cause, cycles)
    node = _node(before, cause, wanted)
    has_waves = node is not None and plan.node(node).kind.shows_signals
    source, peeks = _source(plan, run, cause, window)
    last = again.looked(
        run, first, window, node if has_waves else None, peeks, place / again.LOOKED, console
    )
    report_of(last, console)
    about = _about(
        run, read_results(first), read_results(last), cause, window, node, source, compared
    )
    again.forget(first)
    page = write_page(place, about)
    waves = last / node / WAVES if node is not None and has_waves else None
    return Why(page, cause, window, last, waves)


def _plan(folder: Path, overrides: list[str]) -> Plan:
    loaded: Loaded = load_file(saved_config(folder, again.WHY), overrides)
    bound = check(loaded)
    bound.close()
    return bound.plan


def _window(run: again.Recorded, cause: Cause, cycles: int) -> Window:
    first = max(run.start_cycle, cause.cycle - cycles)
    last = max(cause.cycle, min(run.end_cycle, cause.cycle + AFTER_CYCLES))
    return Window(first, last + 1)


def _node(results: Results, cause: Cause, wanted: Wanted) -> str | None:
    """Return the node that is looked at: the named one, the event's, or the nearest to it."""
    if wanted.node is not None or cause.node is not None:
        return wanted.node or cause.node
    network = Network(results.description)
    if cause.switch in network.nodes:
        return cause.switch
    if cause.switch is None or cause.port is None:
        return None
    link = network.link_of_port(cause.switch, cause.port)
    ends = [] if link is None else [link.a, link.b]
    servers = [str(one["name"]) for one in results.description["nodes"] if one["kind"] in ENGINES]
    return next((end for end in ends if end in servers), None)


def _source(
    plan: Plan, run: again.Recorded, cause: Cause, window: Window
) -> tuple[around.Source | None, list[str]]:
    """Return the lines around an assert, and what has the replay read the signals in them."""
    if cause.source is None or cause.node is None:
        return None, []
    blade = plan.own_blade(plan.node(cause.node))
    source = around.source_of(cause.source, () if blade is None else blade.sources)
    if source is None or not plan.node(cause.node).kind.shows_signals:
        return source, []
    names = signals.named_in(run.folder, cause.node, source.words, run.overrides)
    if not names:
        return source, []
    cycles = signals.peeked_cycles(cause.cycle, window.first)
    wanted = {"node": cause.node, "cycles": cycles, "signals": names}
    return source, [f"simulation.peeks=[{json.dumps(wanted)}]"]


def _about(
    run: again.Recorded,
    whole: Results,
    replay: Results,
    cause: Cause,
    window: Window,
    node: str | None,
    source: around.Source | None,
    compared: str,
) -> About:
    network = Network(replay.description)
    places = packets.places_of(network, node, cause.switch)
    dropped = None
    if cause.switch is not None and cause.port is not None:
        dropped = (cause.switch, cause.port, cause.cycle)
    files = next((one for one in replay.nodes if one.name == node), None)
    folder = replay.folder / (node or "")
    stacks, left_out = ([], []) if node is None else around.stacks_of(folder, window, cause.cycle)
    captured = whole if packets.can_be_read(whole, places) else replay
    shown = packets.packets_around(captured, places, window, dropped)
    cycles = signals.peeked_cycles(cause.cycle, window.first)
    return About(
        run=run.folder,
        cause=cause,
        window=window,
        node=node,
        clock_hz=replay.clock_hz,
        compared=compared,
        source=source,
        signal_cycles=cycles,
        signals=signals.read_shown(folder / PEEKS, cycles),
        stacks=stacks,
        lines=[]
        if node is None
        else around.lines_of(whole.folder / node, cause.cycle + AFTER_CYCLES),
        packets=shown,
        counters=[] if files is None else around.counters_of(files, window),
        left_out=[*left_out, *shown.left_out],
        replay=replay.folder,
    )
