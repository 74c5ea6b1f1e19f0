# SPDX-License-Identifier: BSD-3-Clause
"""Multi-cycle memories: one read and one write port serve all those of a memory, slot by slot.

In: the module of a FAME-1 form. Out: the same, in which each chosen memory has one port of each
kind. The reads of a target cycle are done first, each in a slot after those that its address is
computed from, and kept; then the writes, in their order; the last slot is the target's step. A
memory is chosen when an FPGA would otherwise make copies, registers or much logic of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, bit_key, bits
from goldengate.errors import GoldenGateError
from goldengate.memory_ports import memory_of, port_number
from goldengate.passes.fame1 import FIRE
from goldengate.sharing.dependence import Cones, Loop
from goldengate.sharing.options import SharedMemory
from goldengate.sharing.slots import SLOT
from goldengate.state import State, plain, public

BLOCK_ROWS = 128
"""A memory with at least as many rows lies in block memory, whose reads take one slot more."""
_READ, _WRITE = "$memrd_v2", "$memwr_v2"


@dataclass
class _Read:
    """A read port of the target: its slot, and the first slot in which its data is there."""

    cell: Any
    needs: int = 0
    slot: int = -1
    there: int = -1
    kept: bool = True
    """Whether a register keeps its data until the step."""


@dataclass
class _Memory:
    """A memory and its ports; writes in their order, with the slot of each."""

    name: str
    rows: int
    width: int
    reads: list[_Read] = field(default_factory=list)
    writes: list[Any] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)

    @property
    def block(self) -> bool:
        return self.rows >= BLOCK_ROWS

    def summary(self) -> SharedMemory:
        return SharedMemory(
            self.name, self.rows, self.width, len(self.reads), len(self.writes), self.block
        )


def _memories(state: State) -> list[_Memory]:
    """Return the memories of which every port can be served by turns."""
    found = {
        name.str(): _Memory(plain(name), memory.size, memory.width)
        for name, memory in dict(state.module.memories).items()
    }
    clocked: set[str] = set()
    for cell in state.module.cells_.values():
        kind = plain(cell.type)
        if kind not in (_READ, _WRITE):
            continue
        name = memory_of(cell)
        if kind == _WRITE:
            found[name].writes.append(cell)
        elif cell.getParam(public("CLK_ENABLE")).as_bool():
            clocked.add(name)
        else:
            found[name].reads.append(_Read(cell))
    for one in found.values():
        one.writes.sort(key=port_number)
        one.reads.sort(key=lambda read: plain(read.cell.name))
    return [one for name, one in found.items() if name not in clocked]


def _registered(state: State) -> set[str]:
    """Return the read ports that a register before or behind makes ports of a block memory."""
    state.run("design -save firesim_sharing")
    for command in ("opt_dff", "opt_clean", "memory_dff"):
        state.run(command)
    found = {
        plain(cell.name)
        for cell in state.module.cells_.values()
        if plain(cell.type) == _READ and cell.getParam(public("CLK_ENABLE")).as_bool()
    }
    state.run("design -load firesim_sharing")
    return found


def _is_costly(memory: _Memory, registered: set[str]) -> bool:
    """Return whether an FPGA has no memory with such ports, or needs many small ones."""
    free = [read for read in memory.reads if plain(read.cell.name) not in registered]
    if not memory.reads or memory.rows < 2:
        return False
    if len(memory.writes) > 1:
        return True
    return bool(free) and (memory.block or (len(memory.reads) > 1 and bool(memory.writes)))


def _depend(state: State, memories: list[_Memory]) -> dict[int, int]:
    """Note which reads each address needs; return what each write needs, by its cell's identity."""
    ports = [read for memory in memories for read in memory.reads]
    sources: dict[Bit, int] = {}
    for number, read in enumerate(ports):
        sources.update(dict.fromkeys(bits(read.cell.getPort(public("DATA"))), number))
    cones = Cones(state.module, sources)
    try:
        for read in ports:
            read.needs = cones.of_all(bits(read.cell.getPort(public("ADDR"))))
        return {
            id(cell): cones.of_all(
                bit for port in ("ADDR", "DATA", "EN") for bit in bits(cell.getPort(public(port)))
            )
            for memory in memories
            for cell in memory.writes
        }
    except Loop as loop:
        text = f"found a value of '{loop}' that seems to need itself, expected none for"
        raise GoldenGateError(f"{state.request.top}: {text} multi-cycle memories.") from loop


