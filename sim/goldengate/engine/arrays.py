# SPDX-License-Identifier: BSD-3-Clause
"""Which registers lie side by side in the state, so that one of them is loaded at an index."""

from __future__ import annotations

from typing import NamedTuple

from goldengate.engine.fold import Folding
from goldengate.engine.nodes import Node


class Slot(NamedTuple):
    """The place of a register in an array of the state."""

    array: int
    at: int


class Arrays:
    """The arrays of a state; `slots` has the place of each register in one, by its key.

    Of copies of a module the keys are those of the first.
    """

    def __init__(self, folding: Folding) -> None:
        self.folding = folding
        self.slots: dict[object, Slot] = {}
        self.members: list[list[object]] = []
        staged = {item.index for item in folding.found.items if item.staged}
        for item in folding.found.items:
            if item.node is not None and item.node.op == "pick":
                self._lay_out(item.node, staged)

    def _first(self, key: object) -> object:
        place = self.folding.places.get(key)
        return key if place is None else place.first

    def _lay_out(self, pick: Node, staged: set[int]) -> None:
        """Make an array of what is picked from, unless some of it is elsewhere."""
        elements = [node.value for node in pick.args[1:] if node.op == "leaf"]
        places = [self.folding.places.get(key) for key in elements]
        homes = {None if place is None else (place.module, place.copy) for place in places}
        keys = list(dict.fromkeys(self._first(key) for key in elements))
        is_free = not any(key in self.slots for key in keys)
        if len(homes) == 1 and is_free and not any(key[1] in staged for key in elements):
            self.slots |= {key: Slot(len(self.members), at) for at, key in enumerate(keys)}
            self.members.append(keys)

    def run(self, elements: list[Node]) -> int:
        """Return how many of the first elements follow each other in an array."""
        found = 0
        start: Slot | None = None
        homes = set()
        for at, node in enumerate(elements):
            slot = self.slots.get(self._first(node.value)) if node.op == "leaf" else None
            place = self.folding.places.get(node.value) if node.op == "leaf" else None
            homes.add(None if place is None else (place.module, place.copy))
            start = slot if start is None else start
            if slot is None or start is None or len(homes) > 1:
                break
            if slot != Slot(start.array, start.at + at):
                break
            found += 1
        return found
