# SPDX-License-Identifier: BSD-3-Clause
"""One batch of reader-fuzz: modules made, compiled by both sides, compared, and made smaller."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.tools import run as run_tool

from regression.fuzzers.reader_fuzz import programs
from regression.fuzzers.reader_fuzz.modules import Module
from regression.support.fuzzing import Difference, failure, halved

BATCH = 100
CYCLES = 64


@dataclass
class Outcome:
    """What a batch showed; `constructs` counts those of the language by name.

    `without_oracle` maps the seeds of modules on which Verilator fails to the reason.
    """

    differences: list[Difference] = field(default_factory=list)
    without_oracle: dict[int, str] = field(default_factory=dict)
    constructs: Counter[str] = field(default_factory=Counter)
    signals: int = 0

    def add(self, other: Outcome) -> None:
        """Add what another batch showed."""
        self.differences += other.differences
        self.without_oracle |= other.without_oracle
        self.constructs += other.constructs
        self.signals += other.signals


def batches(first: int, count: int, size: int = BATCH) -> list[list[int]]:
    """Return the seeds cut into batches."""
    seeds = list(range(first, first + count))
    return [seeds[start : start + size] for start in range(0, count, size)]


def _differences(folder: Path, tool: Path, modules: Sequence[Module]) -> list[Difference]:
    """Return what differs; a module's signal is named when it is the first of its cycle."""
    program = programs.program(folder, tool, modules)
    signals, found, seen = programs.signals_of(modules), list[Difference](), set[int]()
    for line in run_tool([program, str(modules[0].seed), str(CYCLES)]).splitlines():
        words = line.split()
        if words[:1] != ["differs"]:
            continue
        seed, name = signals[int(words[1])]
        if seed not in seen:
            seen.add(seed)
            found.append(Difference(seed, f"signal {name} differs in cycle {words[2]}"))
    return found


def _compare(folder: Path, tool: Path, seeds: Sequence[int]) -> Outcome:
    modules = [Module(seed) for seed in seeds]
    found = Outcome(signals=len(programs.signals_of(modules)))
    found.differences = _differences(folder, tool, modules)
    for module in modules:
        found.constructs += module.constructs
    return found


def _alone(seed: int, error: Exception) -> Outcome:
    """Return what a failure shows; a module on which Verilator crashes only has no oracle."""
    if isinstance(error, programs.NoOracle):
        return Outcome(without_oracle={seed: error.reason})
    return Outcome([failure(seed, error)])


def run(folder: Path, tool: Path, seeds: Sequence[int]) -> Outcome:
    """Compare modules in `folder`; a single one leaves its files there."""
    return halved(folder, seeds, lambda at, part: _compare(at, tool, part), _alone, Outcome)


def smaller(folder: Path, tool: Path, seed: int) -> str:
    """Return the text of the module of a seed, with 0 in place of items that do not matter."""
    without: set[int] = set()
    for number in reversed(range(len(Module(seed).items))):
        attempt = folder / f"without-{number}"
        attempt.mkdir(parents=True)
        try:
            differs = bool(_differences(attempt, tool, [Module(seed, without | {number})]))
        except programs.NoOracle:
            differs = False
        except Exception:  # a failure of a tool is a difference, too
            differs = True
        if differs:
            without.add(number)
        shutil.rmtree(attempt)
    return Module(seed, without).text()
