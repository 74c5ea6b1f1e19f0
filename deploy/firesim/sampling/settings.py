# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of a sample, and which intervals it takes."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firesim_common.errors import InputError, unknown

FEWEST_INTERVALS = 4
MOST_INTERVALS = 100_000
INSTRUCTIONS, CYCLES, FIGURES = "instructions", "cycles", "figures"
"""What intervals are of."""
SYSTEMATIC, SIMPOINT = "systematic", "simpoint"
"""How intervals are chosen: drawn in equal parts of the workload, or one for each phase."""
FUNCTIONAL, NO_WARMING = "functional", "none"
"""How the first-level caches are filled before a warm-up begins: as a model of them on the
functional node says, or not at all."""
MOST_CLUSTERS = 100
ENDS = 2
"""The first interval and the last, which are measured in any case."""
SHORTEST, LONGEST_INSTRUCTIONS = 100, 2**40


@dataclass(frozen=True)
class Settings:
    """How a workload is sampled."""

    interval: int = 10_000
    """Length of a measured interval: instructions of a lone hart, figures where these are looked
    for, else target cycles."""
    warm_up: int = 5_000
    """Run in RTL before each interval, not measured; in the same unit."""
    warming: str = FUNCTIONAL
    """How the first-level caches are filled before the warm-up begins."""
    figure: str = ""
    """Of a cluster: what is looked for in lines of consoles; its group is a number, such as the
    cycles of a request."""
    chooses_warm_up: bool = False
    """Whether the warm-up is doubled, from that length on, until that changes nothing."""
    first: int = 30
    """Intervals drawn before it is known how many are needed."""
    most: int = 1000
    """No more intervals than these are drawn."""
    error: float = 0.03
    """Half width of the confidence interval that is asked for, as a share of the estimate."""
    confidence: float = 0.95
    """Probability with which the interval holds the CPI of the whole."""
    seed: int = 1
    """Chooses where intervals begin."""
    checks_warm_up: bool = False
    """Whether the bias of the warm-up is measured by doubling it."""
    stacks: bool = False
    """Whether the call stacks of intervals are kept, and weighted to those of the whole."""
    activity: bool = False
    """Whether the toggles of all wires are counted, by a slower model."""

    points: str = SYSTEMATIC
    """How intervals are chosen; simpoint: as representatives of the basic blocks that run."""
    clusters: int = 30
    """Most clusters of basic-block vectors, each of which has a representative."""

    @property
    def are_drawn(self) -> bool:
        """Whether intervals are drawn at random, so that there are confidence intervals."""
        return self.points == SYSTEMATIC

    def check(self) -> None:
        """Refuse what no sample can be taken with.

        Raises:
            InputError: a value is out of range.
        """
        shortest = 1 if self.figure else SHORTEST
        _within("--interval", self.interval, shortest, LONGEST_INSTRUCTIONS)
        least = 1 if self.chooses_warm_up or self.checks_warm_up else 0
        _within("--warm-up", self.warm_up, least, LONGEST_INSTRUCTIONS)
        _within("--first", self.first, FEWEST_INTERVALS, MOST_INTERVALS)
        _within("--most", self.most, self.first, MOST_INTERVALS)
        if self.warming not in (FUNCTIONAL, NO_WARMING):
            known = (FUNCTIONAL, NO_WARMING)
            raise InputError(f"--warming: {unknown(self.warming, 'one of', known)}")
        _check_figure(self.figure)
        self._check_points()
        for name in ("stacks", "activity"):
            if getattr(self, name) and self.figure:
                raise InputError(
                    f"--{name} cannot be used with --figure: an interval of figures has no window "
                    "of cycles in which anything could be counted. Remove one of them."
                )
        if not 0 < self.error < 1:
            raise InputError(
                f"--error: found {self.error:.4%}, expected more than 0% and less than 100%."
            )
        if not 0.5 <= self.confidence < 1:
            raise InputError(
                f"--confidence: found {self.confidence:.4%}, expected 50% to less than 100%."
            )

    def _check_points(self) -> None:
        known = (SYSTEMATIC, SIMPOINT)
        if self.points not in known:
            raise InputError(f"--points: {unknown(self.points, 'one of', known)}")
        _within("--clusters", self.clusters, 1, MOST_CLUSTERS)
        if self.are_drawn:
            if self.clusters != Settings().clusters:
                raise InputError(
                    f"--clusters cannot be used without --points {SIMPOINT}: intervals that are "
                    "drawn have no clusters. Remove it."
                )
            return
        if self.figure:
            raise InputError(
                f"--figure cannot be used with --points {SIMPOINT}: basic-block vectors are of "
                "intervals of instructions. Remove one of them."
            )
        for name in ("error", "confidence", "first", "most"):
            if getattr(self, name) != getattr(Settings(), name):
                raise InputError(
                    f"--{name} cannot be used with --points {SIMPOINT}: its intervals are not "
                    "drawn at random, so they have no confidence interval. Remove one of them."
                )

    def measuring(self) -> dict[str, Any]:
        """Return what decides which intervals there are and what is measured of each."""
        return {
            "interval": self.interval,
            "warm_up": self.warm_up,
            "chooses_warm_up": self.chooses_warm_up,
            "warming": self.warming,
            "figure": self.figure,
            "first": self.first,
            "seed": self.seed,
            "stacks": self.stacks,
            "activity": self.activity,
            "points": self.points,
            "clusters": self.clusters,
        }


