# SPDX-License-Identifier: BSD-3-Clause
"""Takes a sample: the whole workload functionally, then intervals until the error is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from firesim_common.errors import InputError
from rich.console import Console

from firesim.engines import DEFAULT, ENGINES
from firesim.pipeline.beside import Beside
from firesim.sampling.folder import MEASURED, WHOLE, Interval, SampleFolder
from firesim.sampling.intervals import COUNTED, Measuring, Task, processors, tasks_of
from firesim.sampling.progress import Progress
from firesim.sampling.result import Result, result_of, write_result
from firesim.sampling.settings import Whole, check_population, level_for, units_of
from firesim.sampling.simulate import NOTHING_ELSE, Description, Prepared, counters_of, prepare
from firesim.sampling.statistics import estimate, needed
from firesim.work.folder import write_json


def go(folder: SampleFolder, jobs: int, console: Console, beside: Beside | None = None) -> Result:
    """Measure what is missing until the error is met, and return what it says of the whole.

    Raises:
        InputError: the workload cannot be sampled, or another process samples in the folder.
        ToolError, GoldenGateError: a build step failed.
        KeyboardInterrupt: it was stopped; the intervals that are over are kept.
    """
    beside = beside or Beside()
    with folder.locked():
        functional, rtl = _prepared(folder, console, beside)
        whole = folder.whole() or _whole(folder, functional, console)
        check_population(whole, folder.settings)
        measuring = Measuring(folder, whole, functional, rtl, jobs or processors())
        return _sampled(measuring, console)


def _prepared(folder: SampleFolder, console: Console, beside: Beside) -> tuple[Prepared, Prepared]:
    """Build both engines' nodes, and refuse those that are not sampled."""
    common = [*NOTHING_ELSE, "simulation.autocounter={enabled: true, interval_cycles: 4294967295}"]
    software = next(kind.name for kind in ENGINES.values() if not kind.is_rtl)
    on_functional = [*common, f"simulation.engine={software}"]
    functional = prepare(folder.loaded(on_functional), folder.work / software, console, beside)
    node = functional.plan.nodes[0]
    cores = functional.built.files[node.name].cores
    if cores != 1:  # known before its RTL is compiled
        raise InputError(
            f'sample: found {cores} harts in the blade "{node.blade}", expected 1: the CPI of '
            "several harts is not sampled."
        )
    in_rtl = [*common, f"simulation.engine={DEFAULT}", "simulation.max_cycles=0"]
    made = prepare(folder.loaded(in_rtl), folder.work / DEFAULT, console, beside)
    if COUNTED not in counters_of(made):
        raise InputError(
            f'sample: found no counter {COUNTED} in the blade "{node.blade}", expected one that '
            "counts the instructions of its hart."
        )
    return functional, made


def _whole(folder: SampleFolder, functional: Prepared, console: Console) -> Whole:
    """Run the whole workload on the functional blade.

    Raises:
        InputError: it does not pass.
    """
    console.print("functional run of the whole workload", highlight=False)

    def same(_: Description) -> None:
        pass

    outcome = functional.run(folder.work / "whole", same)
    result = outcome.result
    if outcome.exit_status != 0:
        raise InputError(
            f"sample: found a functional run that failed ({outcome.reason}: "
            f"{outcome.message or result['nodes'][0]['message']}), expected one that passes."
        )
    facts = result["nodes"][0]["statistics"]
    end = facts["finished_at_cycle"] or facts["cycles_evaluated"]
    whole = Whole(
        first_cycle=functional.built.files[functional.plan.nodes[0].name].reset_cycles,
        end_cycle=int(end),
        instructions=int(facts["instructions"]),
        cycles_per_instruction=int(facts["cycles_per_instruction"]),
        quantum_cycles=int(facts["quantum_cycles"]),
        token_hash=str(result["token_hash"]),
        cpu_s=float(result["cpu_s"]),
    )
    write_json(folder.path / WHOLE, asdict(whole))
    return whole


def _sampled(measuring: Measuring, console: Console) -> Result:
    folder, whole, settings = measuring.folder, measuring.whole, measuring.folder.settings
    population = whole.population(settings)
    level: int | None = 0
    units: list[int] = []
    while level is not None:
        units = units_of(level, population, settings)
        _measure(measuring, units, settings.warm_up_instructions, False, console)
        level = _next_level(level, folder.intervals(units), population, measuring)
    doubled: list[int] = []
    if settings.checks_warm_up:
        doubled = units_of(0, population, settings)
        _measure(measuring, doubled, 2 * settings.warm_up_instructions, True, console)
    result = result_of(folder, whole, units, doubled)
    write_result(folder, result)
    return result


def _measure(
    measuring: Measuring, units: Sequence[int], warm_up: int, doubled: bool, console: Console
) -> None:
    """Measure those of some intervals that have no result yet."""
    folder = measuring.folder
    left = [unit for unit in units if folder.interval(unit, doubled) is None]
    tasks: list[Task] = tasks_of(left, measuring.whole, folder.settings, warm_up)
    with Progress(console, len(units), len(left), measuring, doubled) as progress:
        if tasks:
            measuring.measure(tasks, doubled, progress.over)


def _next_level(
    level: int, found: Sequence[Interval], population: int, measuring: Measuring
) -> int | None:
    """Return the level with as many intervals as the error takes, None where no more are wanted."""
    settings = measuring.folder.settings
    values = [one.cpi for one in found if one.state == MEASURED]
    if len(values) < 2 or len(found) >= population:
        return None
    now = estimate(values, population, settings.confidence)
    if now.error <= settings.error:
        return None
    wanted = needed(now, settings.error, population, settings.confidence)
    following = level_for(max(wanted, len(found) + 1), settings, population)
    return following if following > level else None
