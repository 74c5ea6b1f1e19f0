# SPDX-License-Identifier: BSD-3-Clause
"""What intervals say of the whole workload: its first and last as they are, the rest as drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesim.sampling.figures import Figures, figures_of
from firesim.sampling.folder import MEASURED, Interval
from firesim.sampling.settings import ENDS, FIGURES, Settings, Whole
from firesim.sampling.statistics import FEWEST, Estimate, estimate, joined, weighted

Value = Callable[[Interval], float]


def drawn_of(found: Sequence[Interval], whole: Whole, settings: Settings) -> list[Interval]:
    """Return the measured intervals that were drawn: all but the workload's first and last."""
    last = whole.population(settings) - 1
    return [one for one in found if one.state == MEASURED and 0 < one.unit < last]


def mean_of(
    found: Sequence[Interval], whole: Whole, settings: Settings, value: Value
) -> Estimate | None:
    """Return the estimated mean of a value over the whole; None where too few were measured."""
    if not settings.are_drawn:
        return _represented(found, whole, value)
    drawn = drawn_of(found, whole, settings)
    if len(drawn) < FEWEST:
        return None
    population = whole.population(settings)
    between = estimate([value(one) for one in drawn], population - ENDS, settings.confidence)
    ends = [one for one in found if one.state == MEASURED and one.unit in (0, population - 1)]
    known = [(value(one), one.size(whole) / settings.interval) for one in ends]
    return joined(between, population - ENDS, known)


def _represented(found: Sequence[Interval], whole: Whole, value: Value) -> Estimate | None:
    """Return the mean of representatives by what each stands for; nothing is known of its error."""
    sizes = represented_by(found, whole)
    values = [(value(one), sizes[one.unit]) for one in found if one.unit in sizes]
    return weighted(values) if values else None


def represented_by(found: Sequence[Interval], whole: Whole) -> dict[int, int]:
    """Return how many intervals each measured representative stands for, by its number."""
    sizes = {unit: size for unit, size in whole.points}
    return {one.unit: sizes[one.unit] for one in found if one.state == MEASURED}


def rate_of(found: Sequence[Interval], whole: Whole, settings: Settings) -> Estimate | None:
    """Return the estimated cycles per instruction, or instructions per cycle, of the whole.

    None where intervals are of figures.
    """
    if whole.unit == FIGURES:
        return None
    return mean_of(found, whole, settings, lambda one: one.rate(whole))


def event_of(
    name: str, found: Sequence[Interval], whole: Whole, settings: Settings
) -> Estimate | None:
    """Return the estimated count of an event in 1,000 instructions, or cycles, of the whole."""

    def in_1000(one: Interval) -> float:
        return 1000 * one.events.get(name, 0) / one.size(whole)

    return mean_of(found, whole, settings, in_1000)


def printed_of(found: Sequence[Interval], whole: Whole, settings: Settings) -> Figures | None:
    """Return what the figures that consoles printed say; None where there is none."""
    values = [one.figures for one in drawn_of(found, whole, settings)]
    return figures_of(values, whole.population(settings) - ENDS, settings.confidence)


def wanted_of(found: Sequence[Interval], whole: Whole, settings: Settings) -> Estimate | None:
    """Return the estimate that the error is asked of: a figure's mean if one is looked for."""
    if not settings.figure:
        return rate_of(found, whole, settings)
    printed = printed_of(found, whole, settings)
    return printed.mean if printed else None
