# SPDX-License-Identifier: BSD-3-Clause
"""Step `items`: what is executed each cycle, and in which order it may be.

An item is a node to compute, a register to update, a memory write or an output to copy. Registers
are updated in place, so an update comes after everything that reads the old value; the same holds
for memory writes. Slices of state and the like are not items: each reader computes them itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from goldengate.engine.design import Design
from goldengate.engine.nodes import Node

_CHEAP = frozenset(("slice", "rep", "sext"))


@dataclass
class Item:
    """One step of a cycle. `reads` are the values it needs: items' nodes and leaves.

    kind: "node", "update" (register `index`), "write" (column `index`, port `port`), "output"
    (port `index`, word `port`) or "probe" (value `index`). `before` are items that must come first
    because they read what this one overwrites.
    """

    number: int
    kind: str
    node: Node | None = None
    index: int = 0
    port: int = 0
    reads: list[Node] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    staged: bool = False


@dataclass
class Items:
    """All items of a design; `of_node` finds the item that computes a node."""

    design: Design
    items: list[Item]
    of_node: dict[int, Item]

    def predecessors(self, item: Item) -> Iterator[int]:
        """Yield the items that must come before this one."""
        for node in item.reads:
            if node.op != "leaf":
                yield self.of_node[node.uid].number
        if not item.staged:
            yield from item.before


def key_of(node: Node) -> object:
    """Return what a value is known by: a leaf's name, a node's number."""
    return node.value if node.op == "leaf" else node.uid


def is_free(node: Node) -> bool:
    """Whether every reader computes this node itself, from constants and leaves."""
    if node.op in ("const", "leaf"):
        return True
    if node.op in _CHEAP or (node.op == "xor" and node.args[1].is_const):
        return node.args[0].op == "leaf" or (node.args[0].op in _CHEAP and is_free(node.args[0]))
    return False


def _reads_of(roots: list[Node]) -> list[Node]:
    """Return the items' nodes and leaves read by an item that computes `roots`."""
    found: dict[int, Node] = {}
    todo = list(roots)
    while todo:
        node = todo.pop()
        if node.op == "leaf" or not is_free(node):
            found[node.uid] = node
        else:
            todo += node.args
    return list(found.values())


class _Builder:
    def __init__(self, design: Design) -> None:
        self.design = design
        self.items: list[Item] = []
        self.of_node: dict[int, Item] = {}

    def _add(self, kind: str, roots: list[Node], index: int = 0, port: int = 0) -> Item:
        item = Item(len(self.items), kind, None, index, port, _reads_of(roots))
        self.items.append(item)
        return item

    def compute(self, root: Node) -> None:
        """Add items for a node and all it needs, arguments first."""
        todo = [root]
        while todo:
            node = todo[-1]
            if node.uid in self.of_node or node.op in ("leaf", "const"):
                todo.pop()
                continue
            missing = [
                arg
                for arg in node.args
                if arg.op not in ("leaf", "const") and arg.uid not in self.of_node
            ]
            missing = [] if is_free(node) else [arg for arg in missing if not is_free(arg)]
            if missing:
                todo += reversed(missing)
                continue
            todo.pop()
            if not is_free(node):
                item = self._add("node", list(node.args))
                item.node = node
                if node.op == "read":
                    assert isinstance(node.value, int)
                    item.columns = [node.value]
                self.of_node[node.uid] = item

    def sinks(self) -> None:
        """Add everything, sinks of one part of the hierarchy next to each other."""
        design = self.design
        updates = [r for r in design.registers if r.following is not r.leaf]
        for register in sorted(updates, key=lambda r: r.name):
            self.compute(register.following)
            self._add("update", [register.following], index=register.index)
        for column in design.columns:
            for port, write in enumerate(column.writes):
                for root in write.roots():
                    self.compute(root)
                self._add("write", write.roots(), index=column.index, port=port)
        for index, entry in enumerate(design.ports):
            for word, node in enumerate(entry.words if not entry.is_input else []):
                self.compute(node)
                self._add("output", [node], index=index, port=word)
        for index, node in enumerate(design.probed):
            self.compute(node)
            self._add("probe", [node], index=index)

    def overwrites(self) -> None:
        """Fill in `before`; registers that copy each other in a ring are staged."""
        readers: dict[object, list[Item]] = {}
        of_column: dict[int, list[Item]] = {}
        for item in self.items:
            for node in item.reads:
                if node.op == "leaf":
                    readers.setdefault(node.value, []).append(item)
            for column in item.columns:
                of_column.setdefault(column, []).append(item)
        last: dict[int, Item] = {}
        for item in self.items:
            if item.kind == "update":
                others = readers.get(("register", item.index), [])
                item.before = [other.number for other in others if other is not item]
            elif item.kind == "write":
                item.before = [other.number for other in of_column.get(item.index, [])]
                if item.index in last:
                    item.before.append(last[item.index].number)
                last[item.index] = item
        self._watch_other_writers()
        self._stage_rings()

    def _watch_other_writers(self) -> None:
        """Let a port write again when another has written: its data may have to win once more."""
        for item in self.items:
            if item.kind == "write" and len(self.design.columns[item.index].writes) > 1:
                item.columns = [item.index]

    def _stage_rings(self) -> None:
        """Find rings of registers that copy each other directly; stage one of each ring."""
        copies = {}
        for item in self.items:
            if item.kind == "update":
                following = self.design.registers[item.index].following
                copies[item.index] = (
                    [
                        node.value[1]
                        for node in item.reads
                        if node.op == "leaf" and node.value[0] == "register"
                    ]
                    if is_free(following)
                    else []
                )
        update = {item.index: item for item in self.items if item.kind == "update"}
        done: set[int] = set()
        for start in copies:
            path: list[int] = []
            at: int | None = start
            while at is not None and at in copies and at not in done:
                if at in path:
                    if at != path[-1]:
                        update[at].staged = True
                    break
                path.append(at)
                following_indices = copies[at]
                at = following_indices[0] if following_indices else None
            done.update(path)


def collect(design: Design) -> Items:
    """Return the items of a design, in an order that is right except for the overwriting."""
    builder = _Builder(design)
    builder.sinks()
    builder.overwrites()
    return Items(design, builder.items, builder.of_node)


def successors(predecessors: list[set[int]]) -> list[list[int]]:
    """Return, for each number, those that it is a predecessor of, in order."""
    found: list[list[int]] = [[] for _ in predecessors]
    for number, before in enumerate(predecessors):
        for other in before:
            found[other].append(number)
    return found


def sorted_by_need(predecessors: list[set[int]]) -> list[int]:
    """Return numbers in an order in which each comes after its predecessors."""
    waiting = [len(before) for before in predecessors]
    after = successors(predecessors)
    found: list[int] = []
    done = [False] * len(predecessors)
    for first in range(len(predecessors)):
        todo = [first] if not waiting[first] and not done[first] else []
        while todo:
            number = todo.pop()
            done[number] = True
            found.append(number)
            for following in after[number]:
                waiting[following] -= 1
                # Computations keep their place; what only waits for its readers follows at once.
                if not waiting[following] and following < first:
                    todo.append(following)
    assert len(found) == len(predecessors), "the order of the items has a ring"
    return found
