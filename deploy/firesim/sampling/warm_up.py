# SPDX-License-Identifier: BSD-3-Clause
"""How long a warm-up is long enough: twice its length changes nothing that matters any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from firesim.sampling.folder import MEASURED, Interval, SampleFolder
from firesim.sampling.settings import Settings, Whole, units_of
from firesim.sampling.statistics import FEWEST, Estimate, estimate, weighted

SHARE_OF_ERROR = 0.1
"""Of the error asked for: what the warm-up may change. At 95 % that is 0.2 standard errors, and a
bias of so much leaves 94.5 % (W. Cochran, "Sampling Techniques", 1.8)."""
MOST_DOUBLINGS = 5
ENDLESS = 10**18
"""Population of the changes: what is asked is whether there are any."""

Measure = Callable[[Sequence[int], int], None]
"""Measures intervals, given by their numbers, behind a warm-up."""


@dataclass(frozen=True)
class Bias:
    """What doubling a warm-up changes, and what it may leave."""

    change: Estimate
    """Of the figure that the error is asked of, by the doubled warm-up."""
    shorter: int
    """The warm-up that was doubled."""
    warm_up: int
    """The one before the intervals that count: `shorter`, or twice that."""

    @property
    def left(self) -> float:
        """The most that is left behind `warm_up`, if each doubling halves it at least."""
        return abs(self.change.mean) * (1 if self.warm_up > self.shorter else 2)

    def share_of(self, mean: float) -> float:
        """Return what may be left as a share of the estimate."""
        return self.left / abs(mean) if mean else 0.0


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


def _change(
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


def bias_of(folder: SampleFolder, whole: Whole, warm_up: int) -> Bias | None:
    """Return what doubling changed at last; None where that was not measured."""
    settings = folder.settings
    is_doubled = settings.chooses_warm_up and warm_up > settings.warm_up
    shorter = warm_up // 2 if is_doubled else warm_up
    change = _change(folder, whole, compared(settings, whole), shorter)
    return Bias(change, shorter, warm_up) if change is not None else None


def matters(change: Estimate, value: float, settings: Settings) -> bool:
    """Return whether a change is more than chance, and more than the error asked for allows."""
    is_chance = abs(change.mean) <= change.half_width
    return not is_chance and abs(change.mean) > abs(value) * settings.error * SHARE_OF_ERROR


def chosen(folder: SampleFolder, whole: Whole, measure: Measure) -> int:
    """Return the length of the warm-up: as asked for, or doubled until that changes nothing.

    It is doubled once at least, so that what that changes is known, and never to more than half
    of the workload.
    """
    settings = folder.settings
    warm_up = settings.warm_up
    if not settings.chooses_warm_up:
        return warm_up
    units = compared(settings, whole)
    measure(units, warm_up)
    for _ in range(MOST_DOUBLINGS):
        if 4 * warm_up > whole.length:
            break
        measure(units, 2 * warm_up)
        change = _change(folder, whole, units, warm_up)
        found = [one for one in folder.intervals(units, warm_up) if one.state == MEASURED]
        values = [value for one in found if (value := value_of(one, whole, settings)) is not None]
        warm_up *= 2
        if change is None or not matters(change, fmean(values), settings):
            break
    return warm_up
