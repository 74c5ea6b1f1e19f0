# SPDX-License-Identifier: BSD-3-Clause
"""What the intervals of a sample stand for, and what is counted in them weighted to the whole.

Weights are fractions and not floats, so that parts add up to the whole exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from firesim.sampling.estimates import drawn_of, represented_by
from firesim.sampling.folder import MEASURED, Interval
from firesim.sampling.settings import ENDS, Settings, Whole

Counts = Mapping[str, int]


def weights_of(found: Sequence[Interval], whole: Whole, settings: Settings) -> dict[int, Fraction]:
    """Return how many intervals each measured one stands for, by its number.

    The first and the last stand for themselves, those drawn for all between, and representatives
    for the intervals of their phase, as in the estimate.
    """
    if not settings.are_drawn:
        return {unit: Fraction(size) for unit, size in represented_by(found, whole).items()}
    population = whole.population(settings)
    drawn = {one.unit for one in drawn_of(found, whole, settings)}
    between = Fraction(population - ENDS, max(1, len(drawn)))
    measured = [one.unit for one in found if one.state == MEASURED]
    return {unit: between if unit in drawn else Fraction(1) for unit in measured}


def weighted(counts: Mapping[int, Counts], weights: Mapping[int, Fraction], total: int) -> Counts:
    """Return the counts of the whole by those of its intervals: whole numbers that sum to `total`.

    What is left when each is rounded down goes to those that lost most, in order of their names
    where they lost the same.
    """
    exact: Counter[str] = Counter()
    for unit, found in counts.items():
        for name, count in found.items():
            exact[name] += weights[unit] * count  # type: ignore[assignment]
    every = sum(exact.values())
    if not every:
        return {}
    shares = {name: Fraction(value) * total / every for name, value in exact.items()}
    whole = {name: int(share) for name, share in shares.items()}
    left = total - sum(whole.values())
    for name in sorted(shares, key=lambda name: (whole[name] - shares[name], name))[:left]:
        whole[name] += 1
    return {name: whole[name] for name in sorted(whole) if whole[name]}