def asked(given: Mapping[str, Any]) -> Settings:
    """Return the settings with some values given.

    The warm-up is chosen by what doubling it changes, unless its length is said or caches begin
    empty.

    Raises:
        TypeError: there is no such setting.
    """
    chooses = "warm_up" not in given and given.get("warming", FUNCTIONAL) == FUNCTIONAL
    return Settings(**{"chooses_warm_up": chooses, **given})


def _check_figure(text: str) -> None:
    try:
        groups = re.compile(text).groups
    except re.error as error:
        raise InputError(f"--figure: found {text}, expected an expression: {error}.") from error
    if text and groups != 1:
        raise InputError(
            f"--figure: found {groups} groups in {text}, expected one around the number, as in "
            "'cycles=([0-9]+)'."
        )


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
    """1 where intervals are of cycles."""
    quantum_cycles: int
    token_hash: str
    cpu_s: float
    is_finished: bool
    """Whether the workload ended by itself, and was not cut off at the last cycle."""
    unit: str = INSTRUCTIONS
    """What intervals are of."""
    figure_cycles: list[int] = field(default_factory=list)
    """In which figures were printed that are looked for."""
    points: list[list[int]] = field(default_factory=list)
    """Representatives of phases, each with the number of intervals it stands for."""
    cold: list[str] = field(default_factory=list)
    """Nodes with a cache that is not filled before a warm-up: an L2, or one of the memory."""

    @property
    def length(self) -> int:
        """The length of the workload in the unit of intervals."""
        if self.unit == FIGURES:
            return len(self.figure_cycles)
        return self.instructions if self.unit == INSTRUCTIONS else self.end_cycle - self.first_cycle

    @property
    def rate_name(self) -> str:
        """What is estimated of intervals of instructions or cycles."""
        is_cpi = self.unit == INSTRUCTIONS
        return "cycles per instruction" if is_cpi else "instructions per cycle"

    def population(self, settings: Settings) -> int:
        """Return how many intervals it has, one behind the other; the last has the rest, too."""
        if self.unit == FIGURES:
            return self.length // settings.interval
        cycles = self.end_cycle - self.first_cycle
        return cycles // (settings.interval * self.cycles_per_instruction)

    @property
    def waiting(self) -> float:
        """The share of its time in which the hart waited for an interrupt."""
        cycles = self.end_cycle - self.first_cycle
        return max(0.0, 1 - self.instructions * self.cycles_per_instruction / cycles)

    def start_cycle(self, unit: int, settings: Settings) -> int:
        """Return the functional cycle in which an interval begins, by its number."""
        length = settings.interval * self.cycles_per_instruction
        return self.first_cycle + unit * length


MOST_WAITING = 0.05
"""Share of the time in which a hart may wait: there are no intervals of waits."""


def check_population(whole: Whole, settings: Settings) -> None:
    """Refuse a workload with too few intervals, or one that waits.

    Raises:
        InputError: it is such a workload.
    """
    if whole.unit == INSTRUCTIONS and whole.waiting > MOST_WAITING:
        raise InputError(
            f"sample: found a hart that waits for interrupts in {whole.waiting:.0%} of the "
            f"functional run, expected {MOST_WAITING:.0%} at most: waits are not sampled."
        )
    found, least, shorter = whole.population(settings), settings.first + ENDS, "shorter"
    if not settings.are_drawn:
        least, shorter = settings.clusters + 1, "shorter, or --clusters less"
    if found < least:
        raise InputError(
            f"sample: found a workload of {whole.length:,} {whole.unit}, which has {found:,} "
            f"intervals of {settings.interval:,}, expected {least:,} at "
            f"least: make --interval {shorter}, or run the whole workload in RTL."
        )


def units_of(level: int, population: int, settings: Settings) -> list[int]:
    """Return the numbers of the intervals of a sample, in their order.

    The first and the last interval are always among them: a workload begins and ends unlike all
    else. What is between is cut into equal parts, and in each an interval is drawn by the seed: at
    equal distances a loop of the same length would always be met in the same place. Each level cuts
    every part in two and keeps the intervals of the level before.
    """
    between = population - ENDS
    if settings.first << level >= between:
        return list(range(population))
    found: list[int] = []
    for step in range(level + 1):
        count = settings.first << step
        edges = [part * between // count for part in range(count + 1)]
        taken = {bisect_right(edges, unit) - 1 for unit in found}
        for part in sorted(set(range(count)) - taken):
            draw = random.Random(f"{settings.seed} {count} {part}")
            found.append(draw.randrange(edges[part], edges[part + 1]))
    return [0, *(unit + 1 for unit in sorted(found)), population - 1]


def level_for(count: int, settings: Settings, population: int) -> int:
    """Return the first level that draws `count` intervals, or the last that is allowed."""
    between = population - ENDS
    level = 0
    while _count(level, settings, between) < min(count, between):
        if _count(level + 1, settings, between) > settings.most:
            break
        level += 1
    return level


def _count(level: int, settings: Settings, between: int) -> int:
    return min(settings.first << level, between)
