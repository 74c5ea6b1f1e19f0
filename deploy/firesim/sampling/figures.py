# SPDX-License-Identifier: BSD-3-Clause
"""What figures that a workload prints in its intervals say of all that it prints.

An interval has any number of figures, so their mean is a ratio of two estimates (W. Cochran,
"Sampling Techniques", 6.3). The confidence intervals of percentiles are Woodruff's: the share of
figures up to a percentile is such a mean, and the figures at both ends of its interval are the ends
of that of the percentile (R. Woodruff, "Confidence Intervals for Medians and Other Position
Measures", Journal of the American Statistical Association, 1952).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from firesim.metrics.percentiles import SHARES
from firesim.sampling.statistics import FEWEST, Estimate, half_width, t_quantile


@dataclass(frozen=True)
class Percentile:
    """An estimated percentile, and between which values it lies with the confidence asked for.

    An end is infinite where the sample has too few figures to have any beyond it.
    """

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
    deviation, half = half_width(rests, population, confidence, total / count)
    return Estimate(mean, deviation, half, count)


def _nearest(ordered: Sequence[float], share: float) -> float:
    """Return the value that a share of the values does not exceed; infinite where there is none."""
    rank = math.ceil(share * len(ordered))
    if rank > len(ordered):
        return math.inf
    return ordered[rank - 1] if rank > 0 else -math.inf


def _percentile(
    values: Sequence[Sequence[float]], share: float, population: int, confidence: float
) -> Percentile:
    """Return a percentile of the figures of some intervals.

    The share of figures up to it is at least as uncertain as that of independent figures is: few
    intervals may look alike by chance.
    """
    every = sorted(chain(*values))
    value = _nearest(every, share)
    up_to = [[float(figure <= value) for figure in of] for of in values]
    half = ratio(up_to, population, confidence).half_width
    if len(values) >= FEWEST:
        left = max(0.0, 1 - len(values) / population)
        alone = math.sqrt(share * (1 - share) / len(every) * left)
        half = max(half, t_quantile(confidence, len(values) - 1) * alone)
    return Percentile(value, _nearest(every, share - half), _nearest(every, share + half))


def figures_of(
    values: Sequence[Sequence[float]], population: int, confidence: float
) -> Figures | None:
    """Return what the figures of some intervals say; None where there is none."""
    count = sum(len(of) for of in values)
    if not count:
        return None
    percentiles = {
        name: _percentile(values, float(share), population, confidence)
        for name, share in SHARES.items()
    }
    return Figures(count, ratio(values, population, confidence), percentiles)
