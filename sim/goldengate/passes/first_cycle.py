# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `write`: for Verilator, asynchronous controls act by level in the first cycle.

Verilog runs a process with an asynchronous reset at an edge, so a reset that is active from the
first cycle on, without an edge, would not act in it. In: the flat module. Out: each such control is
gated by an input `firesim_started`, which rises in the first cycle, with its inputs in place. So
what is active then, high or low, has its edge; afterwards nothing is changed. The generated engine
and FAME-1 forms take these controls by level everywhere.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, bit_key
from goldengate.errors import GoldenGateError
from goldengate.state import State, plain, public

STARTED = "firesim_started"
CONTROLS = ("ARST", "ALOAD", "SET", "CLR")
_CLOCKED = frozenset("$adff $adffe $aldff $aldffe $dffsr $dffsre".split())


class _Gates:
    """Gates controls of registers; each bit once."""

    def __init__(self, module: Any, started: Any) -> None:
        self.module = module
        self.started = started
        self.stopped: Any = None
        self.made: dict[tuple[Bit, bool], Any] = {}

    def bit(self, bit: Any, is_high: bool) -> Any:
        """Return a bit that is inactive before the first cycle, and then as `bit`."""
        key = bit_key(bit), is_high
        if key not in self.made:
            name = f"$firesim$first_cycle${len(self.made)}"
            one = ys.SigSpec(bit, 1)
            if is_high:
                made = self.module.And(ys.IdString(name), one, self.started)
            else:
                if self.stopped is None:
                    self.stopped = self.module.Not(ys.IdString(f"{name}$not"), self.started)
                made = self.module.Or(ys.IdString(name), one, self.stopped)
            self.made[key] = next(iter(made.to_sigbit_vector()))
        return self.made[key]

    def control(self, cell: Any, port: str) -> None:
        """Gate a control of a register."""
        is_high = cell.getParam(public(f"{port}_POLARITY")).as_bool()
        gated = ys.SigSpec()
        for bit in cell.getPort(public(port)).to_sigbit_vector():
            gated.append(self.bit(bit, is_high))
        cell.setPort(public(port), gated)


def run(state: State) -> bool:
    """Gate every asynchronous control; return whether there is any."""
    module = state.module
    cells = [cell for cell in module.cells_.values() if plain(cell.type) in _CLOCKED]
    if not cells:
        return False
    if module.wire(public(STARTED)) is not None:
        raise GoldenGateError(
            f"{state.request.top}: the name '{STARTED}' is reserved; rename the signal."
        )
    wire = module.addWire(public(STARTED), 1)
    wire.port_input = True
    module.fixup_ports()
    gates = _Gates(module, ys.SigSpec(wire))
    for cell in cells:
        for port in CONTROLS:
            if cell.hasPort(public(port)):
                gates.control(cell, port)
    return True
