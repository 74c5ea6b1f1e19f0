# SPDX-License-Identifier: BSD-3-Clause
"""What a sample of intervals says of the whole: a mean, its confidence interval, its weaknesses.

Sampling as in SMARTS: R. Wunderlich, T. Wenisch, B. Falsafi and J. Hoe, "SMARTS:
Accelerating Microarchitecture Simulation via Rigorous Statistical Sampling", ISCA 2003. The
formulas are those of W. Cochran, "Sampling Techniques", 3rd edition, 1977. Intervals of skewed
values are wider, by P. Hall, "Inverting an Edgeworth Expansion", Annals of Statistics, 1983.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

FEWEST = 2
"""Values without which there is no deviation."""
STEPS = 80
"""Halvings in which a quantile is found: more than a number of 64 bits has digits."""
SKEWED = 25
"""Cochran's rule (2.15): the mean of more than 25 G1^2 values is nearly normal."""
CORRELATED = 2.0
"""Standard errors beyond which neighbours are said to depend on each other."""


@dataclass(frozen=True)
class Estimate:
    """An estimated mean of all intervals of a workload."""

    mean: float
    deviation: float
    """Standard deviation of the sample."""
    half_width: float
    """The mean of all intervals is within mean ± half_width, with the confidence asked for."""
    count: int

    @property
    def error(self) -> float:
        """The half width as a share of the mean; infinite where that is 0."""
        return abs(self.half_width / self.mean) if self.mean else math.inf


def weighted(values: Sequence[tuple[float, int]]) -> Estimate:
    """Return the mean of values by their weights; nothing is known of its error."""
    total = math.fsum(weight * value for value, weight in values)
    return Estimate(total / sum(weight for _, weight in values), math.nan, math.nan, len(values))


def _share_within(t: float, degrees: int) -> float:
    """Return the probability of |T| < t for Student's t (Abramowitz and Stegun, 26.7.3 and 4)."""
    angle = math.atan(t / math.sqrt(degrees))
    square = math.cos(angle) ** 2
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for step in range(degrees // 2):
        total += term
        number = 2 * step + 1 + odd
        term *= square * number / (number + 1)
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total


@lru_cache
def t_quantile(confidence: float, degrees: int) -> float:
    """Return the t that |T| of Student's distribution does not exceed with this probability."""
    low, high = 0.0, 1.0
    while _share_within(high, degrees) < confidence:
        high *= 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _share_within(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return high


def _skewness(rests: Sequence[float]) -> float:
    """Return G1 of values, of which their differences from their mean are given."""
    second = math.fsum(rest**2 for rest in rests) / len(rests)
    third = math.fsum(rest**3 for rest in rests) / len(rests)
    return third / (second * math.sqrt(second)) if second else 0.0


def half_width(
    rests: Sequence[float], population: int, confidence: float, size: float = 1
) -> tuple[float, float]:
    """Return the deviation of values in units of `size`, and the half width of their mean.

    `rests` are two differences from the mean at least. The half width is t s / sqrt(n)
    sqrt(1 - n / N) (Cochran, 2.5 and 2.8). Where values are skewed by G1, the interval of the mean
    lies G1 s (1 + 2 t^2) / 6 n beside that (Hall); this one has room for it at both ends.
    """
    count = len(rests)
    deviation = math.sqrt(math.fsum(rest * rest for rest in rests) / (count - 1)) / size
    left = max(0.0, 1 - count / population)
    t = t_quantile(confidence, count - 1)
    beside = abs(_skewness(rests)) * deviation * (1 + 2 * t * t) / (6 * count) * left
    return deviation, t * deviation * math.sqrt(left / count) + beside


def estimate(values: Sequence[float], population: int, confidence: float) -> Estimate:
    """Return the estimated mean of a population of intervals by that of a sample.

    Its half width is infinite for a single value.
    """
    count = len(values)
    mean = math.fsum(values) / count
    if count < FEWEST:
        return Estimate(mean, math.nan, 0.0 if population == count else math.inf, count)
    deviation, half = half_width([value - mean for value in values], population, confidence)
    return Estimate(mean, deviation, half, count)


def joined(found: Estimate, population: int, ends: Sequence[tuple[float, float]]) -> Estimate:
    """Return the estimated mean of a population and of values that are known, each with its weight.

    The known ones are a stratum of its own, measured whole (Cochran, 5.3). Those of the
    population weigh 1.
    """
    total = population + math.fsum(weight for _, weight in ends)
    known = math.fsum(value * weight for value, weight in ends)
    return replace(
        found,
        mean=(population * found.mean + known) / total,
        half_width=found.half_width * population / total,
    )


def widened(found: Estimate, by: float) -> Estimate:
    """Return an estimate whose half width has room for a bias, too."""
    return replace(found, half_width=found.half_width + by)


def needed(found: Estimate, error: float, population: int, confidence: float) -> int:
    """Return how many intervals an error takes by a first estimate: (t V / error)^2.

    V is the coefficient of variation (SMARTS), corrected for a small population.
    """
    if not found.mean or found.count < FEWEST:
        return population
    t = t_quantile(confidence, found.count - 1)
    endless = (t * found.deviation / found.mean / error) ** 2
    return max(FEWEST, math.ceil(endless / (1 + endless / population)))


def least_for_skewness(values: Sequence[float]) -> int:
    """Return how many values a mean takes to be nearly normal, by how skewed these are."""
    mean = math.fsum(values) / len(values)
    return math.ceil(SKEWED * _skewness([value - mean for value in values]) ** 2)


def serial_correlation(values: Sequence[float]) -> float:
    """Return the correlation of neighbours, in standard errors 1 / sqrt(n) of independent ones."""
    mean = math.fsum(values) / len(values)
    total = math.fsum((value - mean) ** 2 for value in values)
    if total == 0:
        return 0.0
    pairs = pairwise(values)
    products = math.fsum((a - mean) * (b - mean) for a, b in pairs)
    return products / total * math.sqrt(len(values))
