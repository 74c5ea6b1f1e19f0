# SPDX-License-Identifier: BSD-3-Clause
"""Speeds of a core on the sides that run fast: our two engines and plain Verilator, alternately.

All three are driven by the same program with the same inputs, are compiled with the same options of
g++ where Verilator made the text, and show the same outputs, else there is no figure. Time is that
of the processor (user): what else the machine does matters less so.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from regression.hardware.open_cores.sides import GENERATED, PLAIN, VERILATOR, Bench, Ran
from regression.support.experiment import ExperimentError

FAST = (GENERATED, VERILATOR, PLAIN)
COLUMNS = (
    "core",
    *(f"{name} (kHz)" for name in ("generated, untrained", "our Verilator path", "plain")),
    "generated / plain",
    "our Verilator path / plain",
    "spread",
)
CYCLES, ROUNDS = 100_000, 5


@dataclass(frozen=True)
class Speeds:
    """Median thousand cycles in a second of processor time, by side.

    `spread` is the largest distance of a round from its side's median, as a part of that.
    """

    khz: Mapping[str, float]
    spread: float

    def row(self, name: str) -> list[str]:
        """Return a line of the table; a side that did not run has a dash."""
        plain = self.khz.get(PLAIN)
        cells = [f"{self.khz[side]:,.0f}" if side in self.khz else "-" for side in FAST]
        for side in (GENERATED, VERILATOR):
            both = plain and side in self.khz
            cells.append(f"{self.khz[side] / plain:.2f}" if plain and both else "-")
        return [name, *cells, f"{self.spread:.0%}"]


def speeds_of(cycles: int, rounds: Sequence[Mapping[str, Ran]]) -> Speeds:
    """Return the medians of rounds in which each side ran once.

    Raises:
        ExperimentError: a side showed other outputs than another, or than in another round.
    """
    shown = {ran.shown for ran_by_side in rounds for ran in ran_by_side.values()}
    if len(shown) != 1:
        raise ExperimentError(f"found {len(shown)} different outputs of {cycles:,} cycles.")
    khz: dict[str, float] = {}
    spread = 0.0
    for side in rounds[0]:
        found = [cycles / ran_by_side[side].cpu_s / 1000 for ran_by_side in rounds]
        khz[side] = statistics.median(found)
        spread = max(spread, *(abs(one / khz[side] - 1) for one in found))
    return Speeds(khz, spread)


@dataclass(frozen=True)
class Built:
    """The sides of a core that were built, and why others were not."""

    bench: Bench
    libraries: Mapping[str, Path]
    failures: Mapping[str, str]

    def measure(self, drive: Path, rounds: int) -> Speeds:
        """Run the sides alternately.

        Raises:
            ExperimentError: a side showed other outputs than another.
            ToolError: a side ended with an error.
        """
        done = [
            {side: self.bench.drive(drive, library) for side, library in self.libraries.items()}
            for _ in range(rounds)
        ]
        return speeds_of(self.bench.cycles, done)
