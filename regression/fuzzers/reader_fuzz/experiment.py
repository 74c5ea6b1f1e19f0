# SPDX-License-Identifier: BSD-3-Clause
"""Random SystemVerilog through Golden Gate against plain Verilator on its text, cycle by cycle.

Each module is made as its seed says, of processes with every kind of reset, memories, functions,
generate blocks, instances and more, driven with random inputs and resets. Every construct must have
been among them. A difference prints the seed that replays it and the module made smaller. Modules
on whose text Verilator fails are counted apart, with the reason.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from regression.fuzzers.reader_fuzz import batch, programs
from regression.fuzzers.reader_fuzz.batch import Outcome
from regression.fuzzers.reader_fuzz.constructs import CONSTRUCTS
from regression.support.experiment import Experiment, Verdict, experiment_named

QUICK_MODULES, MODULES = 300, 50_000
"""The quick ones are as many as hold every construct, and some more."""
MOST_REPORTED, MOST_DIFFERENT, MOST_REDUCED = 20, 200, 3
MOST_WITHOUT_ORACLE = 0.01
"""The share of modules on which Verilator may fail."""


def _outcomes(experiment: Experiment, wanted: int) -> Iterator[Outcome]:
    """Yield what each batch shows, in the order of their seeds."""
    programs.compile_tool(experiment.folder)
    batches = batch.batches(experiment.seed, wanted)
    folders = [experiment.folder / f"seed-{seeds[0]}" for seeds in batches]
    with ProcessPoolExecutor(max(1, min(experiment.threads, len(batches)))) as pool:
        try:
            yield from pool.map(batch.run, folders, [experiment.folder] * len(batches), batches)
        finally:
            pool.shutdown(cancel_futures=True)


def _by_reason(total: Outcome) -> dict[str, list[int]]:
    """Return the seeds without oracle by the reason."""
    found: dict[str, list[int]] = {}
    for seed, reason in sorted(total.without_oracle.items()):
        found.setdefault(reason, []).append(seed)
    return found


def _report(experiment: Experiment, total: Outcome) -> None:
    for number, one in enumerate(total.differences[:MOST_REPORTED]):
        experiment.say(
            f"seed {one.seed}: {one.what}\n"
            f"replay: firesim experiment reader-fuzz --seed {one.seed} --modules 1"
        )
        if number < MOST_REDUCED and one.what.startswith("signal"):
            folder = experiment.folder / f"smaller-{one.seed}"
            experiment.say(batch.smaller(folder, experiment.folder, one.seed))
    for reason, seeds in _by_reason(total).items():
        shown = ", ".join(map(str, seeds[:MOST_REPORTED]))
        experiment.say(f"no oracle for {len(seeds)}, as {reason}: seeds {shown}")


def _verdict(experiment: Experiment, wanted: int, total: Outcome) -> Verdict:
    """Judge what `wanted` modules showed."""
    different, failed = len(total.differences), len(total.without_oracle)
    seen = set(total.constructs)
    missing = CONSTRUCTS - seen if wanted >= QUICK_MODULES else frozenset()
    if missing:
        experiment.say(f"never generated: {', '.join(sorted(missing))}")
    figure = (
        f"{wanted:,} random modules of {batch.CYCLES} cycles, {different} different, {failed} "
        f"without oracle, {len(CONSTRUCTS & seen)} of {len(CONSTRUCTS)} constructs,"
    )
    goal = f"none different, at most {MOST_WITHOUT_ORACLE:.0%} without oracle, all constructs"
    few_failures = failed <= MOST_WITHOUT_ORACLE * wanted
    return Verdict(not different and few_failures and not missing, figure, goal)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--modules", type=int, default=0, help="how many, from the seed on")


@experiment_named("reader-fuzz", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every signal of every module was equal in every cycle."""
    wanted = experiment.arguments.modules or (QUICK_MODULES if experiment.quick else MODULES)
    total, began = Outcome(), time.monotonic()
    for outcome in _outcomes(experiment, wanted):
        total.add(outcome)
        if len(total.differences) > MOST_DIFFERENT:
            experiment.say(f"stopped: more than {MOST_DIFFERENT} modules are different")
            break
    _report(experiment, total)
    different = sorted(one.seed for one in total.differences)
    experiment.keep(modules=wanted, different=different, cycles=batch.CYCLES)
    experiment.keep(without_oracle=_by_reason(total))
    experiment.keep(signals=total.signals, constructs=dict(sorted(total.constructs.items())))
    experiment.keep(wall_s=round(time.monotonic() - began, 1))
    return _verdict(experiment, wanted, total)
