# SPDX-License-Identifier: BSD-3-Clause
"""Random netlists in the generated engine against Yosys' own simulator, cycle by cycle.

Each netlist is made, driven, cut and compiled as its seed says: cells of every kind, widths of 1
to 200 bits, memories, registers of every kind, initial values. Every kind of cell the engine takes
must have been among them. Netlists whose asynchronous resets depend on registers are compared with
Verilator, in both engines. A difference prints the seed that replays it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from goldengate.engine import cells, memories, registers

from regression.fuzzers.engine_fuzz import batch, models
from regression.fuzzers.engine_fuzz.batch import Outcome
from regression.support.experiment import Experiment, Verdict, experiment_named

QUICK_NETLISTS, NETLISTS = 800, 100_000
"""The quick ones are as many as hold every kind, and some more."""
LEAST_IN_ROUNDS = 0.01
"""The share of netlists of which asynchronous resets depend on what they reset."""
MOST_REPORTED, MOST_DIFFERENT = 20, 200
KINDS = frozenset(cells.RULES) | registers.KINDS | memories.KINDS


def _batch(folder: Path, tool: Path, seeds: list[int]) -> Outcome:
    return batch.run(folder / f"seed-{seeds[0]}", tool, seeds)


def _outcomes(experiment: Experiment, wanted: int) -> Iterator[Outcome]:
    """Yield what each batch shows, in the order of their seeds."""
    models.compile_tool(experiment.folder)
    seeds = batch.batches(experiment.seed, wanted)
    with ProcessPoolExecutor(max(1, min(experiment.threads, len(seeds)))) as pool:
        one = partial(_batch, experiment.folder, experiment.folder)
        try:
            yield from pool.map(one, seeds)
        finally:
            pool.shutdown(cancel_futures=True)


def _keep(experiment: Experiment, total: Outcome, broken: set[int], wanted: int) -> None:
    by_kind: dict[str, dict[int, int]] = {}
    for (kind, words), count in sorted(total.kinds.items()):
        by_kind.setdefault(kind, {})[words] = count
    experiment.keep(netlists=wanted, different=sorted(broken), cycles=batch.CYCLES)
    experiment.keep(compared_bits=total.compared_bits, unknown_bits=total.unknown_bits)
    experiment.keep(resets_in_rounds=total.in_rounds)
    experiment.keep(
        cells_by_kind_and_words=by_kind, wires_by_bits=dict(sorted(total.widths.items()))
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--netlists", type=int, default=0, help="how many, from the seed on")


@experiment_named("engine-fuzz", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every output of every netlist was equal in every cycle."""
    wanted = experiment.arguments.netlists or (QUICK_NETLISTS if experiment.quick else NETLISTS)
    total, began = Outcome(), time.monotonic()
    for outcome in _outcomes(experiment, wanted):
        total.add(outcome)
        if len({one.seed for one in total.differences}) > MOST_DIFFERENT:
            experiment.say(f"stopped: more than {MOST_DIFFERENT} netlists are different")
            break
    for one in total.differences[:MOST_REPORTED]:
        experiment.say(
            f"seed {one.seed}: {one.what}\n"
            f"replay: firesim experiment engine-fuzz --seed {one.seed} --netlists 1"
        )
    broken = {one.seed for one in total.differences}
    _keep(experiment, total, broken, wanted)
    experiment.keep(wall_s=round(time.monotonic() - began, 1))
    seen = {kind for kind, _ in total.kinds}
    missing = KINDS - seen if wanted >= QUICK_NETLISTS else frozenset()
    if missing:
        experiment.say(f"never generated: {' '.join(sorted(missing))}")
    loops = wanted < QUICK_NETLISTS or total.in_rounds >= LEAST_IN_ROUNDS * wanted
    if not loops:
        experiment.say(f"found {total.in_rounds} netlists with resets in rounds")
    figure = (
        f"{wanted:,} random netlists of {batch.CYCLES} cycles, {len(broken)} different, "
        f"{total.in_rounds} with resets in rounds, "
        f"{len(KINDS & seen)} of {len(KINDS)} kinds of cell,"
    )
    return Verdict(not broken and not missing and loops, figure, "none different, all kinds")
