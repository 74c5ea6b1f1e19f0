# SPDX-License-Identifier: BSD-3-Clause
"""Step `registers`: flip-flops of every kind become words of state with a next value.

Asynchronous sets, resets and loads act on what the rest of the design sees in the same cycle, and
on the next state. Values are taken before a rising edge of the one clock.
"""

from __future__ import annotations

from goldengate.engine import signals
from goldengate.engine.design import Design, Register
from goldengate.engine.ir import Graph
from goldengate.engine.nodes import WORD, Node
from goldengate.engine.rtlil import Cell, Module
from goldengate.engine.signals import Signal

KINDS = frozenset(
    "$ff $dff $dffe $sdff $sdffe $sdffce $adff $adffe $aldff $aldffe $dffsr $dffsre".split()
)
ASYNCHRONOUS = frozenset("$adff $adffe $aldff $aldffe $dffsr $dffsre".split())
ASYNCHRONOUS_PORTS = ("ARST", "ALOAD", "AD", "SET", "CLR")

Inputs = dict[str, Signal]
_MOST_NESTED = 6
"""Selections in selections in which `by_selections` looks for the register itself."""


def leaves(design: Design, module: Module, cell: Cell) -> Signal:
    """Add the registers of a cell, without their next values; return their present values.

    Each chunk of Q has words of its own, since a word is found by its name and lowest bit: a cell
    may hold several wires, or a wire with a hole, where bits are constant.
    """
    found: Signal = []
    for name, first, size in cell.ports["Q"]:
        initial = module.wires[name].initial or 0
        for low in range(first, first + size, WORD):
            width = min(WORD, first + size - low)
            index = len(design.registers)
            leaf = design.graph.leaf(("register", index), width)
            start = initial >> low & ((1 << width) - 1)
            design.registers.append(Register(index, name, low, leaf, leaf, start))
            found.append(leaf)
    return found


def _active(graph: Graph, cell: Cell, inputs: Inputs, port: str) -> Node:
    """Return a one-bit control as a node that is 1 when active."""
    value = graph.cat(inputs[port])
    return value if cell.integer(f"{port}_POLARITY") else graph.invert(value)


def visible(graph: Graph, cell: Cell, inputs: Inputs, state: Signal) -> Signal:
    """Return what the design sees at Q: `state`, except under asynchronous controls."""
    width = cell.width("Q")
    if "ARST" in inputs:
        value = signals.constant(graph, cell.integer("ARST_VALUE"), width)
        return signals.mux(graph, _active(graph, cell, inputs, "ARST"), value, state)
    if "ALOAD" in inputs:
        return signals.mux(graph, _active(graph, cell, inputs, "ALOAD"), inputs["AD"], state)
    if "SET" in inputs:
        sets, clears = (
            inputs[port]
            if cell.integer(f"{port}_POLARITY")
            else signals.invert(graph, inputs[port])
            for port in ("SET", "CLR")
        )
        high = signals.bitwise(graph, "or", state, sets)
        return signals.bitwise(graph, "and", high, signals.invert(graph, clears))
    return state


def following(graph: Graph, cell: Cell, inputs: Inputs, state: Signal) -> Signal:
    """Return the next state; `state` is the present one."""
    found = inputs["D"]
    width = cell.width("Q")
    enable = _active(graph, cell, inputs, "EN") if "EN" in inputs else None
    if enable is not None and cell.kind != "$sdffce":
        found = signals.mux(graph, enable, found, state)
    if "SRST" in inputs:
        value = signals.constant(graph, cell.integer("SRST_VALUE"), width)
        found = signals.mux(graph, _active(graph, cell, inputs, "SRST"), value, found)
    if enable is not None and cell.kind == "$sdffce":
        found = signals.mux(graph, enable, found, state)
    return visible(graph, cell, inputs, found)


def by_selections(graph: Graph, value: Node, leaf: Node) -> Node:
    """Return the next value of a one-bit register so that it says where the register keeps it.

    What was `if (reset) q <= 0; else if (enable) q <= d;` is `!reset & (enable ? d : q)` in the
    graph. As `reset ? 0 : enable ? d : q` nothing needs to be done for `q` while both are 0.
    """
    found = _selections(graph, value, leaf, _MOST_NESTED) if value.width == 1 else None
    return found or value


def _selections(graph: Graph, value: Node, leaf: Node, depth: int) -> Node | None:
    """Return a bit as selections in selections, of which one gives `leaf`, if that is found."""
    if depth == 0 or value.op not in ("mux", "and", "or"):
        return None
    if value.op == "mux":
        select, *arms = value.args
        found = [_selections(graph, arm, leaf, depth - 1) for arm in arms]
        if leaf not in arms and not any(found):
            return None
        high, low = (new or old for new, old in zip(found, arms, strict=True))
        return graph.selection(select, high, low)
    for kept, other in (value.args, reversed(value.args)):
        rest = _selections(graph, kept, leaf, depth - 1)
        if rest is not None:
            return _gated(graph, value.op, other, rest)
    return None


def _gated(graph: Graph, op: str, gate: Node, rest: Node) -> Node:
    """Return `gate & rest` or `gate | rest` as a selection by the gate."""
    fixed = graph.const(op == "or", 1)
    inverted = graph.inverted(gate)
    select = gate if inverted is None else inverted
    if (inverted is None) == (op == "and"):
        return graph.selection(select, rest, fixed)
    return graph.selection(select, fixed, rest)
