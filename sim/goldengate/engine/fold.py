# SPDX-License-Identifier: BSD-3-Clause
"""Step `fold`: what the copies of a module have in common is scheduled and compiled once.

A unit is what is scheduled: an item, or the items of all copies that correspond. A unit of several
items runs for one copy after the other, by the same code.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from goldengate.engine import copies
from goldengate.engine.items import Item, Items, successors
from goldengate.engine.match import Matcher, Places

LEAST_SAVED = 2000
"""Items below which sharing code does not pay: what is shared is cut apart from all else."""


@dataclass(frozen=True)
class Unit:
    """Items that are scheduled together; `module` says of which module's copies they are."""

    items: tuple[Item, ...]
    module: int | None = None


@dataclass
class Folding:
    """A design with its units; without `modules` every item is a unit, of the same number.

    `modules` holds the number of copies of each module; `places` says where the values of copies
    belong. What is not in it belongs to no copy.
    """

    found: Items
    units: list[Unit]
    modules: list[int] = field(default_factory=list)
    places: Places = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.unit_of = [0] * len(self.found.items)
        for number, unit in enumerate(self.units):
            for item in unit.items:
                self.unit_of[item.number] = number
        by_copy = sorted(self.places.items(), key=lambda entry: entry[1].copy)
        self.members: dict[object, list[object]] = {place.first: [] for _, place in by_copy}
        """For the key of a value of a first copy, those of all copies."""
        for key, place in by_copy:
            self.members[place.first].append(key)

    def unit(self, item: Item) -> Unit:
        """Return the unit that an item belongs to."""
        return self.units[self.unit_of[item.number]]

    def predecessors(self) -> list[set[int]]:
        """Return, for each unit, those that must come before it; itself, if it is in a ring."""
        found = []
        for unit in self.units:
            needed = {n for item in unit.items for n in self.found.predecessors(item)}
            found.append({self.unit_of[number] for number in needed})
        return found


def single(found: Items) -> Folding:
    """Return a design in which nothing is shared."""
    return Folding(found, [Unit((item,)) for item in found.items])


def _in_rings(predecessors: list[set[int]]) -> set[int]:
    """Return the units that wait for themselves, and those between two such rings."""
    after = successors(predecessors)
    left = set(range(len(predecessors)))
    edges: Sequence[Collection[int]]
    back: Sequence[Collection[int]]
    for edges, back in ((predecessors, after), (after, predecessors)):
        waiting = [len(before) for before in edges]
        ready = [number for number, count in enumerate(waiting) if count == 0]
        while ready:
            number = ready.pop()
            left.discard(number)
            for other in back[number]:
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
    return left


def _without_rings(folding: Folding) -> Folding:
    """Take units apart that would have to run before themselves.

    What leads from one copy of a module through others to another copy is no ring in the design.
    """
    while True:
        rings = _in_rings(folding.predecessors())
        shared = {number for number in rings if folding.units[number].module is not None}
        if not shared:
            return folding
        units = [unit for number, unit in enumerate(folding.units) if number not in shared]
        units += [
            Unit((item,)) for number in sorted(shared) for item in folding.units[number].items
        ]
        folding = Folding(folding.found, units, folding.modules, folding.places)


def _drop(places: Places, module: int) -> None:
    for key in [key for key, place in places.items() if place.module == module]:
        del places[key]


def fold(
    found: Items, *, least_saved: int = LEAST_SAVED, least_state: int = copies.LEAST_STATE
) -> Folding:
    """Return the units of a design.

    Modules with less state are not looked at; those whose copies save fewer items are not shared.
    """
    places: Places = {}
    shared: set[object] = set()
    modules: list[int] = []
    units: list[Unit] = []
    taken: set[int] = set()
    for alike in copies.find(found.design, least_state):
        number, count = len(modules), len(alike.paths)
        matcher = Matcher(found, number, alike, places, shared)
        matcher.run()
        if len(matcher.tuples) * (count - 1) < least_saved:
            _drop(places, number)
            continue
        modules.append(count)
        units += [Unit(items, number) for items in matcher.tuples]
        taken |= {item.number for items in matcher.tuples for item in items}
    units += [Unit((item,)) for item in found.items if item.number not in taken]
    # In the order of the first items: what belongs together stays together.
    units.sort(key=lambda unit: unit.items[0].number)
    return _without_rings(Folding(found, units, modules, places))