def _members(found: int) -> list[int]:
    return [number for number in range(found.bit_length()) if found >> number & 1]


def _schedule_reads(state: State, memories: list[_Memory]) -> list[_Read]:
    """Give each read its slot, those first whose addresses are known first; return them all."""
    ports = [(memory, read) for memory in memories for read in memory.reads]
    open_ = list(range(len(ports)))
    while open_:
        ready = []
        for number in open_:
            needed = [ports[need][1] for need in _members(ports[number][1].needs)]
            if all(read.slot >= 0 for read in needed):
                ready.append((max((read.there for read in needed), default=0), number))
        if not ready:
            names = ", ".join(sorted({ports[number][0].name for number in open_}))
            raise GoldenGateError(
                f"{state.request.top}: found reads of {names} that need each other's data, "
                f"expected an order of them for multi-cycle memories."
            )
        earliest, number = min(ready)
        open_.remove(number)
        memory, read = ports[number]
        taken = {other.slot for other in memory.reads}
        while earliest in taken:
            earliest += 1
        read.slot = earliest
        last = all(other.slot >= 0 for other in memory.reads) and earliest >= max(taken)
        # The last read needs no register: what the memory shows stays as it is until a write.
        read.kept = not (last and (memory.block or len(memory.writes) <= 1))
        read.there = read.slot + int(read.kept) + int(memory.block)
    return [read for _, read in ports]


def _schedule_writes(memories: list[_Memory], reads: list[_Read], needs: dict[int, int]) -> int:
    """Give each write its slot; return how many slots a target cycle has."""
    last = max(read.there for read in reads)
    for memory in memories:
        free = max(read.slot for read in memory.reads) + int(memory.block)
        for cell in memory.writes:
            known = max((reads[need].there for need in _members(needs[id(cell)])), default=0)
            free = max(free, known)
            memory.slots.append(free)
            free += 1
        last = max([last, *memory.slots])
    for memory in memories:
        if len(memory.writes) == 1:
            memory.slots = [last]
    return last + 1


