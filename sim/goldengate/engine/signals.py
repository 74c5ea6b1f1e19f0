# SPDX-License-Identifier: BSD-3-Clause
"""Values of any width: lists of graph nodes, lowest first, and arithmetic on them.

A signal is a list of nodes of any widths up to 64 bits. Slicing and concatenating signals costs
nothing in the generated code until a word is needed; wider arithmetic becomes words and carries.
"""

from __future__ import annotations

from collections.abc import Callable

from goldengate.engine.ir import Graph
from goldengate.engine.nodes import WORD, Node

Signal = list[Node]


def width_of(signal: Signal) -> int:
    """Return the width in bits."""
    return sum(part.width for part in signal)


def constant(graph: Graph, value: int, width: int) -> Signal:
    """Return a constant of any width."""
    return [graph.const(value >> low, min(WORD, width - low)) for low in range(0, width, WORD)]


def take(graph: Graph, signal: Signal, low: int, width: int) -> Signal:
    """Return `width` bits from bit `low` on."""
    found, position = [], 0
    for part in signal:
        first, last = max(low - position, 0), min(low + width - position, part.width)
        if first < last:
            found.append(graph.slice(part, first, last - first))
        position += part.width
    return found


def words(graph: Graph, signal: Signal) -> Signal:
    """Return the signal cut into words of 64 bits; the last may be shorter."""
    total = width_of(signal)
    return [
        graph.cat(take(graph, signal, low, min(WORD, total - low))) for low in range(0, total, WORD)
    ]


def extend(graph: Graph, signal: Signal, width: int, is_signed: bool) -> Signal:
    """Return the signal cut or made wider to `width` bits."""
    have = width_of(signal)
    if have >= width:
        return take(graph, signal, 0, width)
    if have == 0:
        return constant(graph, 0, width)
    if not is_signed:
        return signal + constant(graph, 0, width - have)
    if width <= WORD:
        return [graph.sext(graph.cat(signal), width)]
    sign = graph.slice(signal[-1], signal[-1].width - 1, 1)
    more = width - have
    return signal + [graph.rep(sign, min(WORD, more - low)) for low in range(0, more, WORD)]


def bitwise(graph: Graph, op: str, a: Signal, b: Signal) -> Signal:
    """Return `a op b` bit by bit; equal widths."""
    pairs = zip(words(graph, a), words(graph, b), strict=True)
    return [graph.binary(op, x, y) for x, y in pairs]


def invert(graph: Graph, a: Signal) -> Signal:
    """Return the complement."""
    return [graph.invert(word) for word in words(graph, a)]


def mux(graph: Graph, select: Node, high: Signal, low: Signal) -> Signal:
    """Return `select ? high : low`; equal widths."""
    pairs = zip(words(graph, high), words(graph, low), strict=True)
    return [graph.mux(select, x, y) for x, y in pairs]


def any_bit(graph: Graph, a: Signal) -> Node:
    """Return whether any bit is 1."""
    found = graph.const(0, 1)
    for word in words(graph, a):
        zero = graph.eq(word, graph.const(0, word.width))
        found = graph.binary("or", found, graph.invert(zero))
    return found


def all_bits(graph: Graph, a: Signal) -> Node:
    """Return whether every bit is 1."""
    found = graph.const(1, 1)
    for word in words(graph, a):
        found = graph.binary("and", found, graph.eq(word, graph.const(-1, word.width)))
    return found


def parity(graph: Graph, a: Signal) -> Node:
    """Return the exclusive or of all bits."""
    found = graph.const(0, 1)
    for word in words(graph, a):
        found = graph.binary("xor", found, graph.parity(word))
    return found


def equal(graph: Graph, a: Signal, b: Signal) -> Node:
    """Return whether two signals of equal width are equal."""
    found = graph.const(1, 1)
    for x, y in zip(words(graph, a), words(graph, b), strict=True):
        found = graph.binary("and", found, graph.eq(x, y))
    return found


def less(graph: Graph, a: Signal, b: Signal, is_signed: bool) -> Node:
    """Return whether a < b; equal widths."""
    left, right = words(graph, a), words(graph, b)
    if is_signed:
        sign = graph.const(1 << (left[-1].width - 1), left[-1].width)
        left[-1], right[-1] = (graph.binary("xor", w, sign) for w in (left[-1], right[-1]))
    found = graph.const(0, 1)
    for x, y in zip(left, right, strict=True):
        same_and_less = graph.binary("and", graph.eq(x, y), found)
        found = graph.binary("or", graph.lt(x, y), same_and_less)
    return found


def _carry(graph: Graph, carry: Node, width: int) -> Node:
    return graph.cat([carry, graph.const(0, width - 1)]) if width > 1 else carry


def add(graph: Graph, a: Signal, b: Signal) -> Signal:
    """Return a + b; equal widths, the last carry is dropped."""
    total: Signal = []
    carry: Node | None = None
    for x, y in zip(words(graph, a), words(graph, b), strict=True):
        part = graph.binary("add", x, y)
        over = graph.lt(part, x)
        if carry is not None:
            whole = graph.binary("add", part, _carry(graph, carry, part.width))
            over = graph.binary("or", over, graph.lt(whole, part))
            part = whole
        total.append(part)
        carry = over
    return total


