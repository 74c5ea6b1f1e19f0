# SPDX-License-Identifier: BSD-3-Clause
"""The gates and ports that a scan chain adds to a module, each gate made once."""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, bit_key
from goldengate.state import State, public


def signal(bits: list[Any]) -> Any:
    """Return the signal of some bits, the lowest first."""
    found = ys.SigSpec()
    for bit in bits:
        found.append(bit)
    return found


def only(found: Any) -> Any:
    """Return the bit of a signal that has one."""
    return next(iter(found.to_sigbit_vector()))


def listed(found: Any) -> list[Any]:
    """Return the bits of a signal."""
    return list(found.to_sigbit_vector())


def is_zero(bit: Any) -> bool:
    """Return whether a bit is the constant 0."""
    return not bit.is_wire() and bit.data == ys.State.S0


class Cells:
    """Adds cells to the module of a state."""

    def __init__(self, state: State) -> None:
        self.module = state.module
        self.clock = ys.SigSpec(self.module.wire(public(state.request.clock)))
        self._made = 0
        self._gates: dict[tuple[str, Bit, Bit], Any] = {}

    def name(self) -> Any:
        """Return a name for the next cell or wire."""
        self._made += 1
        return ys.IdString(f"$firesim$scan${self._made}")

    def port(self, name: str, width: int, is_input: bool) -> Any:
        """Add a port; return its signal."""
        wire = self.module.addWire(public(name), width)
        wire.port_input, wire.port_output = is_input, not is_input
        return ys.SigSpec(wire)

    def gate(self, kind: str, first: Any, second: Any) -> Any:
        """Return the bit of a gate: `And`, `Or`, or `Not`, of the first alone."""
        key = (kind, bit_key(first), bit_key(second))
        if key not in self._gates:
            operands = [ys.SigSpec(first, 1)] + ([] if kind == "Not" else [ys.SigSpec(second, 1)])
            self._gates[key] = only(getattr(self.module, kind)(self.name(), *operands))
        return self._gates[key]

    def not_(self, bit: Any) -> Any:
        """Return the inverse of a bit."""
        return self.gate("Not", bit, bit)

    def any(self, bits: list[Any]) -> Any:
        """Return the bit that is 1 when one of some is."""
        found = bits[0]
        for bit in bits[1:]:
            found = self.gate("Or", found, bit)
        return found

    def mux(self, otherwise: list[Any], chosen: list[Any], select: Any) -> list[Any]:
        """Return bits that are the chosen ones where `select` is 1."""
        where = ys.SigSpec(select, 1)
        return listed(self.module.Mux(self.name(), signal(otherwise), signal(chosen), where))

    def equals(self, value: Any, number: int) -> Any:
        """Return the bit that says whether a signal has a value."""
        return only(self.module.Eq(self.name(), value, ys.SigSpec(ys.Const(number, value.size()))))


def active(cells: Cells, cell: Any, port: str) -> Any:
    """Return the bit of an enable or reset of a register, 1 when it acts."""
    bit = only(cell.getPort(public(port)))
    return bit if cell.getParam(public(f"{port}_POLARITY")).as_bool() else cells.not_(bit)
