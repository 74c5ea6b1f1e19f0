# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of bits side by side with a constant, said without putting them side by side.

Decoders are written bit by bit: `&{i[0], ~i[2], i[5]}`. All bits of one word are compared at once,
under a mask: `(i & 0x25) == 0x21`. What else stands between them becomes a term of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldengate.engine.nodes import Node, mask

if TYPE_CHECKING:
    from goldengate.engine.ir import Graph


class _Terms:
    """What must hold: bits that are 1, bits that are 0, and bits of words."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.masks: dict[Node, int] = {}
        self.values: dict[Node, int] = {}
        self.never = False

    def add(self, part: Node, wanted: int) -> None:
        """Let a part of the comparison be `wanted`."""
        if part.is_const:
            self.never |= part.number != wanted
        elif part.op == "xor" and part.args[1].is_const:
            self.add(part.args[0], wanted ^ part.args[1].number)
        elif part.op == "slice":
            self._bits(part.args[0], mask(part.width) << part.number, wanted << part.number)
        elif part.op == "rep":
            self.never |= wanted not in (0, mask(part.width))
            self._bits(part.args[0], 1, wanted & 1)
        else:
            self._bits(part, mask(part.width), wanted)

    def _bits(self, word: Node, bits: int, wanted: int) -> None:
        known = self.masks.get(word, 0)
        value = self.values.get(word, 0)
        self.never |= (value ^ wanted) & known & bits != 0
        self.masks[word] = known | bits
        self.values[word] = value | wanted

    def joined(self) -> Node:
        """Return whether all of it holds."""
        graph = self.graph
        ones: list[Node] = []
        zeros: list[Node] = []
        if self.never:
            return graph.const(0, 1)
        for word, bits in self.masks.items():
            value = self.values[word]
            low = (bits & -bits).bit_length() - 1
            width = bits.bit_length() - low
            if width == 1:
                (ones if value else zeros).append(graph.slice(word, low, 1))
            elif bits >> low == mask(width):
                field = graph.slice(word, low, width)
                ones.append(graph.eq(field, graph.const(value >> low, width)))
            else:
                masked = graph.binary("and", word, graph.const(bits, word.width))
                ones.append(graph.eq(masked, graph.const(value, word.width)))
        found = graph.const(0, 1)
        for bit in sorted(zeros, key=lambda node: node.uid):
            found = graph.binary("or", found, bit)
        ones.append(graph.invert(found))
        found = graph.const(1, 1)
        for bit in sorted(ones, key=lambda node: node.uid):
            found = graph.binary("and", found, bit)
        return found


def compare(graph: Graph, parts: Node, wanted: int) -> Node:
    """Return whether words side by side (a node `cat`) are a number."""
    terms, position = _Terms(graph), 0
    for part in parts.args:
        terms.add(part, wanted >> position & mask(part.width))
        position += part.width
    return terms.joined()
