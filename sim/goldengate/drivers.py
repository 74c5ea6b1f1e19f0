# SPDX-License-Identifier: BSD-3-Clause
"""What drives each bit of a flat module: a cell's output, another bit, or nothing."""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.state import plain, public

Bit = tuple[str, int]
"""A wire's name and a position in it; no name and the value for a constant."""


def bit_key(bit: Any) -> Bit:
    """Return what names a bit of Yosys."""
    if bit.is_wire():
        return plain(bit.wire.name), bit.offset
    return "", 1 if bit.data == ys.State.S1 else 0


def bits(signal: Any) -> list[Bit]:
    """List the wire bits of a signal; constants are left out."""
    if signal.is_wire():  # All of one, which most are: its name is asked for once.
        wire = signal.as_wire()
        name = plain(wire.name)
        return [(name, offset) for offset in range(wire.width)]
    return [bit_key(bit) for bit in signal.to_sigbit_vector() if bit.is_wire()]


def add_like(module: Any, name: Any, cell: Any) -> Any:
    """Add a cell of the same kind, with the same parameters and source; its ports are free."""
    made = module.addCell(name, cell.type)
    for parameter in dict(cell.parameters):
        made.setParam(parameter, cell.getParam(parameter))
    made.set_src_attribute(cell.get_src_attribute())
    return made


class Drivers:
    """Who drives each wire bit of a module, as it was when this was made.

    Most cells and connections give the whole of a wire its value: such a wire is noted once, and
    not bit by bit.
    """

    def __init__(self, module: Any) -> None:
        self._cells: dict[str | Bit, Any] = {}
        """The driving cell of a wire, or of a bit of one of which others are driven otherwise."""
        self._aliases: dict[str | Bit, Any] = {}
        """What a wire is connected to, or the bit of Yosys, a constant perhaps, that a bit is."""
        outputs = public("Y"), public("Q")
        for cell in module.cells_.values():
            for port in outputs:
                if cell.hasPort(port):
                    self._drive(cell.getPort(port), cell)
        for left, right in module.connections_:
            if left.is_wire():
                self._aliases[plain(left.as_wire().name)] = ys.SigSpec(right)
                continue
            pairs = zip(left.to_sigbit_vector(), right.to_sigbit_vector(), strict=True)
            for low, high in pairs:
                if low.is_wire():
                    self._aliases[bit_key(low)] = high

    def _drive(self, signal: Any, cell: Any) -> None:
        if signal.is_wire():
            self._cells[plain(signal.as_wire().name)] = cell
            return
        for bit in bits(signal):
            self._cells[bit] = cell

    def cell(self, bit: Bit) -> Any:
        """Return the cell that drives a bit, None for one that no output of a cell is."""
        return self._cells.get(bit[0]) or self._cells.get(bit)

    def alias(self, bit: Bit) -> Any:
        """Return the bit of Yosys that a bit is connected to, a constant perhaps, else None."""
        whole = self._aliases.get(bit[0])
        if whole is not None:
            return whole.extract(bit[1], 1).as_bit()
        return self._aliases.get(bit)

    def source(self, bit: Any) -> Any:
        """Follow connections from a bit of Yosys to the one that a cell or nothing drives."""
        seen: set[Bit] = set()
        while bit.is_wire():
            name = bit_key(bit)
            other = self.alias(name)
            if other is None or name in seen:
                break
            seen.add(name)
            bit = other
        return bit

    def leaves(self, start: Bit) -> tuple[set[str], bool]:
        """Return the undriven wires a bit is computed from; and whether registers are too."""
        seen: set[Bit] = set()
        todo = [start]
        inputs: set[str] = set()
        register = False
        while todo:
            bit = todo.pop()
            if bit in seen:
                continue
            seen.add(bit)
            cell, source = self.cell(bit), self.alias(bit)
            if source is not None:
                if source.is_wire():
                    todo.append(bit_key(source))
            elif cell is None:
                inputs.add(bit[0])
            elif cell.hasPort(public("Q")):
                register = True
            else:
                for port, signal in dict(cell.connections_).items():
                    if plain(port) != "Y":
                        todo += bits(signal)
        return inputs, register
