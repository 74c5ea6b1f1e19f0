# SPDX-License-Identifier: BSD-3-Clause
"""Pass `scan`: a chain through all registers of a FAME-1 form, and access to its memories.

In: the module of a FAME-1 form. Out: the same with ports by which its host takes out its state and
puts another one in, while the target stands. In a host cycle with `firesim_scan_shift` each
register takes the bit 64 places before it; the first ones take `firesim_scan_in`. Enables and
synchronous resets of registers are made explicit first, as synthesis would, so that a register is
one multiplexer more and no enable is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, Drivers, bit_key
from goldengate.errors import GoldenGateError
from goldengate.memory_ports import memory_of
from goldengate.scan_layout import WORD_BITS, ScanLayout, ScanNames, words_of
from goldengate.scan_top import PREFIX, target_ports
from goldengate.sharing.scan_cells import Cells, active, listed, only, signal
from goldengate.sharing.scan_memories import MemoryAccess, try_memories
from goldengate.state import ZERO, State, plain, public

_REGISTERS = ("$dffe", "$sdffe", "$sdffce")
Wires = list[tuple[str, int]]


def public_registers(state: State) -> Wires:
    """Return the bits of named wires that are registers, before the pass `fame1`."""
    drivers = Drivers(state.module)
    found: Wires = []
    for wire in state.module.wires_.values():
        if wire.name.str().startswith("\\"):
            for offset, bit in enumerate(listed(ys.SigSpec(wire))):
                cell = drivers.cell(bit_key(drivers.source(bit)))
                if cell is not None and cell.hasPort(public("Q")):
                    found.append((plain(wire.name), offset))
    return found


@dataclass
class _Scan:
    """The chain that is made."""

    state: State
    cells: Cells
    registers: list[Any]
    access: MemoryAccess
    ports: dict[str, Any] = field(default_factory=dict)
    fetches: dict[int, Any] = field(default_factory=dict)
    place: dict[Bit, int] = field(default_factory=dict)
    """Bit of the image of each bit of a register."""
    before: dict[Bit, Any] = field(default_factory=dict)
    """The bit that each bit of the chain takes."""

    def lay_out(self) -> int:
        """Give each bit its place, in the order of names; return the words of the chain."""
        chained = sorted(
            (plain(bit.wire.name), bit.offset)
            for cell in self.registers
            for bit in listed(cell.getPort(public("Q")))
            if bit_key(bit) not in self.access.latch_bits
        )
        self.place = {key: number for number, key in enumerate(chained)}
        words = max(words_of(len(chained)), 1)
        at = words
        for bits in self.access.latch_order:
            self.place.update((key, at * WORD_BITS + i) for i, key in enumerate(bits))
            at += words_of(len(bits))
        return words

    def connect(self, words: int) -> None:
        """Say what each bit of the chain takes; fill its last word; and show that."""
        shown: dict[int, Any] = {}
        for cell in self.registers:
            for bit in listed(cell.getPort(public("Q"))):
                if bit_key(bit) not in self.access.latch_bits:
                    shown[self.place[bit_key(bit)]] = bit
        chained = dict(shown)
        fill = self.cells.module.addWire(self.cells.name(), words * WORD_BITS - len(shown) or 1)
        for place in range(len(chained), words * WORD_BITS):
            shown[place] = listed(ys.SigSpec(fill))[place - len(chained)]
        first = listed(self.ports["in"])
        takes = {
            place: first[place] if place < WORD_BITS else shown[place - WORD_BITS]
            for place in shown
        }
        self.before = {bit_key(bit): takes[place] for place, bit in chained.items()}
        filled = [takes[place] for place in range(len(chained), words * WORD_BITS)]
        if filled:
            module, name = self.cells.module, self.cells.name()
            shift, stays = self.ports["shift"], ys.SigSpec(fill)
            module.addDffe(name, self.cells.clock, shift, signal(filled), stays, True, True)
            # The host expects 0 in bits that no register has.
            self.state.run(f"setattr -set init {len(filled)}'d0 w:{fill.name.str()}")
        last = [shown[place] for place in range((words - 1) * WORD_BITS, words * WORD_BITS)]
        self.cells.module.connect(self.ports["out"], signal(last))

    def chain(self) -> None:
        """Put every register into the chain, or let it take a row."""
        for cell in self.registers:
            bits = listed(cell.getPort(public("Q")))
            groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
            for index, bit in enumerate(bits):
                key = bit_key(bit)
                points = tuple(sorted(self.access.address_bits.get(key, ())))
                groups.setdefault((self.access.latch_bits.get(key, 0), points), []).append(index)
            for (latch, points), members in groups.items():
                self._register(cell, members, latch, points)
            self.cells.module.remove(cell)

    def _register(self, cell: Any, members: list[int], latch: int, points: tuple[int, ...]) -> None:
        """Make a register of some bits of another one, as part of the chain or as a latch."""
        data, out = (
            [listed(cell.getPort(public(port)))[index] for index in members] for port in ("D", "Q")
        )
        shift = only(self.ports["shift"])
        takes = [self.fetches[point] for point in points]
        if latch:
            forced = self.fetches[latch]
        else:
            forced = self.cells.any([shift, *takes])
            data = self.cells.mux(data, [self.before[bit_key(bit)] for bit in out], shift)
            row = listed(self.ports["row"]) if points else []
            for point, fetch in zip(points, takes, strict=True):
                places = [self.access.address_bits[bit_key(bit)][point] for bit in out]
                data = self.cells.mux(data, [row[place] for place in places], fetch)
        made = self.cells.module.addCell(self.cells.name(), cell.type)
        made.set_src_attribute(cell.get_src_attribute())
        enable = self.cells.gate("Or", active(self.cells, cell, "EN"), forced)
        values = {"D": signal(data), "Q": signal(out), "CLK": self.cells.clock,
                  "EN": ys.SigSpec(enable, 1)}  # fmt: skip
        numbers = {"WIDTH": ys.Const(len(members), 32), "CLK_POLARITY": ys.Const(1, 1),
                   "EN_POLARITY": ys.Const(1, 1)}  # fmt: skip
        if cell.hasPort(public("SRST")):
            reset = self.cells.gate(
                "And", active(self.cells, cell, "SRST"), self.cells.not_(forced)
            )
            value = cell.getParam(public("SRST_VALUE")).as_string()[::-1]
            chosen = "".join(value[index] for index in reversed(members))
            values["SRST"] = ys.SigSpec(reset, 1)
            numbers["SRST_POLARITY"] = ys.Const(1, 1)
            numbers["SRST_VALUE"] = ys.Const.from_string(chosen)
        for port, value in values.items():
            made.setPort(public(port), value)
        for name, number in numbers.items():
            made.setParam(public(name), number)

    def names(self, wanted: Wires) -> ScanNames:
        """Return which named wires are which bits of the image; which are constant, or left out."""
        drivers, found = Drivers(self.state.module), ScanNames()
        known, read = set(wanted), _read_data(self.state)
        for wire in self.state.module.wires_.values():
            if not wire.name.str().startswith("\\"):
                continue
            name = plain(wire.name)
            for offset, bit in enumerate(listed(ys.SigSpec(wire))):
                source = drivers.source(bit)
                if not source.is_wire():
                    if (name, offset) in known:
                        found.constant.append((name, offset, bit_key(source)[1]))
                elif (place := self.place.get(bit_key(source))) is not None:
                    last = found.bits[-1] if found.bits else ("", 0, 0, 0)
                    if (
                        last[0] == name
                        and last[1] + last[3] == offset
                        and last[2] + last[3] == place
                    ):
                        found.bits[-1] = (*last[:3], last[3] + 1)
                    else:
                        found.bits.append((name, offset, place, 1))
                elif (
                    (name, offset) in known
                    and drivers.cell(bit_key(source)) is None
                    and bit_key(source) not in read
                ):
                    found.unread.append((name, offset))
        return found


def _read_data(state: State) -> set[Bit]:
    """Return the bits that read ports of memories drive."""
    ports = (public("DATA"), public("RD_DATA"))
    return {
        bit_key(bit) for cell in state.module.cells_.values() for port in ports
        if cell.hasPort(port) and plain(cell.type) not in ("$memwr_v2", "$meminit_v2")
        for bit in listed(cell.getPort(port)) if bit.is_wire()
    }  # fmt: skip


def _registers(state: State) -> list[Any]:
    found = []
    for cell in state.module.cells_.values():
        if not cell.hasPort(public("Q")):
            continue
        if plain(cell.type) not in _REGISTERS:
            raise GoldenGateError(
                f"{state.place(cell.get_src_attribute())}: a scan chain does not take "
                f"{plain(cell.type)[1:]}."
            )
        found.append(cell)
    return found


def run(state: State, wanted: Wires) -> tuple[ScanLayout, ScanNames]:
    """Add the chain; return what is where in it. `wanted` is what `public_registers` gave."""
    for command in ("opt_dff", "opt_clean") * 2:
        state.run(command)
    trial = try_memories(state)
    registers = _registers(state)
    held = {bit_key(bit) for cell in registers for bit in listed(cell.getPort(public("Q")))}
    cells = Cells(state)
    access = MemoryAccess(state, cells, trial, held)
    access.plan()
    scan = _Scan(state, cells, registers, access)
    layout = ScanLayout(scan.lay_out(), len(scan.place), access.memories, access.latches)
    names = scan.names(wanted)
    for port in target_ports(layout):
        scan.ports[port.name] = cells.port(PREFIX + port.name, port.width, port.is_input)
    if access.memories:
        ports = scan.ports
        chosen = access.build(ports["point"], ports["row"], ports["data"], only(ports["write"]))
        fetch = only(scan.ports["fetch"])
        scan.fetches = {point: cells.gate("And", bit, fetch) for point, bit in chosen.items()}
        found = access.words(chosen, scan.ports["word"])
        state.module.connect(scan.ports["found"], signal(found))
    scan.connect(layout.chain_words)
    scan.chain()
    state.module.fixup_ports()
    if state.request.unknown == ZERO:
        state.run("setundef -zero -init")
    state.run("opt_clean")
    _warn(state, trial.registered())
    return layout, names


def _warn(state: State, registered: set[str]) -> None:
    """Say which memories synthesis will make no block memory of any more."""
    now = try_memories(state).registered()
    for cell in state.module.cells_.values():
        if plain(cell.name) in registered - now:
            memory = memory_of(cell).lstrip("\\")
            state.warnings.append(
                f"scan chain: a read of {memory} has no register of block memory any more; the "
                f"memory may take logic instead."
            )
