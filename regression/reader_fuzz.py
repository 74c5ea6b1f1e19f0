# SPDX-License-Identifier: BSD-3-Clause
"""Random SystemVerilog through Golden Gate against plain Verilator on its text, cycle by cycle.

Each module is made as its seed says, of processes with every kind of reset, memories, functions,
generate blocks, instances and more, driven with random inputs and resets. Every construct must have
been among them. A difference prints the seed that replays it and the module made smaller.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from regression.support.experiment import Experiment, Verdict, run_experiment
from regression.support.reader_fuzz import batch, programs
from regression.support.reader_fuzz.batch import Difference, Outcome
from regression.support.reader_fuzz.constructs import CONSTRUCTS

QUICK_MODULES, MODULES = 10_000, 50_000
MOST_REPORTED, MOST_DIFFERENT, MOST_REDUCED = 20, 200, 3


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


def _report(experiment: Experiment, differences: list[Difference]) -> None:
    for number, one in enumerate(differences[:MOST_REPORTED]):
        experiment.say(
            f"seed {one.seed}: {one.what}\n"
            f"replay: firesim experiment reader-fuzz --seed {one.seed} --modules 1"
        )
        if number < MOST_REDUCED and one.what.startswith("signal"):
            folder = experiment.folder / f"smaller-{one.seed}"
            experiment.say(batch.smaller(folder, experiment.folder, one.seed))


def _measure(experiment: Experiment) -> Verdict:
    wanted = experiment.arguments.modules or (QUICK_MODULES if experiment.quick else MODULES)
    total, began = Outcome(), time.monotonic()
    for outcome in _outcomes(experiment, wanted):
        total.add(outcome)
        if len(total.differences) > MOST_DIFFERENT:
            experiment.say(f"stopped: more than {MOST_DIFFERENT} modules are different")
            break
    _report(experiment, total.differences)
    different = sorted(one.seed for one in total.differences)
    experiment.keep(modules=wanted, different=different, cycles=batch.CYCLES)
    experiment.keep(signals=total.signals, constructs=dict(sorted(total.constructs.items())))
    experiment.keep(wall_s=round(time.monotonic() - began, 1))
    seen = set(total.constructs)
    missing = CONSTRUCTS - seen if wanted >= QUICK_MODULES else frozenset()
    if missing:
        experiment.say(f"never generated: {', '.join(sorted(missing))}")
    figure = (
        f"{wanted:,} random modules of {batch.CYCLES} cycles, {len(different)} different, "
        f"{len(CONSTRUCTS & seen)} of {len(CONSTRUCTS)} constructs,"
    )
    return Verdict(not different and not missing, figure, "none different, all constructs")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--modules", type=int, default=0, help="how many, from the seed on")


def run(argv: list[str]) -> int:
    """Run the experiment; return 0 when every signal of every module was equal in every cycle."""
    return run_experiment("reader-fuzz", __doc__, argv, _measure, _arguments)
