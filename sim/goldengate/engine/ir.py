# SPDX-License-Identifier: BSD-3-Clause
"""The word-level graph: hash-consed nodes (nodes.py), simplified as they are made.

Equal nodes are one object, so that common subexpressions fall together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldengate.engine import masks
from goldengate.engine.nodes import COMMUTATIVE, WORD, Node, mask, signed

_FOLD: dict[str, Callable[[int, int, int], int]] = {
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "mulh": lambda a, b, w: a * b >> 64,
    "div": lambda a, b, w: a // b if b else 0,
    "mod": lambda a, b, w: a % b if b else 0,
    "shl": lambda a, b, w: a << b if b < w else 0,
    "shr": lambda a, b, w: a >> b if b < w else 0,
    "sar": lambda a, b, w: signed(a, w) >> min(b, w - 1),
}


class Graph:
    """Makes nodes."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[tuple[Any, ...], Node] = {}

    def _node(
        self,
        op: str,
        width: int,
        args: tuple[Node, ...] = (),
        value: Any = None,
        zeros: int = 0,
    ) -> Node:
        key = (op, width, value, *[arg.uid for arg in args])
        node = self._known.get(key)
        if node is None:
            assert 0 < width <= WORD
            node = Node(len(self.nodes), op, width, args, value, zeros)
            self.nodes.append(node)
            self._known[key] = node
        return node

    def const(self, value: int, width: int) -> Node:
        """Return a constant; higher bits are dropped."""
        value &= mask(width)
        return self._node("const", width, (), value, mask(width) & ~value)

    def leaf(self, value: Any, width: int) -> Node:
        """Return a word of state or input."""
        return self._node("leaf", width, (), value)

    def read(self, memory: Any, width: int, address: Node) -> Node:
        """Return the memory column named `memory` at `address`."""
        return self._node("read", width, (address,), memory)

    def pick(self, index: Node, elements: list[Node]) -> Node:
        """Return the element that an index names, the last one beyond the end."""
        zeros = mask(elements[0].width)
        for element in elements:
            zeros &= element.zeros
        return self._node("pick", elements[0].width, (index, *elements), None, zeros)

    def with_arguments(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Return the same operation on other arguments, of which as much is known."""
        return self._node(node.op, node.width, args, node.value, node.zeros)

    def wide_division(self, op: str, width: int, args: tuple[Node, ...], value: Any) -> Node:
        """Return a word of a division of numbers wider than a word."""
        return self._node(op, width, args, value)

    def binary(self, op: str, a: Node, b: Node) -> Node:
        """Return `a op b` for two words of equal width (shifts: any `b`)."""
        width = a.width
        if a.is_const and b.is_const:
            return self.const(_FOLD[op](a.number, b.number, width), width)
        if op in COMMUTATIVE and (a.is_const or (not b.is_const and a.uid > b.uid)):
            a, b = b, a
        simple = getattr(self, f"_{op}", None)
        found: Node | None = simple(a, b) if simple else None
        if found is not None:
            return found
        zeros = 0
        if op == "and":
            zeros = a.zeros | b.zeros
        elif op in ("or", "xor"):
            zeros = a.zeros & b.zeros
        elif op == "shr":
            zeros = mask(width) & ~mask((~a.zeros & mask(width)).bit_length())
        return self._node(op, width, (a, b), None, zeros)

    def _and(self, a: Node, b: Node) -> Node | None:
        ones = mask(a.width)
        if a is b:
            return a
        if self.inverted(a) is b or self.inverted(b) is a or (a.zeros | b.zeros) == ones:
            return self.const(0, a.width)
        if b.is_const:
            kept = b.number
            if kept | a.zeros == ones:
                return a
            if kept & (kept + 1) == 0:
                low = kept.bit_length()
                return self.cat([self.slice(a, 0, low), self.const(0, a.width - low)])
        return None

    def _or(self, a: Node, b: Node) -> Node | None:
        if a is b or b.zeros == mask(b.width):
            return a
        if b.is_const and b.number == mask(b.width):
            return b
        if self.inverted(a) is b or self.inverted(b) is a:
            return self.const(mask(a.width), a.width)
        return None

    def _xor(self, a: Node, b: Node) -> Node | None:
        if a is b:
            return self.const(0, a.width)
        if b.is_const:
            if b.number == 0:
                return a
            if a.op == "xor" and a.args[1].is_const:
                return self.binary(
                    "xor", a.args[0], self.const(a.args[1].number ^ b.number, a.width)
                )
        return None

    def inverted(self, a: Node) -> Node | None:
        """Return x when `a` is its complement."""
        if a.op == "xor" and a.args[1].is_const and a.args[1].number == mask(a.width):
            return a.args[0]
        return None

    def _add(self, a: Node, b: Node) -> Node | None:
        if b.is_const and b.number == 0:
            return a
        return self.binary("xor", a, b) if a.width == 1 else None

    def _sub(self, a: Node, b: Node) -> Node | None:
        if a is b:
            return self.const(0, a.width)
        return self._add(a, b)

    def _mul(self, a: Node, b: Node) -> Node | None:
        if b.is_const and b.number in (0, 1):
            return a if b.number else b
        return self.binary("and", a, b) if a.width == 1 else None

    def _shl(self, a: Node, b: Node) -> Node | None:
        if not b.is_const:
            return None
        by = b.number
        if by >= a.width:
            return self.const(0, a.width)
        return self.cat([self.const(0, by), self.slice(a, 0, a.width - by)]) if by else a

    def _shr(self, a: Node, b: Node) -> Node | None:
        if not b.is_const:
            return None
        by = b.number
        if by >= a.width:
            return self.const(0, a.width)
        return self.cat([self.slice(a, by, a.width - by), self.const(0, by)]) if by else a

    def _sar(self, a: Node, b: Node) -> Node | None:
        if not b.is_const:
            return None
        by = min(b.number, a.width - 1)
        return self.sext(self.slice(a, by, a.width - by), a.width)

    def invert(self, a: Node) -> Node:
        """Return the complement."""
        return self.binary("xor", a, self.const(mask(a.width), a.width))

    def eq(self, a: Node, b: Node) -> Node:
        """Return whether two words are equal."""
        if a is b:
            return self.const(1, 1)
        if a.is_const and b.is_const:
            return self.const(0, 1)
        if a.is_const or (not b.is_const and a.uid > b.uid):
            a, b = b, a
        if b.is_const and b.number & a.zeros:
            return self.const(0, 1)
        if a.width == 1:
            return self.invert(self.binary("xor", a, b))
        if b.is_const and a.op == "cat":
            return masks.compare(self, a, b.number)
        if b.is_const and a.op in ("rep", "mux") and all(x.is_const for x in a.args[1:]):
            return self._eq_of_two(a, b)
        return self._node("eq", 1, (a, b))

    def _eq_of_two(self, a: Node, b: Node) -> Node:
        """Compare a value that is one of two constants with a constant."""
        high, low = (mask(a.width), 0)
        if a.op == "mux":
            high, low = a.args[1].number, a.args[2].number
        is_high, is_low = high == b.number, low == b.number
        if is_high and not is_low:
            return a.args[0]
        return self.invert(a.args[0]) if is_low and not is_high else self.const(is_high, 1)

    def lt(self, a: Node, b: Node) -> Node:
        """Return whether a < b, unsigned."""
        if a is b or (b.is_const and b.number == 0):
            return self.const(0, 1)
        if a.is_const and b.is_const:
            return self.const(a.number < b.number, 1)
        if b.is_const and b.number == 1:
            return self.eq(a, self.const(0, a.width))
        if a.is_const and a.number == 0:
            return self.invert(self.eq(b, a))
        if a.width == 1:
            return self.binary("and", self.invert(a), b)
        return self._node("lt", 1, (a, b))

    def mux(self, select: Node, high: Node, low: Node) -> Node:
        """Return `select ? high : low`."""
        if select.is_const:
            return high if select.number else low
        if high is low:
            return high
        opposite = self.inverted(select)
        if opposite is not None:
            select, high, low = opposite, low, high
        if high.op == "mux" and high.args[0] is select:
            return self.mux(select, high.args[1], low)
        if low.op == "mux" and low.args[0] is select:
            return self.mux(select, high, low.args[2])
        if high.width == 1:
            return self._mux_bit(select, high, low)
        if high.is_const and low.is_const:
            if low.number == 0 and high.number == mask(high.width):
                return self.rep(select, high.width)
            if high.number == 0 and low.number == mask(high.width):
                return self.rep(self.invert(select), high.width)
        return self.selection(select, high, low)

    def selection(self, select: Node, high: Node, low: Node) -> Node:
        """Return `select ? high : low` as a node of its own, where `mux` may find `and` or `or`."""
        return self._node("mux", high.width, (select, high, low), None, high.zeros & low.zeros)

    def _mux_bit(self, select: Node, high: Node, low: Node) -> Node:
        if high.is_const:
            if high.number:
                return self.binary("or", select, low)
            return self.binary("and", self.invert(select), low)
        if low.is_const:
            if low.number:
                return self.binary("or", self.invert(select), high)
            return self.binary("and", select, high)
        if select is high:
            return self.binary("or", select, low)
        if select is low:
            return self.binary("and", select, high)
        if self.inverted(high) is low or self.inverted(low) is high:
            return self.binary("xor", select, low)
        return self.selection(select, high, low)

    def slice(self, a: Node, low: int, width: int) -> Node:
        """Return `width` bits of a word from bit `low` on."""
        assert low >= 0 and width > 0 and low + width <= a.width, (a, low, width)
        if width == a.width:
            return a
        if (a.zeros >> low) & mask(width) == mask(width):
            return self.const(0, width)
        if a.is_const:
            return self.const(a.number >> low, width)
        if a.op == "slice":
            return self.slice(a.args[0], a.number + low, width)
        if a.op in ("rep", "sext"):
            return self._slice_of_sign(a.args[0], low, width)
        if a.op == "cat":
            return self._slice_of_cat(a, low, width)
        if a.op in ("and", "or", "xor") and a.args[1].is_const:
            constant = self.const(a.args[1].number >> low, width)
            return self.binary(a.op, self.slice(a.args[0], low, width), constant)
        if a.op == "mux" and (a.args[1].is_const or a.args[2].is_const):
            high, other = (self.slice(x, low, width) for x in a.args[1:])
            return self.mux(a.args[0], high, other)
        return self._node("slice", width, (a,), low, a.zeros >> low & mask(width))

    def _slice_of_sign(self, inner: Node, low: int, width: int) -> Node:
        """Return part of a word made wider by its sign (of a bit: repeated)."""
        if low >= inner.width - 1:
            return self.rep(self.slice(inner, inner.width - 1, 1), width)
        if low + width <= inner.width:
            return self.slice(inner, low, width)
        return self.sext(self.slice(inner, low, inner.width - low), width)

    def _slice_of_cat(self, a: Node, low: int, width: int) -> Node:
        parts, position = [], 0
        for part in a.args:
            first, last = max(low - position, 0), min(low + width - position, part.width)
            if first < last:
                parts.append(self.slice(part, first, last - first))
            position += part.width
        return self.cat(parts)

    def cat(self, parts: list[Node]) -> Node:
        """Return words side by side, lowest first; neighbours that belong together are joined."""
        flat: list[Node] = []
        for part in parts:
            for piece in part.args if part.op == "cat" else (part,):
                joined = self._join(flat[-1], piece) if flat else None
                if joined is not None:
                    flat[-1] = joined
                else:
                    flat.append(piece)
        if len(flat) == 1:
            return flat[0]
        width, zeros = 0, 0
        for part in flat:
            zeros |= part.zeros << width
            width += part.width
        return self._node("cat", width, tuple(flat), None, zeros)

    def _join(self, low: Node, high: Node) -> Node | None:
        """Return two neighbours of a concatenation as one node, if they are one."""
        width = low.width + high.width
        if low.is_const and high.is_const:
            return self.const(low.number | high.number << low.width, width)
        below = (low.args[0], low.number) if low.op == "slice" else (low, 0)
        if high.op == "slice" and high.args[0] is below[0] and high.number == below[1] + low.width:
            return self.slice(below[0], below[1], width)
        bit = high.args[0] if high.op == "rep" else high if high.width == 1 else None
        if bit is None:
            return None
        if (low.args[0] if low.op == "rep" else low) is bit:
            return self.rep(bit, width)
        return None

    def rep(self, bit: Node, width: int) -> Node:
        """Return a bit repeated."""
        if bit.is_const:
            return self.const(-bit.number, width)
        return bit if width == 1 else self._node("rep", width, (bit,))

    def sext(self, a: Node, width: int) -> Node:
        """Return a word made wider by its sign."""
        if width == a.width:
            return a
        if a.width == 1:
            return self.rep(a, width)
        if a.is_const:
            return self.const(signed(a.number, a.width), width)
        if a.zeros >> (a.width - 1):
            return self.cat([a, self.const(0, width - a.width)])
        return self._node("sext", width, (a,))

    def parity(self, a: Node) -> Node:
        """Return the exclusive or of all bits."""
        return masks.parity(self, a) if a.op == "cat" else self.parity_of_word(a)

    def parity_of_word(self, a: Node) -> Node:
        """Return the exclusive or of all bits of what is one word as it is."""
        if a.is_const:
            return self.const(a.number.bit_count() & 1, 1)
        return a if a.width == 1 else self._node("parity", 1, (a,))
