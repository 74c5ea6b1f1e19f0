# SPDX-License-Identifier: BSD-3-Clause
"""Step `sides`: which items of a zone only one side of a selection needs.

A selection (`mux`) takes one of two values, and what only the other one needs is evaluated in vain.
Selections by the same value become one `if`, with what only they need on its two sides, where that
is more than a branch costs. Sides hold further branches.

An item belongs to the innermost side that all its readers are on, so that sides are found from the
end. Selections of one branch are all ready at one moment, when what reads them has its side; hence
none of them waits for another, and no ring of what waits for what is made.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from goldengate.engine.costs import item_cost
from goldengate.engine.design import Register
from goldengate.engine.items import Item
from goldengate.engine.nodes import Node
from goldengate.engine.order import Order, Soft, Waits

LEAST_COST = 8.0
"""Operations on the sides of a branch below which both are evaluated."""
STORE_COST = 2.0
"""Of loading and storing a register that keeps its value."""
MOST_DEPTH = 60
"""Branches in branches; compilers have a limit of 256 brackets."""


@dataclass(eq=False)
class Side:
    """Where items are evaluated: in the zone itself, or on one side of a branch."""

    branch: Branch | None = None
    depth: int = 0
    entries: list[Item | Branch] = field(default_factory=list)
    stores: list[tuple[Item, Node]] = field(default_factory=list)
    """Updates of registers at its end, with what they store."""
    cost: float = 0.0


@dataclass(eq=False)
class Branch:
    """Selections by one value: `high` is what is needed when it is 1, `low` when it is 0."""

    select: Node
    side: Side
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
        self,
        items: list[Item],
        registers: list[Register],
        is_kept: Callable[[object], bool],
        least_cost: float,
    ) -> None:
        self.items = items
        self.registers = registers
        self.least_cost = least_cost
        self.is_kept = is_kept
        self.place = {
            item.node.uid: index for index, item in enumerate(items) if item.node is not None
        }
        self.uses = self._find_uses()
        self.arguments = self._find_arguments()
        self.flat: set[int] = set()
        """Selections that are not worth a branch."""
        self.late: set[int] = set()
        """Updates that must come behind what reads the register after their branches."""
        self.carried: dict[int, int] = {}
        """The update that each selection makes on its sides, instead of giving a value."""

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

    def _find_arguments(self) -> list[list[int]]:
        """Return, for each item, those whose values it reads, one for each use."""
        found: list[list[int]] = [[] for _ in self.items]
        for index, uses in enumerate(self.uses):
            for use, _ in uses:
                found[use].append(index)
        return found

    def _branches(self, index: int) -> bool:
        node = self.items[index].node
        return node is not None and node.op == "mux" and index not in self.flat

    def _carry(self) -> None:
        """Find the updates that selections make on their sides: of registers that keep their value
        on one of them."""
        self.carried = {}
        for update, item in enumerate(self.items):
            if item.kind != "update" or item.staged or update in self.late:
                continue
            leaf = self.registers[item.index].leaf
            todo = list(self.arguments[update])
            while todo:
                index = todo.pop()
                if not self._may_carry(index) or not self._keeps(index, leaf):
                    continue
                self.carried[index] = update
                todo += [a for a in self._sides_of(index) if a not in self.carried]

    def _sides_of(self, index: int) -> list[int]:
        """Return the items that compute the two sides of a selection."""
        node = self.items[index].node
        assert node is not None
        return [self.place[arg.uid] for arg in node.args[1:] if arg.uid in self.place]

    def _may_carry(self, index: int) -> bool:
        """Whether a selection is a branch, and nothing but one item needs its value."""
        node = self.items[index].node
        return (
            self._branches(index)
            and len(self.uses[index]) == 1
            and node is not None
            and not self.is_kept(node.uid)
        )

    def _keeps(self, index: int, leaf: Node) -> bool:
        """Whether a register keeps its value on a side of a selection, or on one further in."""
        todo = [index]
        while todo:
            node = self.items[todo.pop()].node
            assert node is not None
            if any(arg is leaf for arg in node.args[1:]):
                return True
            for arg in node.args[1:]:
                inner = self.place.get(arg.uid)
                if inner is not None and self._may_carry(inner):
                    todo.append(inner)
        return False

    def plan(self) -> Side:
        """Return the zone itself, with its branches."""
        while True:
            self._carry()
            root, side, branch = self._assign()
            flat = set()
            for index, one in branch.items():
                if one.high.cost + one.low.cost < self.least_cost or one.high.depth > MOST_DEPTH:
                    flat.add(index)
            if flat:
                self.flat |= flat
                continue
            late = self._fill(root, side, branch)
            if not late:
                return root
            self.late |= late

    def _assign(self) -> tuple[Side, list[Side], dict[int, Branch]]:
        """Return the zone itself, the side of each item and the branch of each selection.

        An item gets its side when all of its readers have theirs. Selections wait until nothing
        else is ready, so that more of one select come together; those of the select of which the
        fewest others are still to come are taken first.
        """
        root = Side()
        side = [root] * len(self.items)
        branch: dict[int, Branch] = {}
        selections = [index for index in range(len(self.items)) if self._branches(index)]
        to_come = Counter(self._select(index).uid for index in selections)
        waiting = [len(uses) for uses in self.uses]
        ready = [-index for index, count in enumerate(waiting) if not count]
        heapq.heapify(ready)
        together: dict[tuple[int, int], list[int]] = {}
        while ready or together:
            if ready:
                index = -heapq.heappop(ready)
                self._place(index, side, branch)
                if self._branches(index):
                    key = (self._select(index).uid, id(side[index]))
                    together.setdefault(key, []).append(index)
                    to_come[key[0]] -= 1
                    continue
                done = [index]
            else:
                key = min(together, key=lambda key: to_come[key[0]])
                done = together.pop(key)
                found = Branch(self._select(done[0]), side[done[0]])
                for index in done:
                    branch[index] = found
                    self._select_on(found, index)
            for index in done:
                for argument in self.arguments[index]:
                    waiting[argument] -= 1
                    if not waiting[argument]:
                        heapq.heappush(ready, -argument)
        return root, side, branch

    def _select_on(self, branch: Branch, index: int) -> None:
        """Let a branch give the value of a selection, or make the update that this carries."""
        item, update = self.items[index], self.carried.get(index)
        if update is None:
            branch.muxes.append(item)
            return
        assert item.node is not None
        leaf = self.registers[self.items[update].index].leaf
        for side, node in zip((branch.high, branch.low), item.node.args[1:], strict=True):
            if node is not leaf and self.place.get(node.uid) not in self.carried:
                side.stores.append((self.items[update], node))
                _add_cost(side, STORE_COST)

    def _select(self, index: int) -> Node:
        node = self.items[index].node
        assert node is not None
        return node.args[0]

    def _place(self, index: int, side: list[Side], branch: dict[int, Branch]) -> None:
        """Put an item on its side, and add what it costs there."""
        node = self.items[index].node
        if node is not None and self.uses[index] and not self.is_kept(node.uid):
            side[index] = self._common(index, side, branch)
        _add_cost(side[index], item_cost(self.items[index]))

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

    def _fill(self, root: Side, side: list[Side], branch: dict[int, Branch]) -> set[int]:
        """Put items and branches into their sides, each after what it waits for.

        Return the updates for which that does not go where they are.
        """
        members: dict[int, list[Item | Branch]] = {}
        sides: dict[int, Side] = {id(root): root}
        entry: list[Item | Branch] = []
        known: set[int] = set()
        gone = set(self.carried.values())
        for index, item in enumerate(self.items):
            one: Item | Branch = branch.get(index, item)
            entry.append(one)
            if index in gone:
                continue
            sides.setdefault(id(side[index]), side[index])
            if id(one) not in known:
                known.add(id(one))
                members.setdefault(id(side[index]), []).append(one)
        before, overwrites = self._waits(side, entry)
        late: set[int] = set()
        for number, entries in members.items():
            order = Order(entries, before, overwrites)
            sides[number].entries = order.ordered()
            late |= order.late
        return late

    def _waits(self, side: list[Side], entry: list[Item | Branch]) -> tuple[Waits, Soft]:
        """Return, for each entry of a side, those of the same side that it waits for.

        For those that it waits for because it carries updates of what they read, the updates are
        in the second.
        """
        before: Waits = {}
        overwrites: Soft = {}
        gone = set(self.carried.values())
        for index, uses in enumerate(self.uses):
            for use, role in uses:
                if use in gone:
                    continue
                reader = entry[use]
                inner: Item | Branch | None = reader
                at = side[use]
                if role and isinstance(reader, Branch):
                    inner, at = None, reader.high if role == "high" else reader.low
                inner = _lifted(inner, at, side[index])
                if inner is not None:
                    before.setdefault(id(inner), set()).add(id(entry[index]))
        self._find_overwrites(side, entry, before, overwrites)
        return before, overwrites

    def _find_overwrites(
        self,
        side: list[Side],
        entry: list[Item | Branch],
        before: Waits,
        overwrites: Soft,
    ) -> None:
        """Let what writes wait for what reads the value before."""
        carriers: dict[int, list[int]] = {}
        for index, update in self.carried.items():
            carriers.setdefault(update, []).append(index)
        place_of_item = {item.number: index for index, item in enumerate(self.items)}
        for index, item in enumerate(self.items):
            for number in item.before if not item.staged else ():
                other = place_of_item.get(number)
                if other is None:
                    continue
                for carrier in carriers.get(index, [index]):
                    inner = _lifted(entry[other], side[other], side[carrier])
                    if inner is None or inner is entry[carrier]:
                        continue
                    if index in carriers:
                        soft = overwrites.setdefault(id(entry[carrier]), {})
                        soft.setdefault(id(inner), set()).add(index)
                    else:
                        before.setdefault(id(entry[carrier]), set()).add(id(inner))


def _lifted(entry: Item | Branch | None, at: Side, to: Side) -> Item | Branch | None:
    """Return the entry of a side that `entry`, which is on side `at`, is or is in, if any."""
    while at is not to:
        if at.branch is None:
            return None
        entry, at = at.branch, at.branch.side
    return entry


def _add_cost(side: Side, cost: float) -> None:
    """Add what something costs to its side and to all that this is in."""
    at: Side | None = side
    while at is not None:
        at.cost += cost
        at = at.branch.side if at.branch is not None else None


def _join(a: Side, b: Side) -> Side:
    while a is not b:
        if a.depth < b.depth:
            a, b = b, a
        assert a.branch is not None
        a = a.branch.side
    return a


def plan(
    items: list[Item],
    registers: list[Register],
    is_kept: Callable[[object], bool],
    least_cost: float = LEAST_COST,
) -> Side:
    """Return a zone with its branches; values for which `is_kept` are evaluated in any case.

    With less than `least_cost` on its sides together a branch does not pay.
    """
    return _Planner(items, registers, is_kept, least_cost).plan()
