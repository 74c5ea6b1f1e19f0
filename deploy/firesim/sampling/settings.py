# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of a sample, and which intervals it takes."""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from firesim_common.errors import InputError

FEWEST_INTERVALS = 4
MOST_INTERVALS = 100_000
LONGEST_INSTRUCTIONS = 2**40


@dataclass(frozen=True)
class Settings:
    """How a workload is sampled."""

    interval_instructions: int = 10_000
    """Length of a measured interval."""
    warm_up_instructions: int = 50_000
    """Run in RTL before each interval, not measured."""
    first: int = 30
    """Intervals measured before it is known how many are needed."""
    most: int = 1000
    """No more intervals than these are measured."""
    error: float = 0.03
    """Half width of the confidence interval of the CPI that is asked for, as a share of it."""
    confidence: float = 0.95
    """Probability with which the interval holds the CPI of the whole."""
    seed: int = 1
    """Chooses where intervals begin."""
    checks_warm_up: bool = False
    """Whether the bias of the warm-up is measured by doubling it."""

    def check(self) -> None:
        """Refuse what no sample can be taken with.

        Raises:
            InputError: a value is out of range.
        """
        _within("--interval", self.interval_instructions, 100, LONGEST_INSTRUCTIONS)
        _within("--warm-up", self.warm_up_instructions, 0, LONGEST_INSTRUCTIONS)
        _within("--first", self.first, FEWEST_INTERVALS, MOST_INTERVALS)
        _within("--most", self.most, self.first, MOST_INTERVALS)
        if not 0 < self.error < 1:
            raise InputError(
                f"--error: found {self.error:.4%}, expected more than 0% and less than 100%."
            )
        if not 0.5 <= self.confidence < 1:
            raise InputError(
                f"--confidence: found {self.confidence:.4%}, expected 50% to less than 100%."
            )

    def measuring(self) -> dict[str, Any]:
        """Return what decides which intervals there are and what is measured of each."""
        return {
            "interval_instructions": self.interval_instructions,
            "warm_up_instructions": self.warm_up_instructions,
            "first": self.first,
            "seed": self.seed,
        }


def _within(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InputError(f"{name}: found {value:,}, expected {least:,} to {most:,}.")


def share(text: str, option: str) -> float:
    """Return "3%", or "0.03", as a share of 1.

    Raises:
        InputError: it is neither.
    """
    try:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError as error:
        raise InputError(f"{option}: found {text}, expected a percentage, such as 3%.") from error


@dataclass(frozen=True)
class Whole:
    """The functional run of the whole workload."""

    first_cycle: int
    """The first after reset."""
    end_cycle: int
    instructions: int
    cycles_per_instruction: int
    quantum_cycles: int
    token_hash: str
    cpu_s: float

    def population(self, settings: Settings) -> int:
        """Return how many intervals it has, one behind the other; the rest at its end is left."""
        cycles = self.end_cycle - self.first_cycle
        return cycles // (settings.interval_instructions * self.cycles_per_instruction)

    @property
    def waiting(self) -> float:
        """The share of its time in which the hart waited for an interrupt."""
        cycles = self.end_cycle - self.first_cycle
        return max(0.0, 1 - self.instructions * self.cycles_per_instruction / cycles)

    def start_cycle(self, unit: int, settings: Settings) -> int:
        """Return the functional cycle in which an interval begins, by its number."""
        length = settings.interval_instructions * self.cycles_per_instruction
        return self.first_cycle + unit * length


MOST_WAITING = 0.05
"""Share of the time in which a hart may wait: there are no intervals of waits."""


def check_population(whole: Whole, settings: Settings) -> None:
    """Refuse a workload with too few intervals, or one that waits.

    Raises:
        InputError: it is such a workload.
    """
    if whole.waiting > MOST_WAITING:
        raise InputError(
            f"sample: found a hart that waits for interrupts in {whole.waiting:.0%} of the "
            f"functional run, expected {MOST_WAITING:.0%} at most: waits are not sampled."
        )
    found = whole.population(settings)
    if found < settings.first:
        raise InputError(
            f"sample: found a workload of {whole.instructions:,} instructions, which has {found:,} "
            f"intervals of {settings.interval_instructions:,}, expected {settings.first:,} at "
            "least: make --interval shorter, or run the whole workload in RTL."
        )


def units_of(level: int, population: int, settings: Settings) -> list[int]:
    """Return the numbers of the intervals of a sample, in their order.

    The workload is cut into equal parts, and in each an interval is drawn by the seed: at equal
    distances a loop of the same length would always be met in the same place. Each level cuts
    every part in two and keeps the intervals of the level before.
    """
    if settings.first << level >= population:
        return list(range(population))
    found: list[int] = []
    for step in range(level + 1):
        count = settings.first << step
        edges = [part * population // count for part in range(count + 1)]
        taken = {bisect_right(edges, unit) - 1 for unit in found}
        for part in sorted(set(range(count)) - taken):
            draw = random.Random(f"{settings.seed} {count} {part}")
            found.append(draw.randrange(edges[part], edges[part + 1]))
    return sorted(found)


def level_for(count: int, settings: Settings, population: int) -> int:
    """Return the first level with `count` intervals, or the last that is allowed."""
    level = 0
    while _count(level, settings, population) < min(count, population):
        if _count(level + 1, settings, population) > settings.most:
            break
        level += 1
    return level


def _count(level: int, settings: Settings, population: int) -> int:
    return min(settings.first << level, population)
