# SPDX-License-Identifier: BSD-3-Clause
"""Takes a sample: the whole workload functionally, then intervals until the error is met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

from firesim_common.errors import InputError
from firesim_common.printable import printable
from rich.console import Console

from firesim.engines import DEFAULT, ENGINES
from firesim.pipeline.beside import Beside
from firesim.pipeline.resolve import resolve
from firesim.sampling.activity import shows_wires
from firesim.sampling.by_cycles import ByCycles
from firesim.sampling.by_figures import ByFigures
from firesim.sampling.by_instructions import COUNTED, ByInstructions
from firesim.sampling.console_lines import keep_lines, printed_in
from firesim.sampling.estimates import wanted_of
from firesim.sampling.folder import WHOLE, Interval, SampleFolder
from firesim.sampling.intervals import Measuring, Task, Way, processors
from firesim.sampling.on_hosts import Hosts, hosts_of
from firesim.sampling.points import keep_vectors, with_points
from firesim.sampling.progress import Progress
from firesim.sampling.result import Result, result_of
from firesim.sampling.settings import (
    CYCLES,
    ENDS,
    FIGURES,
    INSTRUCTIONS,
    Settings,
    Whole,
    check_population,
    level_for,
    units_of,
)
from firesim.sampling.simulate import (
    NOTHING_ELSE,
    UNTRACED,
    Description,
    Prepared,
    counters_of,
    prepare,
)
from firesim.sampling.stacks import TRACED
from firesim.sampling.statistics import needed
from firesim.sampling.warm_up import Bias, bias_of, chosen, compared
from firesim.sampling.warming import with_cold_caches
from firesim.sampling.written import write_result
from firesim.work.folder import write_json

WAYS: dict[str, Callable[[Settings, Whole], Way]] = {
    INSTRUCTIONS: ByInstructions,
    CYCLES: ByCycles,
    FIGURES: ByFigures,
}
"""By what intervals are of."""


def go(folder: SampleFolder, jobs: int, console: Console, beside: Beside | None = None) -> Result:
    """Measure what is missing until the error is met, and return what it says of the whole.

    Raises:
        InputError: the workload cannot be sampled, or another process samples in the folder.
        ToolError, GoldenGateError: a build step failed.
        KeyboardInterrupt: it was stopped; the intervals that are over are kept.
    """
    beside = beside or Beside()

    def say(text: str) -> None:
        console.print(printable(text), highlight=False, markup=False, soft_wrap=True)

    with folder.locked(), hosts_of(resolve(folder.loaded([])), jobs, say) as hosts:
        functional, rtl = _prepared(folder, console, beside, hosts)
        whole = folder.whole() or _whole(folder, functional, console)
        check_population(whole, folder.settings)
        way = WAYS[whole.unit](folder.settings, whole)
        at_a_time = hosts.jobs if hosts is not None else jobs or processors()
        measuring = Measuring(folder, whole, functional, rtl, way, at_a_time)
        return _sampled(measuring, console)


def _prepared(
    folder: SampleFolder, console: Console, beside: Beside, hosts: Hosts | None
) -> tuple[Prepared, Prepared]:
    """Build both engines' nodes, those in RTL for hosts, and refuse what is not sampled."""
    common = [*NOTHING_ELSE, "simulation.autocounter={enabled: true, interval_cycles: 4294967295}"]
    software = next(kind.name for kind in ENGINES.values() if not kind.is_rtl)
    on_functional = [*common, UNTRACED, f"simulation.engine={software}"]
    functional = prepare(folder.loaded(on_functional), folder.work / software, console, beside)
    if folder.settings.figure and not _by_cycles(functional):  # known before RTL is compiled
        raise InputError(
            "--figure: found a node with a single hart, expected several nodes or harts: the "
            "intervals of a single hart are of instructions."
        )
    if not folder.settings.are_drawn and _by_cycles(functional):
        raise InputError(
            f"--points {folder.settings.points}: found several nodes or harts, expected a node "
            "with a single hart: basic-block vectors are those of one hart."
        )
    traced = TRACED if folder.settings.stacks else (UNTRACED,)
    in_rtl = [*common, *traced, f"simulation.engine={DEFAULT}", "simulation.max_cycles=0"]
    if folder.settings.activity:
        in_rtl.append(shows_wires([node.name for node in functional.plan.nodes]))
    made = prepare(folder.loaded(in_rtl), folder.work / DEFAULT, console, beside, hosts)
    for node in functional.plan.nodes:
        if COUNTED not in counters_of(made, node.name):
            raise InputError(
                f'sample: found no counter {COUNTED} in the blade "{node.blade}", expected one '
                "that counts the instructions of its hart."
            )
    return functional, made


