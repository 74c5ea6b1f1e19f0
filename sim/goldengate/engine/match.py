# SPDX-License-Identifier: BSD-3-Clause
"""Which items of the copies of a module correspond: those that do the same with the same.

From the state of the copies, items are compared backwards: two updates correspond when their
expressions are alike and what these read corresponds, too. Where expressions differ, as the ways
from a bus to its first and its second port do, the comparison ends: there the values correspond,
but not the items that compute them. What follows from the copies' values is compared forwards.

A value belongs to one copy at most, and to one place in it. So code for the first copy is right for
another one when it finds the other's values in their place, or values that all copies share.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from goldengate.engine.copies import Copies
from goldengate.engine.items import Item, Items, is_free, key_of
from goldengate.engine.nodes import COMMUTATIVE, Node

Nodes = tuple[Node, ...]


class Place(NamedTuple):
    """Where a value belongs: to copy `copy` of module `module`, as `first` to the first copy."""

    module: int
    first: object
    copy: int


Places = dict[object, Place]
"""The place of a value by its key."""


@functools.cache
def _of_operation(op: str) -> int:
    """Return a number for an operation, the same in every process."""
    return zlib.crc32(op.encode())


class Matcher:
    """Compares the copies of module `module`; places and shared values are those of all modules.

    Items that correspond are found in `tuples`, one for each copy.
    """

    def __init__(
        self, found: Items, module: int, copies: Copies, places: Places, shared: set[object]
    ) -> None:
        self.found = found
        self.module = module
        self.places = places
        self.shared = shared
        self.count = len(copies.paths)
        self.tuples: list[tuple[Item, ...]] = []
        self._todo: list[Nodes] = []
        self._names: dict[object, int] = {}
        self._state = [keys for keys in copies.state if self._claim(keys)]
        for index, keys in enumerate(self._state):
            self._names |= dict.fromkeys(keys, index)
        self._shapes: dict[int, int] = {}
        """The shapes of the nodes that were asked for (`_shape`), by uid."""

    def _shape(self, node: Node) -> int:
        """Return a number that is equal for nodes that are alike."""
        shapes, todo = self._shapes, [node]
        while todo:
            node = todo[-1]
            missing = [argument for argument in node.args if argument.uid not in shapes]
            if missing:
                todo += missing
                continue
            todo.pop()
            if node.op == "leaf":
                value: object = self._names.get(node.value, -1)
            elif node.op == "read":
                value = self._names.get(("column", node.value), -1)
            else:
                value = node.value if node.value is not None else 0
            arguments = [shapes[argument.uid] for argument in node.args]
            if node.op in COMMUTATIVE:
                arguments.sort()
            shapes[node.uid] = hash((_of_operation(node.op), node.width, value, *arguments))
        return shapes[node.uid]

    def _place(self, keys: Sequence[object]) -> None:
        for copy, key in enumerate(keys):
            self.places[key] = Place(self.module, keys[0], copy)

    def _claim(self, keys: Sequence[object]) -> bool:
        """Let values correspond, or be one that all copies share; False when they cannot."""
        first = keys[0]
        if all(key == first for key in keys):
            self.shared.add(first)
            return first not in self.places
        known = [self.places.get(key) for key in keys]
        if any(known):
            return known == [Place(self.module, first, copy) for copy in range(self.count)]
        if len(set(keys)) < self.count or any(key in self.shared for key in keys):
            return False
        self._place(keys)
        return True

    def _claim_values(self, nodes: Nodes) -> bool:
        first = nodes[0]
        if any(node is not first for node in nodes):
            inputs = any(node.op == "leaf" and node.value[0] == "input" for node in nodes)
            if inputs or len({(node.width, node.zeros) for node in nodes}) > 1:
                return False
        new = key_of(first) not in self.places
        if not self._claim([key_of(node) for node in nodes]):
            return False
        if new and first is not nodes[1] and all(node.op != "leaf" for node in nodes):
            self._todo.append(nodes)
        return True

    def _aligned(self, nodes: Nodes) -> Iterator[Nodes]:
        """Yield the arguments that correspond; those of `a + b` may be in any order."""
        first = nodes[0]
        arguments = [list(node.args) for node in nodes]
        if first.op in COMMUTATIVE:
            wanted = self._shape(first.args[0])
            for pair in arguments[1:]:
                shapes = [self._shape(argument) for argument in pair]
                if shapes[0] != wanted and shapes[1] == wanted:
                    pair.reverse()
        yield from zip(*arguments, strict=True)

    def _alike(self, nodes: Nodes) -> bool:
        """Whether nodes do the same with their arguments."""
        first = nodes[0]
        sizes = {(node.op, node.width, node.zeros, len(node.args)) for node in nodes}
        if len(sizes) > 1:
            return False
        if first.op == "read":
            columns = [self.found.design.columns[node.number] for node in nodes]
            if len({column.size for column in columns}) > 1:
                return False
            return self._claim([("column", column.index) for column in columns])
        return all(node.value == first.value for node in nodes)

    def _reads(self, roots: Nodes) -> bool:
        """Claim what the expressions `roots` read; False when they differ."""
        todo = [roots]
        while todo:
            nodes = todo.pop()
            if any(node.op == "leaf" or not is_free(node) for node in nodes):
                if any(node.op != "leaf" and is_free(node) for node in nodes):
                    return False
                if not self._claim_values(nodes):
                    return False
            elif self._alike(nodes):
                todo += zip(*(node.args for node in nodes), strict=True)
            else:
                return False
        return True

    def _all_read(self, roots: Iterable[Nodes]) -> bool:
        """Claim what several expressions read, all of them even when one differs."""
        return all([self._reads(nodes) for nodes in roots])

    def _compare(self, nodes: Nodes) -> None:
        """Compare the items that compute values that correspond."""
        if self._alike(nodes) and self._all_read(self._aligned(nodes)):
            self.tuples.append(tuple(self.found.of_node[node.uid] for node in nodes))

    def _compare_sinks(self, sinks: dict[object, list[Item]], keys: Sequence[object]) -> None:
        """Compare what changes registers or columns that correspond."""
        design = self.found.design
        for items in zip(*(sinks.get(key, []) for key in keys), strict=False):
            if len({(item.kind, item.staged, bool(item.columns)) for item in items}) > 1:
                continue
            if items[0].kind == "update":
                roots = [tuple(design.registers[item.index].following for item in items)]
            else:
                writes = [design.columns[item.index].writes[item.port] for item in items]
                if len({write.whole for write in writes}) > 1:
                    continue
                roots = list(zip(*(write.roots() for write in writes), strict=True))
            if self._all_read(roots):
                self.tuples.append(items)

    def _backwards(self) -> None:
        while self._todo:
            self._compare(self._todo.pop())

    def _forwards(self) -> None:
        """Let values correspond that follow in the same way from values that do."""
        relative = _Relative(self.module, self.places)
        for item in self.found.items:
            if item.node is not None:
                relative.add(item.node)
        for nodes in relative.complete(self.count):
            if self._claim_values(nodes):
                self._backwards()

    def run(self) -> None:
        """Find all that corresponds."""
        sinks: dict[object, list[Item]] = {}
        for item in self.found.items:
            if item.kind in ("update", "write"):
                kind = "register" if item.kind == "update" else "column"
                sinks.setdefault((kind, item.index), []).append(item)
        for keys in self._state:
            self._compare_sinks(sinks, keys)
        self._backwards()
        self._forwards()


_Way = tuple[int, int]
"""The copy of a module that a value follows from, and a number for how it does."""


class _Relative:
    """Says of values which copy of a module they follow from, and numbers the ways they do."""

    def __init__(self, module: int, places: Places) -> None:
        self.module = module
        self.places = places
        self.numbers: dict[object, int] = {}
        self.known: dict[int, _Way | None] = {}
        self.ways: dict[int, dict[int, Node]] = {}

    def _number(self, what: object) -> int:
        return self.numbers.setdefault(what, len(self.numbers))

    def _placed(self, key: object) -> _Way | None:
        """Return the copy that a value belongs to, and as what; None for what belongs to none."""
        place = self.places.get(key)
        if place is None or place.module != self.module:
            return None
        return place.copy, self._number(("placed", place.first))

    def _of(self, node: Node) -> _Way | None:
        """Return the copy a value follows from, None for none or several, and how."""
        if node.uid not in self.known:
            if node.op == "leaf":
                self.known[node.uid] = self._placed(node.value)
            else:
                self.known[node.uid] = self._combined(node)
        return self.known[node.uid]

    def _combined(self, node: Node) -> _Way | None:
        arguments = [self._of(argument) for argument in node.args]
        copies = {argument[0] for argument in arguments if argument is not None}
        value: object = node.value
        if node.op == "read":
            column = self._placed(("column", node.value))
            value = ~node.number if column is None else column[1]
            copies |= set() if column is None else {column[0]}
        if len(copies) != 1:
            return None
        # What follows from no copy is known by its uid, which no number is.
        ways = [
            ~argument.uid if found is None else found[1]
            for argument, found in zip(node.args, arguments, strict=True)
        ]
        if node.op in COMMUTATIVE:
            ways.sort()
        return copies.pop(), self._number((node.op, node.width, value, *ways))

    def add(self, node: Node) -> None:
        """Take in the node of an item, after its arguments."""
        if node.uid in self.places:
            self.known[node.uid] = self._placed(node.uid)
            return
        found = self.known[node.uid] = self._combined(node)
        if found is not None:
            copy, way = found
            self.ways.setdefault(way, {})[copy] = node

    def complete(self, count: int) -> Iterator[Nodes]:
        """Yield the values that follow in one way from all copies, arguments first."""
        for of_copy in self.ways.values():
            if len(of_copy) == count:
                yield tuple(of_copy[copy] for copy in range(count))
