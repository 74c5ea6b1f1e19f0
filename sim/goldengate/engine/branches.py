# SPDX-License-Identifier: BSD-3-Clause
"""Step `branches`: which changes of a value are not worth a branch.

A value that other zones read is compared with what it was, and mostly it is the same: a branch
that is foreseen costs next to nothing. Where training shows a change that a branch predictor could
not foresee, the flags of the readers are set without a branch.
"""

from __future__ import annotations

from goldengate.engine.emit import Emitter
from goldengate.engine.items import Item
from goldengate.engine.profile import Profile

WINDOW = 32
"""Samples over which a predictor is taken to learn how often a value changes."""
MOST_MISSED = 0.15
"""A branch may be foreseen wrongly in this share of its runs."""
MOST_FLAGS = 3
"""More flags than these cost more than a branch foreseen wrongly now and then."""


def missed(changed: int, active: int, samples: int) -> int:
    """Return how often a predictor that knows the share of changes of a window is wrong."""
    part, found = (1 << WINDOW) - 1, 0
    for start in range(0, samples, WINDOW):
        ones = (changed >> start & part).bit_count()
        found += min(ones, max(0, (active >> start & part).bit_count() - ones))
    return found


def stored(emitter: Emitter, item: Item) -> object:
    """Return the key of what an item stores, if other zones read it."""
    if item.kind == "update":
        return emitter.design.registers[item.index].leaf.value
    return item.node.uid if item.node is not None else None


def erratic(emitter: Emitter, profile: Profile) -> set[object]:
    """Return the keys of the values whose changes are not branched on."""
    found: set[object] = set()
    for zone in emitter.zones:
        units = [emitter.folding.unit(item) for item in zone.items]
        active = profile.of_units(units)
        for unit in units:
            keys = [stored(emitter, item) for item in unit.items]
            flags = len(emitter.flags_of.get(keys[0], ()))
            if not 0 < flags <= MOST_FLAGS:
                continue
            samples = profile.samples * len(keys)
            wrong = missed(profile.of(keys), active, samples)
            if wrong > MOST_MISSED * active.bit_count():
                found.add(keys[0])
    return found
