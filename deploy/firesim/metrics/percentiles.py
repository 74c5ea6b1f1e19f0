# SPDX-License-Identifier: BSD-3-Clause
"""Percentiles of histograms: exact where each bin is one value, else the bounds of the bin.

A percentile is the least counted value that as many percent of all counted values, or more, do not
exceed: the nearest rank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

SHARES = {"p50": Fraction(1, 2), "p95": Fraction(19, 20), "p99": Fraction(99, 100)}
"""Parts of all counted values, by what the percentile is called."""
HISTOGRAM_FUNCTIONS = ("mean", *SHARES, "largest")


@dataclass(frozen=True)
class Bin:
    """Values from `low` to `high`, both included, and how many were counted."""

    low: int
    high: int
    count: int


@dataclass(frozen=True)
class Bounds:
    """Where a percentile lies; it is exact where both ends are the same."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        """Whether the value itself is known."""
        return self.low == self.high


def percentile_of(bins: Sequence[Bin], share: Fraction, largest: int | None = None) -> Bounds:
    """Return between which values a percentile lies; bins in rising order.

    `largest` is the largest value that was counted, where that is known: nothing lies above it.

    Raises:
        ValueError: nothing was counted.
    """
    total = sum(one.count for one in bins)
    if total <= 0:
        raise ValueError("found no counts, expected one at least")
    rank = max(1, math.ceil(share * total))
    reached = 0
    for one in bins:
        reached += one.count
        if reached >= rank:
            high = one.high if largest is None else max(one.low, min(one.high, largest))
            return Bounds(one.low, high)
    raise AssertionError("the counts add up")


def bins_of(counts: Sequence[float]) -> list[Bin]:
    """Return the bins of a vector of which each value was counted by itself: they are exact."""
    return [Bin(value, value, int(count)) for value, count in enumerate(counts)]


def histogram_value(what: str, counts: Sequence[float]) -> float | None:
    """Return what one of HISTOGRAM_FUNCTIONS says of a vector; None where nothing was counted."""
    bins = [one for one in bins_of(counts) if one.count > 0]
    total = sum(one.count for one in bins)
    if not bins or min(counts) < 0:
        return None
    if what == "mean":
        return sum(one.low * one.count for one in bins) / total
    return float(bins[-1].low if what == "largest" else percentile_of(bins, SHARES[what]).low)