def _by_cycles(functional: Prepared) -> bool:
    """Return whether intervals are of cycles: instructions of several harts have no order."""
    files = [functional.built.files[node.name] for node in functional.plan.nodes]
    return len(files) > 1 or files[0].cores > 1


def _whole(folder: SampleFolder, functional: Prepared, console: Console) -> Whole:
    """Run the whole workload on the functional blade.

    Raises:
        InputError: it does not pass.
    """
    console.print("functional run of the whole workload", highlight=False)

    settings = folder.settings

    def change(description: Description) -> None:
        if settings.figure:
            keep_lines(description)
        if not settings.are_drawn:
            keep_vectors(description, settings.interval)

    outcome = functional.run(folder.work / "whole", change)
    result = outcome.result
    if outcome.exit_status != 0:
        raise InputError(
            f"sample: found a functional run that failed ({outcome.reason}: "
            f"{outcome.message or result['nodes'][0]['message']}), expected one that passes."
        )
    facts = [node["statistics"] for node in result["nodes"]]
    unit = INSTRUCTIONS
    if _by_cycles(functional):
        unit = FIGURES if settings.figure else CYCLES
    names = [str(node["name"]) for node in result["nodes"]]
    figure = settings.figure
    printed = printed_in(outcome.folder, names, figure) if figure else []
    whole = Whole(
        first_cycle=functional.built.files[functional.plan.nodes[0].name].reset_cycles,
        end_cycle=max(int(one["finished_at_cycle"] or one["cycles_evaluated"]) for one in facts),
        instructions=sum(int(one["instructions"]) for one in facts),
        cycles_per_instruction=1 if unit == CYCLES else int(facts[0]["cycles_per_instruction"]),
        quantum_cycles=int(facts[0]["quantum_cycles"]),
        token_hash=str(result["token_hash"]),
        cpu_s=float(result["cpu_s"]),
        is_finished=facts[0]["finished_at_cycle"] is not None,
        unit=unit,
        figure_cycles=[one.cycle for one in printed],
        cold=with_cold_caches(functional.plan),
    )
    if not settings.are_drawn:
        check_population(whole, settings)
        whole = with_points(whole, folder, outcome, console)
    write_json(folder.path / WHOLE, asdict(whole))
    return whole


def _sampled(measuring: Measuring, console: Console) -> Result:
    folder, whole, settings = measuring.folder, measuring.whole, measuring.folder.settings
    population = whole.population(settings)

    def measure(units: Sequence[int], warm_up: int) -> None:
        _measure(measuring, units, warm_up, console)

    warm_up = chosen(folder, whole, measure)
    level: int | None = 0 if settings.are_drawn else None
    units = [unit for unit, _ in whole.points]
    if level is not None:
        units = units_of(level, population, settings)
    measure(units, warm_up)
    if settings.checks_warm_up and not settings.chooses_warm_up:
        measure(compared(settings, whole), 2 * warm_up)
    bias = bias_of(folder, whole, warm_up)
    while level is not None:
        level = _next_level(level, folder.intervals(units, warm_up), measuring, bias)
        if level is not None:
            units = units_of(level, population, settings)
            measure(units, warm_up)
    result = result_of(folder, whole, units, warm_up)
    write_result(folder, result)
    return result


def _measure(measuring: Measuring, units: Sequence[int], warm_up: int, console: Console) -> None:
    """Measure those of some intervals that have no result yet."""
    folder = measuring.folder
    left = [unit for unit in units if folder.interval(unit, warm_up) is None]
    tasks: list[Task] = [measuring.way.task(unit, warm_up) for unit in left]
    with Progress(console, len(units), len(left), measuring, warm_up) as progress:
        if tasks:
            measuring.measure(tasks, warm_up, progress.over)


def _next_level(
    level: int, found: Sequence[Interval], measuring: Measuring, bias: Bias | None
) -> int | None:
    """Return the level with as many intervals as the error takes, None where no more are wanted.

    A bias takes its part of the error. More intervals do not help where it takes all of it.
    """
    whole, settings = measuring.whole, measuring.folder.settings
    population = whole.population(settings)
    if len(found) >= population:
        return None
    now = wanted_of(found, whole, settings)
    if now is None:
        return None
    error = settings.error - (bias.share_of(now.mean) if bias else 0.0)
    if now.error <= error or error <= 0:
        return None
    wanted = needed(now, error, population, settings.confidence)
    following = level_for(max(wanted, len(found) + 1 - ENDS), settings, population)
    return following if following > level else None
