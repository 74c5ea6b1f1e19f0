# SPDX-License-Identifier: BSD-3-Clause
"""Step `sides`: which items of a zone only one side of a selection needs.

A selection (`mux`) takes one of two values, and what only the other one needs is evaluated in vain.
Selections by the same value become one `if`, with what only they need on its two sides, where that
is more than a branch costs. Sides hold further branches.

An item belongs to the innermost side that all its readers are on. Selections may be joined without
making a ring of what waits for what, because those of one branch have the same level: one more than
what they select from, counted from the end.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from goldengate.engine.costs import item_cost
from goldengate.engine.items import Item
from goldengate.engine.nodes import Node

LEAST_COST = 8.0
"""Operations on the sides of a branch below which both are evaluated."""
MOST_DEPTH = 60
"""Branches in branches; compilers have a limit of 256 brackets."""


@dataclass(eq=False)
class Side:
    """Where items are evaluated: in the zone itself, or on one side of a branch."""

    branch: Branch | None = None
    depth: int = 0
    entries: list[Item | Branch] = field(default_factory=list)
    cost: float = 0.0


@dataclass(eq=False)
class Branch:
    """Selections by one value: `high` is what is needed when it is 1, `low` when it is 0."""

    select: Node
    side: Side
    number: int
    muxes: list[Item] = field(default_factory=list)
    high: Side = field(default_factory=Side)
    low: Side = field(default_factory=Side)

    def __post_init__(self) -> None:
        self.high = Side(self, self.side.depth + 1)
        self.low = Side(self, self.side.depth + 1)


Use = tuple[int, str]
"""The number of an item in its zone that reads a value, and as what."""


class _Planner:
    """Finds the sides of the items of a zone, given which must be evaluated whenever it runs."""

    def __init__(
        self, items: list[Item], is_kept: Callable[[object], bool], least_cost: float
    ) -> None:
        self.items = items
        self.least_cost = least_cost
        self.is_kept = is_kept
        self.place = {
            item.node.uid: index for index, item in enumerate(items) if item.node is not None
        }
        self.uses = self._find_uses()
        self.flat: set[int] = set()
        """Selections that are not worth a branch."""

    def _find_uses(self) -> list[list[Use]]:
        found: list[list[Use]] = [[] for _ in self.items]
        for index, item in enumerate(self.items):
            node = item.node
            if node is not None and node.op == "mux":
                for role, arg in zip(("", "high", "low"), node.args, strict=True):
                    if arg.uid in self.place:
                        found[self.place[arg.uid]].append((index, role))
                continue
            for node in item.reads:
                if node.op != "leaf" and node.uid in self.place:
                    found[self.place[node.uid]].append((index, ""))
        return found

    def _branches(self, index: int) -> bool:
        node = self.items[index].node
        return node is not None and node.op == "mux" and index not in self.flat

    def _levels(self) -> list[int]:
        """Return for each item the branches between it and the end of the zone, at most."""
        found = [0] * len(self.items)
        for index in reversed(range(len(self.items))):
            for use, _ in self.uses[index]:
                found[index] = max(found[index], found[use] + self._branches(use))
        return found

    def plan(self) -> Side:
        """Return the zone itself, with its branches."""
        while True:
            root, side, branch = self._assign()
            flat = set()
            for index, one in branch.items():
                if one.high.cost + one.low.cost < self.least_cost or one.high.depth > MOST_DEPTH:
                    flat.add(index)
            if not flat:
                break
            self.flat |= flat
        self._fill(root, side, branch)
        return root

    def _assign(self) -> tuple[Side, list[Side], dict[int, Branch]]:
        """Return the zone itself, the side of each item and the branch of each selection."""
        root = Side()
        levels = self._levels()
        side = [root] * len(self.items)
        branch: dict[int, Branch] = {}
        order = sorted(
            range(len(self.items)),
            key=lambda index: (levels[index], self._branches(index), -index),
        )
        open_branches: dict[tuple[int, int, int], Branch] = {}
        for index in order:
            item = self.items[index]
            kept = item.node is None or not self.uses[index] or self.is_kept(item.node.uid)
            if not kept:
                side[index] = self._common(index, side, branch)
            own = side[index]
            if self._branches(index):
                assert item.node is not None
                key = (levels[index], item.node.args[0].uid, id(own))
                found = open_branches.get(key)
                if found is None:
                    found = Branch(item.node.args[0], own, index)
                    open_branches[key] = found
                found.muxes.append(item)
                branch[index] = found
            cost = item_cost(item)
            at: Side | None = own
            while at is not None:
                at.cost += cost
                at = at.branch.side if at.branch is not None else None
        return root, side, branch

    def _common(self, index: int, side: list[Side], branch: dict[int, Branch]) -> Side:
        """Return the innermost side that all readers of an item are on."""
        found: Side | None = None
        for use, role in self.uses[index]:
            at = side[use]
            if role and use in branch:
                at = branch[use].high if role == "high" else branch[use].low
            found = at if found is None else _join(found, at)
        assert found is not None
        return found

    def _fill(self, root: Side, side: list[Side], branch: dict[int, Branch]) -> None:
        """Put items and branches into their sides, each after what it waits for."""
        members: dict[int, list[Item | Branch]] = {}
        sides: dict[int, Side] = {id(root): root}
        entry: list[Item | Branch] = []
        known: set[int] = set()
        for index, item in enumerate(self.items):
            one: Item | Branch = branch.get(index, item)
            entry.append(one)
            sides.setdefault(id(side[index]), side[index])
            if id(one) not in known:
                known.add(id(one))
                members.setdefault(id(side[index]), []).append(one)
        before = self._waits(side, entry)
        for number, entries in members.items():
            sides[number].entries = _ordered(entries, before)

    def _waits(self, side: list[Side], entry: list[Item | Branch]) -> dict[int, set[int]]:
        """Return, for each entry of a side, those of the same side that it waits for."""
        before: dict[int, set[int]] = {}
        place_of_item = {item.number: index for index, item in enumerate(self.items)}

        for index, uses in enumerate(self.uses):
            for use, role in uses:
                reader = entry[use]
                inner: Item | Branch | None = reader
                at = side[use]
                if role and isinstance(reader, Branch):
                    inner, at = None, reader.high if role == "high" else reader.low
                while at is not side[index]:
                    assert at.branch is not None
                    inner, at = at.branch, at.branch.side
                if inner is not None:
                    before.setdefault(id(inner), set()).add(id(entry[index]))
        for index, item in enumerate(self.items):
            for number in item.before if not item.staged else ():
                other = place_of_item.get(number)
                if other is not None:
                    self._wait_outside(other, index, side, entry, before)
        return before

    def _wait_outside(
        self,
        first: int,
        second: int,
        side: list[Side],
        entry: list[Item | Branch],
        before: dict[int, set[int]],
    ) -> None:
        """Let a sink wait for an item that may be on a side."""
        inner: Item | Branch = entry[first]
        at = side[first]
        while at.branch is not None:
            inner, at = at.branch, at.branch.side
        before.setdefault(id(entry[second]), set()).add(id(inner))


def _join(a: Side, b: Side) -> Side:
    while a is not b:
        if a.depth < b.depth:
            a, b = b, a
        assert a.branch is not None
        a = a.branch.side
    return a


def _ordered(entries: list[Item | Branch], before: dict[int, set[int]]) -> list[Item | Branch]:
    """Return entries of a side, each after those it waits for, else in their order."""
    places = {id(entry): index for index, entry in enumerate(entries)}
    waiting = {id(entry): len(before.get(id(entry), ())) for entry in entries}
    after: dict[int, list[int]] = {}
    for entry in entries:
        for other in before.get(id(entry), ()):
            after.setdefault(other, []).append(id(entry))
    ready = [places[number] for number, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    found: list[Item | Branch] = []
    while ready:
        entry = entries[heapq.heappop(ready)]
        found.append(entry)
        for other in after.get(id(entry), ()):
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(ready, places[other])
    assert len(found) == len(entries), "sides wait for each other"
    return found


def plan(
    items: list[Item], is_kept: Callable[[object], bool], least_cost: float = LEAST_COST
) -> Side:
    """Return a zone with its branches; values for which `is_kept` are evaluated in any case.

    With less than `least_cost` on its sides together a branch does not pay.
    """
    return _Planner(items, is_kept, least_cost).plan()
