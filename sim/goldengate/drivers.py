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


class Drivers:
    """Who drives each wire bit of a module, as it was when this was made."""

    def __init__(self, module: Any) -> None:
        self.cells: dict[Bit, Any] = {}
        self.aliases: dict[Bit, Any] = {}
        """The driving bit of Yosys, a constant perhaps, for a bit that is connected to one."""
        for cell in module.cells_.values():
            for port in ("Y", "Q"):
                if cell.hasPort(public(port)):
                    for bit in bits(cell.getPort(public(port))):
                        self.cells[bit] = cell
        for left, right in module.connections_:
            pairs = zip(left.to_sigbit_vector(), right.to_sigbit_vector(), strict=True)
            for low, high in pairs:
                if low.is_wire():
                    self.aliases[bit_key(low)] = high

    def source(self, bit: Any) -> Any:
        """Follow connections from a bit of Yosys to the one that a cell or nothing drives."""
        seen: set[Bit] = set()
        while bit.is_wire():
            name = bit_key(bit)
            if name not in self.aliases or name in seen:
                break
            seen.add(name)
            bit = self.aliases[name]
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
            cell = self.cells.get(bit)
            if bit in self.aliases:
                source = self.aliases[bit]
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
