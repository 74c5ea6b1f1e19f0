# SPDX-License-Identifier: BSD-3-Clause
"""One batch of engine-fuzz: netlists made, simulated by the oracle, compiled and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.tools import run as run_tool

from regression.fuzzers.engine_fuzz import models, oracle
from regression.fuzzers.engine_fuzz.netlists import Netlist
from regression.support.fuzzing import Difference, failure, halved

BATCH = 200
CYCLES = 32
_AS_MODELS_EVERY = 20


@dataclass
class Outcome:
    """What a batch showed; `kinds` as in Netlist, `widths` counts wires by their bits."""

    differences: list[Difference] = field(default_factory=list)
    compared_bits: int = 0
    unknown_bits: int = 0
    kinds: Counter[tuple[str, int]] = field(default_factory=Counter)
    widths: Counter[int] = field(default_factory=Counter)
    in_rounds: int = 0
    """Netlists whose asynchronous resets are computed in rounds."""

    def add(self, other: Outcome) -> None:
        """Add what another batch showed."""
        self.differences += other.differences
        self.compared_bits += other.compared_bits
        self.unknown_bits += other.unknown_bits
        self.kinds += other.kinds
        self.widths += other.widths
        self.in_rounds += other.in_rounds


def batches(first: int, count: int) -> list[list[int]]:
    """Return the seeds cut into batches; how one is compiled depends on its seeds alone."""
    found: list[list[int]] = []
    for seed in range(first, first + count):
        if not found or seed % BATCH == 0:
            found.append([])
        found[-1].append(seed)
    return found


def _compare(folder: Path, tool: Path, seeds: Sequence[int]) -> Outcome:
    netlists = [Netlist(seed) for seed in seeds]
    found = Outcome()
    for netlist in netlists:
        found.kinds += netlist.kinds
        found.widths.update(netlist.widths.values())
    answers = oracle.simulate(folder, netlists, CYCLES)
    found.differences += answers.differences
    found.in_rounds = answers.in_rounds
    as_models = seeds[0] // BATCH % _AS_MODELS_EVERY == 0
    program = models.program(folder, tool, netlists, as_models)
    for line in run_tool([program, folder, str(CYCLES)]).splitlines():
        words = line.split()
        if words[0] == "differs":
            what = f"output {words[2]} differs in cycle {words[3]}"
            found.differences.append(Difference(int(words[1][1:]), what))
        else:
            found.compared_bits, found.unknown_bits = int(words[1]), int(words[2])
    return found


def _alone(seed: int, error: Exception) -> Outcome:
    return Outcome([failure(seed, error)])


def run(folder: Path, tool: Path, seeds: Sequence[int]) -> Outcome:
    """Compare netlists in `folder`; a single one leaves its files there."""
    return halved(folder, seeds, lambda at, part: _compare(at, tool, part), _alone, Outcome)