class _Builder:
    """Puts the shared ports into the module."""

    def __init__(self, state: State, slots: int) -> None:
        self.state, self.module, self.slots = state, state.module, slots
        self.made = 0
        self.fire = ys.SigSpec(self.module.wire(public(FIRE)))
        self.gates: dict[tuple[str, Bit, Bit], Any] = {}
        self.raw: dict[Bit, Any] = {}
        for cell in self.module.cells_.values():
            if plain(cell.name).startswith("$firesim$and$"):  # passes.fame1
                for bit in bits(cell.getPort(public("Y"))):
                    self.raw[bit] = next(iter(cell.getPort(public("A")).to_sigbit_vector()))
        wire = self.module.addWire(public(SLOT), slots - 1)
        wire.port_input = True
        self.slot_wire = wire

    def _name(self) -> Any:
        self.made += 1
        return ys.IdString(f"$firesim$multi_cycle${self.made}")

    def _slot(self, number: int) -> Any:
        return self.fire if number == self.slots - 1 else ys.SigSpec(self.slot_wire, number, 1)

    def _chosen(self, first: Any, others: list[tuple[int, Any]]) -> Any:
        """Return the value of the slot; `first` in all slots but those of the others."""
        for number, value in others:
            first = self.module.Mux(self._name(), first, value, self._slot(number))
        return first

    def _any(self, numbers: list[int]) -> Any:
        signal = ys.SigSpec()
        for number in numbers:
            signal.append(self._slot(number))
        return self.module.ReduceOr(self._name(), signal)

    def _addresses(self, cells: list[Any]) -> list[Any]:
        """Return the addresses of some ports, as wide as the widest."""
        found = [ys.SigSpec(cell.getPort(public("ADDR"))) for cell in cells]
        width = max(address.size() for address in found)
        for address in found:
            address.extend_u0(width)
        return found

    def _gate(self, kind: str, first: Any, second: Any) -> Any:
        """Return a gate of two bits, made once: bits of one enable must stay one signal."""
        key = (kind, bit_key(first), bit_key(second))
        if key not in self.gates:
            operands = (ys.SigSpec(first, 1), ys.SigSpec(second, 1))
            made = getattr(self.module, kind)(self._name(), *operands)
            self.gates[key] = next(iter(made.to_sigbit_vector()))
        return self.gates[key]

    def _enables(self, cells: list[Any], slots: list[int]) -> Any:
        """Return the enables of the shared write port: those of each port in its slot."""
        found: list[Any] = []
        for cell, slot in zip(cells, slots, strict=True):
            step = next(iter(self._slot(slot).to_sigbit_vector()))
            own = []
            for bit in cell.getPort(public("EN")).to_sigbit_vector():
                raw = self.raw[bit_key(bit)] if bit.is_wire() else bit
                own.append(self._gate("And", raw, step))
            found = (
                [self._gate("Or", *pair) for pair in zip(found, own, strict=True)] if found else own
            )
        signal = ys.SigSpec()
        for bit in found:
            signal.append(bit)
        return signal

    def write_port(self, memory: _Memory) -> None:
        """Make the first write port do the work of all."""
        if not memory.writes:
            return
        cells = memory.writes
        addresses = self._addresses(cells)
        data = [cell.getPort(public("DATA")) for cell in cells]
        chosen = [
            self._chosen(values[0], list(zip(memory.slots[1:], values[1:], strict=True)))
            for values in (addresses, data)
        ]
        enable = self._enables(cells, memory.slots)
        kept = cells[0]
        for port, signal in zip(("ADDR", "DATA", "EN"), (*chosen, enable), strict=True):
            kept.setPort(public(port), signal)
        kept.setParam(public("ABITS"), ys.Const(chosen[0].size(), 32))
        for cell in cells[1:]:
            self.module.remove(cell)

    def read_port(self, memory: _Memory, clock: Any) -> None:
        """Make the first read port do the work of all, and keep what must be kept."""
        reads = sorted(memory.reads, key=lambda read: read.slot)
        addresses = self._addresses([read.cell for read in reads])
        others = [(read.slot, one) for read, one in zip(reads[:-1], addresses[:-1], strict=True)]
        address = self._chosen(addresses[-1], others)
        targets = [read.cell.getPort(public("DATA")) for read in reads]
        kept = reads[0].cell
        found = ys.SigSpec(self.module.addWire(self._name(), memory.width))
        kept.setPort(public("ADDR"), address)
        kept.setPort(public("DATA"), found)
        kept.setParam(public("ABITS"), ys.Const(address.size(), 32))
        for name in ("TRANSPARENCY_MASK", "COLLISION_X_MASK"):
            kept.setParam(public(name), ys.Const(0, min(1, len(memory.writes))))
        if memory.block:
            kept.setParam(public("CLK_ENABLE"), ys.Const(1, 1))
            kept.setParam(public("CLK_POLARITY"), ys.Const(1, 1))
            kept.setParam(public("INIT_VALUE"), ys.Const(0, memory.width))
            kept.setPort(public("CLK"), clock)
            kept.setPort(public("EN"), self._any([read.slot for read in reads]))
        for read, target in zip(reads, targets, strict=True):
            if read.cell is not kept:
                self.module.remove(read.cell)
            shown = found
            if read.kept:
                shown = ys.SigSpec(self.module.addWire(self._name(), memory.width))
                enable = self._slot(read.slot + int(memory.block))
                self.module.addDffe(self._name(), clock, enable, found, shown, True, True)
            self.module.connect(target, shown)


def run(state: State) -> tuple[int, list[SharedMemory]]:
    """Share the ports of every costly memory; return the slots of a target cycle, and which."""
    registered = _registered(state)
    memories = [one for one in _memories(state) if _is_costly(one, registered)]
    if not memories:
        return 1, []
    needs = _depend(state, memories)
    reads = _schedule_reads(state, memories)
    slots = _schedule_writes(memories, reads, needs)
    found = [memory.summary() for memory in memories]
    if slots > 1:
        builder = _Builder(state, slots)
        clock = ys.SigSpec(state.module.wire(public(state.request.clock)))
        for memory in memories:
            builder.read_port(memory, clock)
            builder.write_port(memory)
        state.module.fixup_ports()
        state.run("setundef -zero -init")
        state.run("opt_clean")
    return slots, found
