# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `scan`: the host reads and writes rows of the target's memories at points of access.

An existing read and write port of each memory serve the host while it has chosen the memory's point
and the target stands. Where synthesis makes a block memory of the port and a register, it must
still: if that is the register behind the port, it takes the row (a *latch*); if it is the one
before it, it takes the row's number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, Drivers, bit_key
from goldengate.errors import GoldenGateError
from goldengate.memory_ports import memory_of, port_number
from goldengate.scan_layout import WORD_BITS, ScanLatch, ScanMemory, words_of
from goldengate.sharing.scan_cells import Cells, is_zero, listed, signal
from goldengate.state import State, plain, public

READ, WRITE = "$memrd_v2", "$memwr_v2"


@dataclass
class Trial:
    """What synthesis makes block memory of, by the name of the read port."""

    before: set[str] = field(default_factory=set)
    """Ports with a register that holds the address."""
    behind: dict[str, list[Any]] = field(default_factory=dict)
    """Ports with a register that holds the data, and its bits."""

    def registered(self) -> set[str]:
        """Return all of them."""
        return self.before | set(self.behind)


def try_memories(state: State) -> Trial:
    """Return what synthesis would do with the memories of the module as it is."""
    module = state.module
    data = {
        plain(cell.name): [bit_key(bit) for bit in listed(cell.getPort(public("DATA")))]
        for cell in module.cells_.values()
        if plain(cell.type) == READ
    }
    state.run("design -save firesim_scan")
    for command in ("opt_dff", "opt_clean", "memory_dff"):
        state.run(command)
    found, behind = Trial(), {}
    for cell in state.module.cells_.values():
        name = plain(cell.name)
        if plain(cell.type) == READ and cell.getParam(public("CLK_ENABLE")).as_bool():
            now = [bit_key(bit) for bit in listed(cell.getPort(public("DATA")))]
            if now == data.get(name):
                found.before.add(name)
            else:
                behind[name] = now
    state.run("design -load firesim_scan")
    for name, keys in behind.items():
        wires = [state.module.wire(_id(wire)) for wire, _ in keys]
        found.behind[name] = [
            next(iter(ys.SigSpec(wire, offset, 1).to_sigbit_vector()))
            for wire, (_, offset) in zip(wires, keys, strict=True)
        ]
    return found


def _id(name: str) -> Any:
    return ys.IdString(name if name.startswith("$") else "\\" + name)


@dataclass
class _Memory:
    name: str
    rows: int
    width: int
    reads: list[Any] = field(default_factory=list)
    writes: list[Any] = field(default_factory=list)


def _memories(state: State) -> list[_Memory]:
    """Return the memories that something writes, with their ports."""
    found = {
        name.str(): _Memory(plain(name), memory.size, memory.width)
        for name, memory in dict(state.module.memories).items()
    }
    for cell in state.module.cells_.values():
        kind = plain(cell.type)
        if kind not in (READ, WRITE):
            continue
        memory = found[memory_of(cell)]
        if kind == WRITE:
            memory.writes.append(cell)
        elif cell.getParam(public("CLK_ENABLE")).as_bool():
            raise GoldenGateError(
                f"{state.request.top}: found a read of {memory.name} whose register is part of it, "
                f"expected none for a scan chain."
            )
        else:
            memory.reads.append(cell)
    for memory in found.values():
        memory.writes.sort(key=port_number)
        memory.reads.sort(key=lambda cell: plain(cell.name))
    written = [
        one
        for one in found.values()
        if any(
            not is_zero(bit) for cell in one.writes for bit in listed(cell.getPort(public("EN")))
        )
    ]
    return sorted((one for one in written if one.reads), key=lambda one: one.name)


