# SPDX-License-Identifier: BSD-3-Clause
"""Step `predict`: what a cycle of a model costs, by what was seen in training.

A cost is that of operations evaluated, zones asked for and called, values compared, and branches
that go the rarer way. It says which of two cuts of a design is faster, and no time.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldengate.engine import asks, branches
from goldengate.engine.costs import item_cost
from goldengate.engine.emit import Emitter
from goldengate.engine.items import Item
from goldengate.engine.profile import Profile
from goldengate.engine.sides import Branch, Side
from goldengate.engine.zones import MISPREDICT_COST, RUN_COST

COMPARE_COST = 1.0
"""Of comparing a value with what it was, when the branch is foreseen."""
BRANCH_COST = 1.0
"""Of a branch on a selection; its sides are taken to be needed in every other cycle."""


@dataclass(frozen=True)
class Cost:
    """What a cycle costs on average, in operations, by what for."""

    asking: float
    running: float
    operations: float
    comparing: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.asking + self.running + self.operations + self.comparing


def _expected(side: Side) -> float:
    """Return what evaluating a side costs on average."""
    found = float(len(side.stores))
    for entry in side.entries:
        if isinstance(entry, Branch):
            found += BRANCH_COST + len(entry.muxes)
            found += (_expected(entry.high) + _expected(entry.low)) / 2
        else:
            found += item_cost(entry)
    return found


def _comparing(emitter: Emitter, items: list[Item], seen: Profile) -> float:
    """Return what comparing the values of a zone costs over all samples."""
    units = [emitter.folding.unit(item) for item in items]
    active, found = seen.of_units(units), 0.0
    runs = active.bit_count()
    for unit in units:
        keys = [branches.stored(emitter, item) for item in unit.items]
        flags = len(emitter.flags_of.get(keys[0], ()))
        if not flags:
            continue
        found += runs * COMPARE_COST
        if keys[0] in emitter.erratic:
            found += runs * flags
        else:
            missed = branches.missed(seen.of(keys), active, seen.samples * len(keys))
            found += missed * MISPREDICT_COST
    return found


def whole(emitter: Emitter) -> Cost:
    """Return what a cycle costs in which everything is evaluated."""
    operations = (_expected(emitter.plan(index)) for index in range(len(emitter.zones)))
    return Cost(0.0, RUN_COST * len(emitter.zones), sum(operations), 0.0)


def zoned(emitter: Emitter, seen: Profile) -> Cost:
    """Return what a cycle costs of a model whose zones run when something has changed."""
    samples = max(1, seen.samples)
    called = operations = comparing = 0.0
    for index, zone in enumerate(emitter.zones):
        runs = seen.of_units(emitter.folding.unit(item) for item in zone.items).bit_count()
        if not runs:
            continue
        called += runs * RUN_COST
        operations += runs * _expected(emitter.plan(index))
        comparing += _comparing(emitter, zone.items, seen)
    parts = (asks.cost(emitter, seen), called, operations, comparing)
    return Cost(*(part / samples for part in parts))
