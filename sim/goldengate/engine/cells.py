# SPDX-License-Identifier: BSD-3-Clause
"""Step `cells`: what each kind of Yosys cell computes, as nodes of the graph.

Semantics as in the Yosys manual, two-state: `x` is 0, so a division by zero and a read beyond an
operand give 0.
"""

from __future__ import annotations

from collections.abc import Callable

from goldengate.engine import signals
from goldengate.engine.ir import Graph
from goldengate.engine.nodes import Node
from goldengate.engine.rtlil import Cell
from goldengate.engine.signals import Signal

Inputs = dict[str, Signal]


def _operands(graph: Graph, cell: Cell, inputs: Inputs, width: int) -> tuple[Signal, Signal, bool]:
    """Return A and B made `width` bits wide, and whether both are signed."""
    is_signed = bool(cell.integer("A_SIGNED")) and bool(cell.integer("B_SIGNED"))
    a, b = (signals.extend(graph, inputs[port], width, is_signed) for port in ("A", "B"))
    return a, b, is_signed


def _compare_width(cell: Cell) -> int:
    return max(cell.width("A"), cell.width("B"))


def _bitwise(op: str, inverted: bool = False) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        a, b, _ = _operands(graph, cell, inputs, cell.width("Y"))
        found = signals.bitwise(graph, op, a, b)
        return signals.invert(graph, found) if inverted else found

    return rule


def _arithmetic(function: Callable[[Graph, Signal, Signal], Signal]) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        a, b, _ = _operands(graph, cell, inputs, cell.width("Y"))
        return function(graph, a, b)

    return rule


def _conditional_negate(graph: Graph, select: Node, a: Signal) -> Signal:
    return signals.mux(graph, select, signals.negate(graph, a), a)


def _sign(graph: Graph, a: Signal) -> Node:
    return graph.slice(a[-1], a[-1].width - 1, 1)


def _divide(op: str, floor: bool) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        width = max(_compare_width(cell), cell.width("Y"))
        a, b, is_signed = _operands(graph, cell, inputs, width)
        if not is_signed:
            return signals.divide(graph, op, a, b)
        a_sign, b_sign = _sign(graph, a), _sign(graph, b)
        left = _conditional_negate(graph, a_sign, a)
        right = _conditional_negate(graph, b_sign, b)
        differ = graph.binary("xor", a_sign, b_sign)
        found = signals.divide(graph, op, left, right)
        found = _conditional_negate(graph, differ if op == "div" else a_sign, found)
        if not floor:
            return found
        rest = signals.divide(graph, "mod", left, right)
        uneven = graph.binary("and", differ, signals.any_bit(graph, rest))
        if op == "div":
            lower = signals.subtract(graph, found, signals.constant(graph, 1, width))
        else:
            lower = signals.add(graph, found, b)
        return signals.mux(graph, uneven, lower, found)

    return rule


def _compare(function: Callable[[Graph, Signal, Signal, bool], Node]) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        a, b, is_signed = _operands(graph, cell, inputs, _compare_width(cell))
        return [function(graph, a, b, is_signed)]

    return rule


def _reduce(function: Callable[[Graph, Signal], Node], inverted: bool = False) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        found = function(graph, inputs["A"])
        return [graph.invert(found) if inverted else found]

    return rule


def _logic(op: str) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        a, b = (signals.any_bit(graph, inputs[port]) for port in ("A", "B"))
        return [graph.binary(op, a, b)]

    return rule


def _shift(left: bool, arithmetic: bool = False) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        is_signed = bool(cell.integer("A_SIGNED"))
        width = cell.width("Y") if left else max(cell.width("A"), cell.width("Y"))
        a = signals.extend(graph, inputs["A"], width, is_signed)
        fill = _sign(graph, a) if arithmetic and is_signed else graph.const(0, 1)
        return signals.shift(graph, a, inputs["B"], left, fill)

    return rule