class MemoryAccess:
    """Puts the points of access into the module."""

    def __init__(self, state: State, cells: Cells, trial: Trial, registers: set[Bit]) -> None:
        self.state, self.cells, self.trial, self.registers = state, cells, trial, registers
        self.found = _memories(state)
        self.memories: list[ScanMemory] = []
        self.latches: list[ScanLatch] = []
        self.latch_bits: dict[Bit, int] = {}
        """Bits of latches, and their points."""
        self.latch_order: list[list[Bit]] = []
        self.address_bits: dict[Bit, dict[int, int]] = {}
        """Bits of registers that hold addresses: point, and which bit of the row's number."""
        self.shown: list[tuple[int, list[Any]]] = []
        """What is at each point."""
        self.points = 0

    def plan(self) -> None:
        """Choose the points; nothing in the module changes yet."""
        drivers = Drivers(self.state.module)
        for number, memory in enumerate(self.found):
            behind = [cell for cell in memory.reads if plain(cell.name) in self.trial.behind]
            for cell in behind:
                bits = self.trial.behind[plain(cell.name)]
                self._point(bits)
                self.latches.append(ScanLatch(number, self.points))
                self.latch_bits.update((bit_key(bit), self.points) for bit in bits)
                self.latch_order.append([bit_key(bit) for bit in bits])
            if behind:
                point = self.latches[-len(behind)].point
            else:
                chosen = self._row_port(memory, drivers)
                point = self._point(listed(chosen.getPort(public("DATA"))))
            self.memories.append(ScanMemory(memory.name, memory.rows, memory.width, point))

    def _point(self, shown: list[Any]) -> int:
        self.points += 1
        self.shown.append((self.points, shown))
        return self.points

    def _row_port(self, memory: _Memory, drivers: Drivers) -> Any:
        """Return the read port for the host; note the register that holds its address."""
        for cell in memory.reads:
            if plain(cell.name) not in self.trial.before:
                continue
            address = [drivers.source(bit) for bit in listed(cell.getPort(public("ADDR")))]
            keys = [bit_key(bit) for bit in address if bit.is_wire()]
            whole = len(keys) == len(set(keys)) == len(address) and self.registers.issuperset(keys)
            if whole and 1 << len(keys) >= memory.rows and not self.latch_bits.keys() & set(keys):
                for place, key in enumerate(keys):
                    self.address_bits.setdefault(key, {})[self.points + 1] = place
                return cell
        free = [cell for cell in memory.reads if plain(cell.name) not in self.trial.before]
        return (free or memory.reads)[0]

    def build(self, point: Any, row: Any, data: Any, write: Any) -> dict[int, Any]:
        """Change the ports; return the bit that says that a point is chosen, by its number."""
        chosen = {number: self.cells.equals(point, number) for number, _ in self.shown}
        numbered = {bit_key(bits[0]): number for number, bits in self.shown}
        for memory, told in zip(self.found, self.memories, strict=True):
            for cell in memory.reads:
                shown = self.trial.behind.get(
                    plain(cell.name), listed(cell.getPort(public("DATA")))
                )
                number = numbered.get(bit_key(shown[0]))
                if number is not None and not self._addressed_by_register(number):
                    self._at_row(cell, row, chosen[number])
            self._write_ports(memory, row, data, chosen[told.point], write)
        return chosen

    def _addressed_by_register(self, number: int) -> bool:
        return any(number in points for points in self.address_bits.values())

    def _at_row(self, cell: Any, row: Any, select: Any) -> None:
        """Let a port take the row's number while its point is chosen."""
        address, other = ys.SigSpec(cell.getPort(public("ADDR"))), ys.SigSpec(row)
        width = max(address.size(), other.size())
        address.extend_u0(width)
        other.extend_u0(width)
        cell.setPort(public("ADDR"), signal(self.cells.mux(listed(address), listed(other), select)))
        cell.setParam(public("ABITS"), ys.Const(width, 32))

    def _write_ports(self, memory: _Memory, row: Any, data: Any, select: Any, write: Any) -> None:
        """Let the first port that writes a bit write it for the host, too."""
        given = listed(data)[: memory.width]
        writes = self.cells.gate("And", select, write)
        done: set[int] = set()
        for cell in memory.writes:
            enable, own = (listed(cell.getPort(public(port))) for port in ("EN", "DATA"))
            mine = [i for i in range(memory.width) if i not in done and not is_zero(enable[i])]
            if not mine:
                continue
            done.update(mine)
            muxed = self.cells.mux([own[i] for i in mine], [given[i] for i in mine], select)
            for i, bit in zip(mine, muxed, strict=True):
                own[i] = bit
                enable[i] = self.cells.gate("Or", enable[i], writes)
            cell.setPort(public("DATA"), signal(own))
            cell.setPort(public("EN"), signal(enable))
            self._at_row(cell, row, select)

    def words(self, chosen: dict[int, Any], word: Any) -> list[Any]:
        """Return the word that the host asks for of what is at the chosen point."""
        zero = [next(iter(ys.SigSpec(ys.Const(0, 1)).to_sigbit_vector()))]
        found = zero * WORD_BITS
        numbers: dict[int, Any] = {}
        for point, bits in self.shown:
            for index in range(words_of(len(bits))):
                if index not in numbers:
                    numbers[index] = self.cells.equals(word, index)
                part = bits[index * WORD_BITS : (index + 1) * WORD_BITS]
                here = self.cells.gate("And", chosen[point], numbers[index])
                shown = self.cells.mux(zero * len(part), part, here)
                found = [
                    one if i >= len(shown) else self.cells.gate("Or", one, shown[i])
                    for i, one in enumerate(found)
                ]
        return found
