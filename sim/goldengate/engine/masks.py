# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons and parities of bits side by side, said without putting them side by side.

Decoders are written bit by bit: `&{i[0], ~i[2], i[5]}`. All bits of one word are compared at once,
under a mask: `(i & 0x25) == 0x21`. What else stands between them becomes a term of its own. In the
same way, `^{i[0], ~i[2], i[5]}` of a code that corrects errors is the parity of `i & 0x25`,
inverted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldengate.engine.nodes import Node, mask

if TYPE_CHECKING:
    from goldengate.engine.ir import Graph


def _span(bits: int) -> tuple[int, int]:
    """Return the lowest bit of a mask, and how many bits there are up to its highest."""
    low = (bits & -bits).bit_length() - 1
    return low, bits.bit_length() - low


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
            low, width = _span(bits)
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


class _Odd:
    """Which bits of which words a parity is of; a bit that comes twice does not count."""

    def __init__(self) -> None:
        self.masks: dict[Node, int] = {}
        self.constant = 0

    def add(self, part: Node, bits: int) -> None:
        """Take in bits of a part."""
        if part.is_const:
            self.constant ^= (part.number & bits).bit_count() & 1
        elif part.op in ("and", "xor") and part.args[1].is_const:
            first, constant = part.args
            if part.op == "xor":
                self.add(constant, bits)
            self.add(first, bits & constant.number if part.op == "and" else bits)
        elif part.op == "slice":
            self.add(part.args[0], bits << part.number)
        elif part.op == "rep":
            self.add(part.args[0], bits.bit_count() & 1)
        elif part.op == "cat":
            for piece in part.args:
                self.add(piece, bits & mask(piece.width))
                bits >>= piece.width
        elif bits:
            self.masks[part] = self.masks.get(part, 0) ^ bits

    def joined(self, graph: Graph) -> Node:
        """Return whether the number of ones is odd."""
        found = graph.const(self.constant, 1)
        for word, bits in sorted(self.masks.items(), key=lambda entry: entry[0].uid):
            if not bits:
                continue
            low, width = _span(bits)
            if bits >> low == mask(width):
                field = graph.slice(word, low, width)
            else:
                field = graph.binary("and", word, graph.const(bits, word.width))
            found = graph.binary("xor", found, graph.parity_of_word(field))
        return found


def parity(graph: Graph, parts: Node) -> Node:
    """Return the exclusive or of all bits of words side by side (a node `cat`)."""
    terms = _Odd()
    terms.add(parts, mask(parts.width))
    return terms.joined(graph)
