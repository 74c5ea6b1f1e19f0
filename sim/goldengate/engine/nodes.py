# SPDX-License-Identifier: BSD-3-Clause
"""The nodes of the word-level graph: values of 1 to 64 bits.

Every value is an unsigned integer below 2**width. Operations (`a`, `b`, `c` are the arguments):

    const    the number `value`                leaf    a word of state or input, `value` names it
    read     memory column `value` at address a (0 beyond the end)
    and or xor add sub mul div mod             on words of equal width; division by 0 gives 0
    mulh     the high 64 bits of a product     eq lt   one bit; lt is unsigned
    shl shr sar  a shifted by b; b of any width and value
    mux      a ? b : c                         slice   bits `value` and up of a
    cat      arguments side by side, lowest first
    rep      the bit a, repeated               sext    a, its highest bit repeated
    pick     argument a of those behind a, beyond them the last
    parity   one bit                           divw modw  word `value` of a long division
"""

from __future__ import annotations

from typing import Any

WORD = 64
COMMUTATIVE = frozenset(("and", "or", "xor", "add", "mul", "mulh", "eq"))


class Node:
    """One value of the graph; made by Graph only."""

    __slots__ = ("args", "op", "uid", "value", "width", "zeros")

    def __init__(
        self, uid: int, op: str, width: int, args: tuple[Node, ...], value: Any, zeros: int
    ) -> None:
        self.uid = uid
        self.op = op
        self.width = width
        self.args = args
        self.value = value
        self.zeros = zeros

    @property
    def number(self) -> int:
        """The value of a constant, or the position of a slice."""
        assert isinstance(self.value, int)
        return self.value

    @property
    def is_const(self) -> bool:
        """Whether this is a constant."""
        return self.op == "const"

    def __repr__(self) -> str:
        return f"<{self.uid} {self.op}{self.width} {self.value or ''}>"


def mask(width: int) -> int:
    """Return a number of `width` ones."""
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """Read a number in two's complement."""
    return value - (1 << width) if value >> (width - 1) else value
