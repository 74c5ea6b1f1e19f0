# SPDX-License-Identifier: BSD-3-Clause
"""Pass `check`: refuse what cannot be simulated cycle by cycle.

In: the flat module. Out: the same, with no combinational loop (the pass `loops` has taken out those
of logic), no signal with two drivers, and
every register, memory and assert clocked by the one clock, directly or through gates (an integrated
clock gate) or registers (a divider); and every bridge on the clock, where the pass `clocks` has put
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pyosys import libyosys as ys

from goldengate import checked
from goldengate.drivers import Drivers, bit_key, bits
from goldengate.errors import GoldenGateError
from goldengate.passes import bridge_clocks
from goldengate.state import State, plain, public
from goldengate.tasks.calls import PRINT
from goldengate.tasks.cells import call_of

_MOST_STEPS = 4
"""Of a loop that are named."""


def _name(text: str) -> str:
    """Strip module and backslash: `top.\\a.b[0]` or `\\a.b` becomes `a.b[0]`, `a.b`."""
    return text.rpartition("\\")[2].rstrip(":")


_DRIVER = re.compile(r"port \S+ of cell (?P<cell>\S+) \(")
_OWN = re.compile(r"\$driver\$(?P<name>[^\[\s]+)")


def _drivers(state: State, signal: str, details: list[str]) -> str:
    """Say what drives a signal: each driver with its place.

    A register has the name of what its process assigns, where a wire may have that of an input.
    """
    name, _, bit = _name(signal.rstrip(":")).partition(" ")
    found, own = list[str](), name
    for detail in details:
        port = _DRIVER.match(detail)
        cell = state.module.cell(ys.IdString(port["cell"])) if port else None
        if cell is None:
            continue
        what = "by an assignment"
        if register := _OWN.search(plain(cell.name)):
            what, own = "by a process", register["name"]
        elif plain(cell.type) == "$tribuf":
            what = "at times only, for which a multiplexer ('?:') is expected,"
        found.append(f"{what} at {state.place(cell.get_src_attribute())}")
    if len(found) < len(details):
        found.append("from outside, as an input" if own == name else "by an assignment")
    wire = state.module.wire(public(own))
    place = state.place(wire.get_src_attribute() if wire is not None else "")
    shown = own + bit if wire is None or wire.width > 1 else own
    return f"{place}: '{shown}' is driven {' and '.join(sorted(found))}, expected one driver."


def explain_check(state: State, log: str) -> str | None:
    """Turn the first problem in the log of Yosys `check` into a sentence, or None."""
    lines = log.splitlines()
    for index, line in enumerate(lines):
        details = []
        for following in lines[index + 1 :]:
            if not following.startswith("    "):
                break
            details.append(following.strip())
        if "multiple conflicting drivers for" in line:
            return _drivers(state, line.rpartition(" for ")[2], details)
        if "found logic loop" in line:
            wires = [d for d in details if d.startswith("wire \\")]
            steps = [
                f"{_name(d.split(' source: ')[0])} ({state.place(d.split(' source: ')[-1])})"
                for d in wires
            ]
            if len(steps) > _MOST_STEPS:
                steps[_MOST_STEPS:] = [f"{len(steps) - _MOST_STEPS} more"]
            return (
                f"{state.request.top}: combinational loop through {' -> '.join(steps)}; "
                f"put a register in it."
            )
    return None


def _ends_a_blade(state: State, cell: Any) -> bool:
    call = call_of(state, cell)
    return plain(cell.type) == "$check" or (call is not None and call.kind != PRINT)


def _clocked(state: State) -> Iterator[tuple[Any, Any]]:
    """Yield (cell, clock signal) for all clocked cells but bridges."""
    for cell in state.module.cells_.values():
        if cell.hasPort(public("CLK")):
            enable = public("CLK_ENABLE")
            if not cell.hasParam(enable) or cell.getParam(enable).as_bool():
                yield cell, cell.getPort(public("CLK"))
        elif _ends_a_blade(state, cell) and cell.getParam(public("TRG_ENABLE")).as_bool():
            yield cell, cell.getPort(public("TRG"))


def _check_clocks(state: State) -> None:
    clock = (state.request.clock, 0)
    drivers: Drivers | None = None
    accepted = {clock}
    for cell, signal in _clocked(state):
        for bit in bits(signal):
            if bit in accepted:
                continue
            drivers = drivers or Drivers(state.module)
            inputs, register = drivers.leaves(bit)
            if state.request.clock in inputs or (register and not inputs):
                state.divided_clocks |= state.request.clock not in inputs
                accepted.add(bit)
                continue
            other = ", ".join(sorted(inputs)) or bit[0]
            raise GoldenGateError(
                f"{state.place(cell.get_src_attribute())}: this is clocked by '{other}', a second "
                f"clock without a ratio; expected '{state.request.clock}', directly or through "
                f"clock gates."
            )


def _check_bridges(state: State) -> None:
    for cell, bit in bridge_clocks.on_other_clocks(state):
        if bit.is_wire():
            raise GoldenGateError(
                f"{state.place(cell.get_src_attribute())}: the bridge {plain(cell.name)} is on "
                f"'{bit_key(bit)[0]}', a clock without a ratio that no gate makes; expected "
                f"'{state.request.clock}', directly, with a ratio or through clock gates."
            )


def run(state: State) -> None:
    """Refuse loops, double drivers and second clocks."""
    problem = explain_check(state, checked.check(state, "check.log"))
    if problem:
        raise GoldenGateError(problem)
    _check_clocks(state)
    _check_bridges(state)
