# SPDX-License-Identifier: BSD-3-Clause
"""Pass `bounds`: what Verilog says of rows that a memory does not have.

In: memories whose first row may have any number, and addresses of any width. Out: memories that
begin with row 0, and addresses without bits that no row needs, which Verilator would drop: a row
beyond the end reads as 0, and a write to it is lost, instead of meeting another row.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.memory_ports import memory_of
from goldengate.state import State, plain, public

_READ, _WRITE, _INITIAL = "$memrd_v2", "$memwr_v2", ("$meminit", "$meminit_v2")


class _Bounds:
    """Rewrites the ports of one module's memories."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.made = 0

    def _name(self) -> Any:
        self.made += 1
        return ys.IdString(f"$firesim$bounds${self.made}")

    def _rows_from_0(self, cell: Any, offset: int) -> None:
        """Subtract the number of the first row; one bit more, so that lower ones are beyond."""
        address = cell.getPort(public("ADDR"))
        if plain(cell.type) in _INITIAL:
            width = address.size()
            moved = ys.SigSpec(ys.Const(address.as_const().as_int() - offset, width))
        else:
            width = max(address.size(), offset.bit_length()) + 1
            address = ys.SigSpec(address)
            address.extend_u0(width)
            moved = self.module.Sub(self._name(), address, ys.SigSpec(ys.Const(offset, width)))
        cell.setPort(public("ADDR"), moved)
        cell.setParam(public("ABITS"), ys.Const(width, 32))

    def _keep_inside(self, cell: Any, size: int) -> None:
        """Let a port act only where the address bits that no row needs are 0."""
        bits = list(cell.getPort(public("ADDR")).to_sigbit_vector())
        needed = max(1, (size - 1).bit_length())
        low, high = ys.SigSpec(), ys.SigSpec()
        for index, bit in enumerate(bits):
            (low if index < needed else high).append(bit)
        if high.size() == 0:
            return
        cell.setPort(public("ADDR"), low)
        cell.setParam(public("ABITS"), ys.Const(needed, 32))
        if high.is_fully_const() and high.as_const().as_int() == 0:
            return
        inside = self.module.LogicNot(self._name(), high)
        port = public("DATA" if plain(cell.type) == _READ else "EN")
        signal = cell.getPort(port)
        nothing = ys.SigSpec(ys.Const(0, signal.size()))
        if plain(cell.type) == _READ:
            found = ys.SigSpec(self.module.addWire(self._name(), signal.size()))
            cell.setPort(port, found)
            self.module.addMux(self._name(), nothing, found, inside, signal)
        else:
            cell.setPort(port, self.module.Mux(self._name(), nothing, signal, inside))

    def run(self) -> None:
        """Rewrite all ports, then the memories' first rows."""
        for cell in list(self.module.cells_.values()):
            kind = plain(cell.type)
            if kind not in (_READ, _WRITE, *_INITIAL):
                continue
            name = ys.IdString(memory_of(cell))
            memory = self.module.memories[name]
            if memory.start_offset:
                self._rows_from_0(cell, memory.start_offset)
            if kind not in _INITIAL:
                self._keep_inside(cell, memory.size)
        for memory in self.module.memories.values():
            memory.start_offset = 0


def run(state: State) -> None:
    """Rewrite the memories of the flat module."""
    _Bounds(state.module).run()