def subtract(graph: Graph, a: Signal, b: Signal) -> Signal:
    """Return a - b; equal widths."""
    total: Signal = []
    borrow: Node | None = None
    for x, y in zip(words(graph, a), words(graph, b), strict=True):
        part = graph.binary("sub", x, y)
        under = graph.lt(x, y)
        if borrow is not None:
            taken = _carry(graph, borrow, part.width)
            under = graph.binary("or", under, graph.lt(part, taken))
            part = graph.binary("sub", part, taken)
        total.append(part)
        borrow = under
    return total


def negate(graph: Graph, a: Signal) -> Signal:
    """Return -a."""
    return subtract(graph, constant(graph, 0, width_of(a)), a)


def multiply(graph: Graph, a: Signal, b: Signal) -> Signal:
    """Return a * b, cut to the common width."""
    width = width_of(a)
    if width <= WORD:
        return [graph.binary("mul", graph.cat(a), graph.cat(b))]
    count = (width + WORD - 1) // WORD
    left, right = (words(graph, extend(graph, s, count * WORD, False)) for s in (a, b))
    total = constant(graph, 0, count * WORD)
    for i in range(count):
        for j in range(count - i):
            product = [graph.binary("mul", left[i], right[j])]
            if i + j + 1 < count:
                product.append(graph.binary("mulh", left[i], right[j]))
            shifted = constant(graph, 0, (i + j) * WORD) + product
            total = add(graph, total, extend(graph, shifted, count * WORD, False))
    return take(graph, total, 0, width)


def divide(graph: Graph, op: str, a: Signal, b: Signal) -> Signal:
    """Return a / b (`div`) or a % b (`mod`), unsigned; equal widths; 0 when b is 0."""
    width = width_of(a)
    if width <= WORD:
        return [graph.binary(op, graph.cat(a), graph.cat(b))]
    count = (width + WORD - 1) // WORD
    padded = [words(graph, extend(graph, s, count * WORD, False)) for s in (a, b)]
    args = (*padded[0], *padded[1])
    result = [graph.wide_division(op + "w", WORD, args, index) for index in range(count)]
    return take(graph, result, 0, width)


_Stage = Callable[[Signal, int], Signal]


def _shift_words(
    graph: Graph, value: Signal, amount: Node, fill: Node, left: bool
) -> tuple[Signal, int]:
    """Shift whole words by the bits of `amount` above bit 5; return (words, bits used)."""
    count, bit = len(value), 6
    while (1 << (bit - 6)) < count and bit < amount.width:
        by = 1 << (bit - 6)
        select = graph.slice(amount, bit, 1)
        moved = [fill] * by + value[:-by] if left else value[by:] + [fill] * by
        value = [graph.mux(select, m, v) for m, v in zip(moved, value, strict=True)]
        bit += 1
    return value, bit


def _shift_bits(graph: Graph, value: Signal, amount: Node, fill: Node, left: bool) -> Signal:
    """Shift by the low six bits of `amount`."""
    low = graph.slice(amount, 0, min(6, amount.width))
    low = graph.cat([low, graph.const(0, 6 - low.width)]) if low.width < 6 else low
    rest = graph.invert(low)
    one = graph.const(1, 1)
    near, far = ("shl", "shr") if left else ("shr", "shl")
    found = []
    for index, word in enumerate(value):
        other = index - 1 if left else index + 1
        neighbour = value[other] if 0 <= other < len(value) else fill
        carried = graph.binary(far, graph.binary(far, neighbour, one), rest)
        found.append(graph.binary("or", graph.binary(near, word, low), carried))
    return found


def shift(graph: Graph, a: Signal, amount: Signal, left: bool, fill: Node) -> Signal:
    """Return `a` shifted by any amount; the one-bit node `fill` moves in."""
    width = width_of(a)
    if all(part.is_const for part in amount):
        return _shift_constant(graph, a, amount, left, fill)
    if width <= WORD and width_of(amount) <= WORD:
        zero = fill.is_const and fill.number == 0
        op = "sar" if not zero else "shl" if left else "shr"
        return [graph.binary(op, graph.cat(a), graph.cat(amount))]
    count = (width + WORD - 1) // WORD
    more = count * WORD - width
    padded = [*a, graph.rep(fill, more)] if more else a
    filler = graph.rep(fill, WORD)
    low = graph.cat(take(graph, amount, 0, min(WORD, width_of(amount))))
    value, used = _shift_words(graph, words(graph, padded), low, filler, left)
    value = take(graph, _shift_bits(graph, value, low, filler, left), 0, width)
    beyond = take(graph, amount, used, max(width_of(amount) - used, 0))
    if not beyond:
        return value
    empty = extend(graph, [filler] * count, width, False)
    return mux(graph, any_bit(graph, beyond), empty, value)


def _shift_constant(graph: Graph, a: Signal, amount: Signal, left: bool, fill: Node) -> Signal:
    width, by, position = width_of(a), 0, 0
    for part in amount:
        by |= part.number << position
        position += part.width
    by = min(by, width)
    filling = [graph.rep(fill, min(WORD, by - low)) for low in range(0, by, WORD)]
    if left:
        return filling + take(graph, a, 0, width - by)
    return take(graph, a, by, width - by) + filling
