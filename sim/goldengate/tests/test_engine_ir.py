# SPDX-License-Identifier: BSD-3-Clause
"""The graph: folding keeps values; equal expressions are one node."""

from __future__ import annotations

import random
from collections.abc import Callable

from goldengate.engine.ir import Graph
from goldengate.engine.nodes import Node, mask, signed
from goldengate.tests.designs import seed


def value(node: Node, leaves: dict[object, int]) -> int:
    """Compute a node the obvious way."""
    args = [value(arg, leaves) for arg in node.args]
    width, op = node.width, node.op
    if op == "const":
        return node.number
    if op == "leaf":
        return leaves[node.value]
    if op == "slice":
        return args[0] >> node.number & mask(width)
    if op == "cat":
        total, position = 0, 0
        for arg, part in zip(node.args, args, strict=True):
            total |= part << position
            position += arg.width
        return total
    if op in ("rep", "sext"):
        return signed(args[0], node.args[0].width) & mask(width)
    if op == "mux":
        return args[1] if args[0] else args[2]
    if op == "parity":
        return args[0].bit_count() & 1
    table: dict[str, Callable[[int, int], int]] = {
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "eq": lambda a, b: a == b,
        "lt": lambda a, b: a < b,
        "shl": lambda a, b: a << b if b < width else 0,
        "shr": lambda a, b: a >> b if b < width else 0,
        "sar": lambda a, b: signed(a, width) >> min(b, width - 1),
    }
    return int(table[op](args[0], args[1])) & mask(width)


def test_folding_keeps_the_value() -> None:
    """Each random step is computed beside the graph, from the values of its arguments."""
    number = seed()
    for case in range(300):
        generator = random.Random(number * 1000 + case)
        graph = Graph()
        leaves: dict[object, int] = {}
        pool: list[tuple[Node, int]] = []
        for index in range(4):
            width = generator.choice((1, 1, 4, 8, 33, 64))
            leaves[index] = generator.getrandbits(width)
            pool.append((graph.leaf(index, width), leaves[index]))
            constant = generator.choice((0, 1, mask(width), generator.getrandbits(width)))
            pool.append((graph.const(constant, width), constant & mask(width)))
        for _ in range(40):
            a, x = generator.choice(pool)
            same = [entry for entry in pool if entry[0].width == a.width]
            b, y = generator.choice(same)
            kind = generator.choice("and or xor add sub eq lt shl shr sar mux slice cat".split())
            width = a.width
            if kind == "mux":
                s, z = generator.choice(
                    [e for e in pool if e[0].width == 1] or [(graph.const(1, 1), 1)]
                )
                made, expected = graph.mux(s, a, b), x if z else y
            elif kind == "slice":
                low = generator.randint(0, width - 1)
                size = generator.randint(1, width - low)
                made, expected = graph.slice(a, low, size), x >> low & mask(size)
            elif kind == "cat":
                if 2 * width > 64:
                    continue
                made, expected = graph.cat([a, b]), x | y << width
            elif kind in ("eq", "lt"):
                made = graph.eq(a, b) if kind == "eq" else graph.lt(a, b)
                expected = int(x == y if kind == "eq" else x < y)
            else:
                made = graph.binary(kind, a, b)
                expected = {
                    "and": x & y, "or": x | y, "xor": x ^ y, "add": x + y, "sub": x - y,
                    "shl": x << y if y < width else 0, "shr": x >> y if y < width else 0,
                    "sar": signed(x, width) >> min(y, width - 1),
                }[kind] & mask(width)  # fmt: skip
            assert value(made, leaves) == expected, f"seed {number}, case {case}: {kind}"
            assert expected & made.zeros == 0, f"seed {number}, case {case}: {kind} knows too much"
            pool.append((made, expected))


def test_equal_expressions_are_one_node() -> None:
    graph = Graph()
    a, b = graph.leaf("a", 8), graph.leaf("b", 8)
    assert graph.binary("add", a, b) is graph.binary("add", b, a)
    assert graph.slice(graph.cat([a, b]), 8, 8) is b
    assert graph.cat([graph.slice(a, 0, 3), graph.slice(a, 3, 5)]) is a


def test_comparison_with_what_cannot_be() -> None:
    """A concatenation with a constant above is compared with that constant, too."""
    graph = Graph()
    a = graph.cat([graph.leaf("a", 1), graph.const(1, 2)])
    assert graph.eq(a, graph.const(0, 3)).number == 0
    assert graph.eq(a, graph.const(3, 3)) is graph.leaf("a", 1)


def test_bits_of_one_word_are_compared_under_a_mask() -> None:
    """`&{i[0], ~i[2], i[5], b}` is one comparison of `i`, and `b`."""
    graph = Graph()
    word, bit = graph.leaf("i", 32), graph.leaf("b", 1)
    first, second, third = (graph.slice(word, at, 1) for at in (0, 2, 5))
    parts = graph.cat([first, graph.invert(second), third, bit])
    found = graph.eq(parts, graph.const(15, 4))
    assert found.op == "and" and bit in found.args
    (compared,) = [one for one in found.args if one is not bit]
    assert compared.op == "eq" and compared.args[1].number == 0x21
    assert compared.args[0].op == "and" and compared.args[0].args[1].number == 0x25
    assert compared.args[0].args[0] is word
    twice = graph.cat([first, second, graph.invert(first)])
    assert graph.eq(twice, graph.const(7, 3)) is graph.const(0, 1)


def _side_by_side(graph: Graph, words: list[Node], generator: random.Random) -> Node:
    """Return parts of words in a row, some inverted, masked or repeated."""
    parts: list[Node] = []
    while sum(part.width for part in parts) < 20:
        word = generator.choice(words)
        size = generator.randint(1, min(word.width, 4))
        part = graph.slice(word, generator.randint(0, word.width - size), size)
        constant = graph.const(generator.getrandbits(size), size)
        kind = generator.randrange(6)
        if kind < 3:
            part = graph.binary("and" if kind == 2 else "xor", part, constant)
        parts.append(graph.rep(graph.slice(part, 0, 1), 3) if kind == 4 else part)
    return graph.cat(parts)


def test_what_lies_side_by_side_keeps_its_value_when_compared_and_in_parities() -> None:
    number = seed()
    for case in range(300):
        generator = random.Random(f"masks {number} {case}")
        graph = Graph()
        leaves: dict[object, int] = {}
        words = []
        for index, width in enumerate((1, 1, 8, 32, 64)):
            leaves[index] = generator.choice((0, mask(width), generator.getrandbits(width)))
            words.append(graph.leaf(index, width))
        whole = _side_by_side(graph, words, generator)
        present = value(whole, leaves)
        wanted = generator.choice((present, present, present ^ 1, 0, mask(whole.width)))
        found = graph.eq(whole, graph.const(wanted, whole.width))
        assert value(found, leaves) == (present == wanted), f"case {case}, seed {number}"
        odd = value(graph.parity(whole), leaves)
        assert odd == present.bit_count() & 1, f"case {case}, seed {number}"


def test_parities_of_bits_of_one_word_are_of_a_mask() -> None:
    """`^{i[0], ~i[2], i[5], i[7], i[7]}` is the parity of `i & 0x25`, inverted."""
    graph = Graph()
    word = graph.leaf("i", 32)
    first, second, third, twice = (graph.slice(word, at, 1) for at in (0, 2, 5, 7))
    found = graph.parity(graph.cat([twice, first, graph.invert(second), third, twice]))
    inner = graph.inverted(found)
    assert inner is not None and inner.op == "parity"
    assert inner.args[0] is graph.binary("and", word, graph.const(0x25, 32))
