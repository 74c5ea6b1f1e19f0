# SPDX-License-Identifier: BSD-3-Clause
"""Step `tables`: selections by the bits of an index that become one load.

A queue of registers that is read at an index arrives as a tree of selections, one bit of the index
at each level: 15 of them for 16 registers. Where all that it selects from are registers of one
width, it becomes a node `pick`, a load where they lie side by side in the state (module `arrays`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from goldengate.engine.design import Design
from goldengate.engine.nodes import Node

LEAST_BITS, MOST_BITS = 2, 7
"""Of an index; a larger table is less dense."""
LEAST_SAVED = 4
"""Selections that nothing else reads, below which a load does not pay."""
LEAST_REGISTERS = 4


@dataclass(frozen=True)
class _Tree:
    """Selections by bits of one word: the nodes, and the bits by which they select."""

    head: Node
    word: Node
    bits: tuple[int, ...]
    nodes: frozenset[Node]

    def at(self, index: int) -> Node:
        """Return what is selected where the bits, the lowest first, are a number."""
        bit_of = {bit: index >> place & 1 for place, bit in enumerate(self.bits)}
        node = self.head
        while node in self.nodes:
            node = node.args[1] if bit_of[node.args[0].number] else node.args[2]
        return node


def _word(node: Node) -> Node | None:
    """Return the word of which a bit selects, if a node is such a selection."""
    if node.op != "mux" or node.args[0].op != "slice":
        return None
    return node.args[0].args[0]


def _tree(head: Node, word: Node) -> _Tree | None:
    """Return a selection with those by the same word that it selects from, if they are a table."""
    nodes, bits, todo = {head}, set(), [head]
    while todo:
        node = todo.pop()
        bits.add(node.args[0].number)
        if len(bits) > MOST_BITS:
            return None
        for arm in node.args[1:]:
            if arm not in nodes and _word(arm) is word:
                nodes.add(arm)
                todo.append(arm)
    if len(bits) < LEAST_BITS:
        return None
    return _Tree(head, word, tuple(sorted(bits)), frozenset(nodes))


def _registers(entries: list[Node]) -> list[Node] | None:
    """Return the different registers that a table begins with, and what the rest is, if one."""
    last = len(entries) - 1
    while last > 0 and entries[last - 1] is entries[last]:
        last -= 1
    first, rest = entries[:last], entries[last]
    ordinary = len(set(first)) == last >= LEAST_REGISTERS
    ordinary = ordinary and all(e.op == "leaf" and e.value[0] == "register" for e in first)
    return [*first, rest] if ordinary and rest.op in ("leaf", "const") else None


class _Finder:
    """Finds the trees of a design, and makes nodes of them."""

    def __init__(self, design: Design) -> None:
        self.graph = design.graph
        self.nodes = design.needed()
        self.uses = Counter(arg for node in self.nodes for arg in node.args)
        self.uses.update([*design.roots(), *design.probed])
        self.selects_from = Counter(
            arm for node in self.nodes for arm in node.args[1:]
            if _word(node) is not None and _word(arm) is _word(node)
        )  # fmt: skip
        """How many selections by the same word select from one."""

    def _saved(self, tree: _Tree) -> int:
        """Return how many selections nothing reads when what the tree gives is loaded."""
        gone = {tree.head}
        for node in sorted(tree.nodes, key=lambda node: -node.uid):
            if node in gone:
                continue
            inside = sum(other.args[1:].count(node) for other in gone)
            if inside == self.uses[node]:
                gone.add(node)
        return len(gone)

    def tree(self, node: Node) -> _Tree | None:
        """Return the tree of which a node is the head, if nothing of the kind selects from it."""
        word = _word(node)
        if word is None or self.selects_from[node] == self.uses[node]:
            return None
        return _tree(node, word)

    def loaded(self, tree: _Tree, word: Node) -> Node | None:
        """Return a node that loads what a tree gives at bits of `word`, if that goes and pays."""
        elements = _registers([tree.at(index) for index in range(1 << len(tree.bits))])
        if elements is None or self._saved(tree) < LEAST_SAVED:
            return None
        index = [self.graph.slice(word, bit, 1) for bit in tree.bits]
        return self.graph.pick(self.graph.cat(index), elements)


def apply(design: Design) -> None:
    """Let loads stand for the selections of a design that are tables."""
    finder = _Finder(design)
    stands_for: dict[Node, Node] = {}
    for node in finder.nodes:
        tree = finder.tree(node)
        loaded = finder.loaded(tree, stands_for.get(tree.word, tree.word)) if tree else None
        args = tuple(stands_for.get(arg, arg) for arg in node.args)
        if loaded is not None:
            stands_for[node] = loaded
        elif args != node.args:
            stands_for[node] = design.graph.with_arguments(node, args)
    if stands_for:
        design.replace(lambda node: stands_for.get(node, node))
