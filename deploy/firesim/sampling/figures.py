# SPDX-License-Identifier: BSD-3-Clause
"""What figures that a workload prints in its intervals say of all that it prints.

An interval has any number of figures, so their mean is a ratio of two estimates (W. Cochran,
"Sampling Techniques", 6.3), and the intervals of percentiles are from the bootstrap: samples of as
many intervals are drawn again and again from those that were measured (B. Efron, "Bootstrap
Methods: Another Look at the Jackknife", Annals of Statistics, 1979).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from firesim.metrics.percentiles import SHARES
from firesim.sampling.statistics import FEWEST, Estimate, t_quantile

RESAMPLES = 1000


@dataclass(frozen=True)
class Percentile:
    """An estimated percentile, and between which values it lies with the confidence asked for."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Figures:
    """What the figures of all intervals say."""

    count: int
    mean: Estimate
    percentiles: dict[str, Percentile]


def ratio(values: Sequence[Sequence[float]], population: int, confidence: float) -> Estimate:
    """Return the estimated mean of the figures in a population of intervals."""
    count = len(values)
    total = sum(len(of) for of in values)
    mean = math.fsum(chain(*values)) / total
    if count < FEWEST:
        return Estimate(mean, math.nan, math.inf, count)
    rests = [math.fsum(of) - mean * len(of) for of in values]
    deviation = math.sqrt(math.fsum(rest * rest for rest in rests) / (count - 1)) / (total / count)
    left = max(0.0, 1 - count / population)
    half = t_quantile(confidence, count - 1) * deviation * math.sqrt(left / count)
    return Estimate(mean, deviation, half, count)


def _nearest(ordered: Sequence[float], share: float) -> float:
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def figures_of(
    values: Sequence[Sequence[float]], population: int, confidence: float
) -> Figures | None:
    """Return what the figures of some intervals say; None where there is none."""
    every = sorted(chain(*values))
    if not every:
        return None
    draw = random.Random(f"{len(values)} {len(every)}")  # one result for one sample
    drawn: dict[str, list[float]] = {name: [] for name in SHARES}
    for _ in range(RESAMPLES):
        again = sorted(chain(*draw.choices(values, k=len(values))))
        for name, share in SHARES.items() if again else ():
            drawn[name].append(_nearest(again, float(share)))
    outside = (1 - confidence) / 2
    percentiles = {}
    for name, share in SHARES.items():
        ordered = sorted(drawn[name])
        low, high = _nearest(ordered, outside), _nearest(ordered, 1 - outside)
        percentiles[name] = Percentile(_nearest(every, float(share)), low, high)
    return Figures(len(every), ratio(values, population, confidence), percentiles)
