# SPDX-License-Identifier: BSD-3-Clause
"""How long a warm-up is long enough: one with twice its length changes nothing any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from firesim.sampling.folder import MEASURED, Interval, SampleFolder
from firesim.sampling.settings import Settings, Whole, units_of
from firesim.sampling.statistics import FEWEST, Estimate, estimate, weighted

SHARE_OF_ERROR = 0.25
"""Of the error asked for: what the warm-up may change."""
ENDLESS = 10**18
"""Population of the changes: what is asked is whether there are any."""

Measure = Callable[[Sequence[int], int], None]
"""Measures intervals, given by their numbers, behind a warm-up."""


def compared(settings: Settings, whole: Whole) -> list[int]:
    """Return the intervals that are measured with two warm-ups.

    These are all but the ends of the first that are drawn, or all representatives.
    """
    if not settings.are_drawn:
        return [unit for unit, _ in whole.points]
    return units_of(0, whole.population(settings), settings)[1:-1]


def value_of(found: Interval, whole: Whole, settings: Settings) -> float | None:
    """Return the figure of an interval that the error is asked of; None where it has none."""
    if settings.figure:
        return fmean(found.figures) if found.figures else None
    return found.rate(whole)


def bias_of(
    folder: SampleFolder, whole: Whole, units: Sequence[int], warm_up: int
) -> Estimate | None:
    """Return what a doubled warm-up changes; None where that was not measured.

    Nothing is known of the error where intervals were not drawn at random.
    """
    settings = folder.settings
    pairs = [(folder.interval(unit, warm_up), folder.interval(unit, 2 * warm_up)) for unit in units]
    values = [
        (before.unit, value_of(before, whole, settings), value_of(after, whole, settings))
        for before, after in pairs
        if before and after and before.state == after.state == MEASURED
    ]
    changes = {unit: b - a for unit, a, b in values if a is not None and b is not None}
    if not settings.are_drawn and changes:
        return weighted([(changes[unit], size) for unit, size in whole.points if unit in changes])
    if len(changes) < FEWEST:
        return None
    return estimate(list(changes.values()), ENDLESS, folder.settings.confidence)


def matters(bias: Estimate, value: float, settings: Settings) -> bool:
    """Return whether a bias is more than chance, and more than the error asked for allows."""
    is_chance = abs(bias.mean) <= bias.half_width
    return not is_chance and abs(bias.mean) > value * settings.error * SHARE_OF_ERROR


def chosen(folder: SampleFolder, whole: Whole, measure: Measure) -> int:
    """Return the length of the warm-up: as asked for, or doubled until that changes nothing.

    None is longer than half of the workload.
    """
    settings = folder.settings
    warm_up = settings.warm_up
    if not settings.chooses_warm_up:
        return warm_up
    units = compared(settings, whole)
    measure(units, warm_up)
    while 4 * warm_up <= whole.length:
        measure(units, 2 * warm_up)
        bias = bias_of(folder, whole, units, warm_up)
        found = [one for one in folder.intervals(units, warm_up) if one.state == MEASURED]
        values = [value for one in found if (value := value_of(one, whole, settings)) is not None]
        if bias is None or not matters(bias, fmean(values), settings):
            break
        warm_up *= 2
    return warm_up