def _shift_either_way(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
    """$shift and $shiftx: to the right, or to the left by a negative signed amount."""
    width = max(cell.width("A"), cell.width("Y"))
    a = signals.extend(graph, inputs["A"], width, bool(cell.integer("A_SIGNED")))
    amount, zero = inputs["B"], graph.const(0, 1)
    right = signals.shift(graph, a, amount, False, zero)
    if not cell.integer("B_SIGNED"):
        return right
    back = signals.shift(graph, a, signals.negate(graph, amount), True, zero)
    return signals.mux(graph, _sign(graph, amount), back, right)


def _mux(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
    return signals.mux(graph, graph.cat(inputs["S"]), inputs["B"], inputs["A"])


def _pmux(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
    width = cell.width("A")
    found = inputs["A"]
    for index in reversed(range(cell.width("S"))):
        select = graph.cat(signals.take(graph, inputs["S"], index, 1))
        case = signals.take(graph, inputs["B"], index * width, width)
        found = signals.mux(graph, select, case, found)
    return found


def _bmux(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
    width, count = cell.width("Y"), 1 << cell.width("S")
    found = [signals.take(graph, inputs["A"], index * width, width) for index in range(count)]
    for index in range(cell.width("S")):  # by the lowest bit first, so that words stay apart
        select = graph.cat(signals.take(graph, inputs["S"], index, 1))
        pairs = zip(found[1::2], found[::2], strict=True)
        found = [signals.mux(graph, select, high, low) for high, low in pairs]
    return found[0]


def _demux(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
    found: Signal = []
    for index in range(1 << cell.width("S")):
        chosen = signals.equal(graph, inputs["S"], signals.constant(graph, index, cell.width("S")))
        zero = signals.constant(graph, 0, cell.width("A"))
        found += signals.mux(graph, chosen, inputs["A"], zero)
    return found


def _unary(function: Callable[[Graph, Signal], Signal]) -> _Rule:
    def rule(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
        is_signed = bool(cell.integer("A_SIGNED"))
        return function(graph, signals.extend(graph, inputs["A"], cell.width("Y"), is_signed))

    return rule


def _not_less(graph: Graph, a: Signal, b: Signal, is_signed: bool) -> Node:
    return graph.invert(signals.less(graph, a, b, is_signed))


def _equal(graph: Graph, a: Signal, b: Signal, is_signed: bool) -> Node:
    return signals.equal(graph, a, b)


_Rule = Callable[[Graph, Cell, Inputs], Signal]

RULES: dict[str, _Rule] = {
    "$not": _unary(signals.invert),
    "$pos": _unary(lambda graph, a: a),
    "$buf": _unary(lambda graph, a: a),
    "$neg": _unary(signals.negate),
    "$and": _bitwise("and"),
    "$or": _bitwise("or"),
    "$xor": _bitwise("xor"),
    "$xnor": _bitwise("xor", inverted=True),
    "$add": _arithmetic(signals.add),
    "$sub": _arithmetic(signals.subtract),
    "$mul": _arithmetic(signals.multiply),
    "$div": _divide("div", floor=False),
    "$mod": _divide("mod", floor=False),
    "$divfloor": _divide("div", floor=True),
    "$modfloor": _divide("mod", floor=True),
    "$eq": _compare(_equal),
    "$eqx": _compare(_equal),
    "$ne": _compare(lambda graph, a, b, s: graph.invert(_equal(graph, a, b, s))),
    "$nex": _compare(lambda graph, a, b, s: graph.invert(_equal(graph, a, b, s))),
    "$lt": _compare(signals.less),
    "$gt": _compare(lambda graph, a, b, s: signals.less(graph, b, a, s)),
    "$ge": _compare(_not_less),
    "$le": _compare(lambda graph, a, b, s: _not_less(graph, b, a, s)),
    "$reduce_or": _reduce(signals.any_bit),
    "$reduce_bool": _reduce(signals.any_bit),
    "$reduce_and": _reduce(signals.all_bits),
    "$reduce_xor": _reduce(signals.parity),
    "$reduce_xnor": _reduce(signals.parity, inverted=True),
    "$logic_not": _reduce(signals.any_bit, inverted=True),
    "$logic_and": _logic("and"),
    "$logic_or": _logic("or"),
    "$shl": _shift(left=True),
    "$sshl": _shift(left=True),
    "$shr": _shift(left=False),
    "$sshr": _shift(left=False, arithmetic=True),
    "$shift": _shift_either_way,
    "$shiftx": _shift_either_way,
    "$mux": _mux,
    "$pmux": _pmux,
    "$bmux": _bmux,
    "$demux": _demux,
}


def evaluate(graph: Graph, cell: Cell, inputs: Inputs) -> Signal:
    """Return what drives output Y of a combinational cell."""
    found = RULES[cell.kind](graph, cell, inputs)
    return signals.extend(graph, found, cell.width("Y"), False)
