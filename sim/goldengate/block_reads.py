# SPDX-License-Identifier: BSD-3-Clause
"""Memories whose addresses come from registers are read a cycle early, so that they fit in blocks.

A step of the synthesis, between `flatten` and the commands for a family. Block memory keeps what it
reads in a register of its own and has none for the address. Yosys exchanges the two by itself
(`memory_dff`), unless the address register has a first value: then it would have to show, from the
start, what lies at that address. In a form for FPGAs each register has a first value, and what a
memory holds at first is known too. So a port is read in every cycle at the address that its
register takes next, sees what is written in the same cycle, and begins with what lies at the
register's first value: it shows the same as before in every cycle, whatever the enables are.

It is sent to a build host with the job and imports nothing of FireSim; it needs Python 3.8.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple  # noqa: UP035 (Python 3.8)

FEWEST_ROWS = 64
"""Fewer take less of a device as small memories."""
_READ, _WRITE, _MASKED = "$memrd_v2", "$memwr_v2", "$meminit_v2"
_INITIAL = ("$meminit", _MASKED)
"""First values of all bits of a row, and of some."""
_ENABLED = "$dffe"
_REGISTERS = ("$dff", _ENABLED)
Bit = Tuple[str, int]  # noqa: UP006


def _id(name: str) -> Any:
    from pyosys import libyosys

    return libyosys.IdString("\\" + name)


def _signal(bits: list[Any]) -> Any:
    from pyosys import libyosys

    found = libyosys.SigSpec()
    for bit in bits:
        found.append(bit)
    return found


def _flag(cell: Any, name: str) -> bool:
    return bool(cell.getParam(_id(name)).as_bool())


def _number(cell: Any, name: str) -> int:
    return int(cell.getParam(_id(name)).as_int())


def _bits(cell: Any, port: str) -> list[Any]:
    return list(cell.getPort(_id(port)).to_sigbit_vector())


def _key(bit: Any) -> Bit:
    return bit.wire.name.str(), bit.offset


def _value(bit: Any) -> int | None:
    """Return what a constant bit is, None for one that is not 0 or 1."""
    from pyosys import libyosys

    if bit.is_wire():
        return None
    return {libyosys.State.S0: 0, libyosys.State.S1: 1}.get(bit.data)


def _clock(cell: Any) -> Bit | None:
    """Return the rising clock of a register or of a port of a memory, None when it has another."""
    bit = _bits(cell, "CLK")[0]
    clocked = cell.type.str() in _REGISTERS or _flag(cell, "CLK_ENABLE")
    return _key(bit) if clocked and _flag(cell, "CLK_POLARITY") and bit.is_wire() else None


class Memory:
    """A memory and its ports."""

    def __init__(self, memory: Any) -> None:
        self.offset, self.rows, self.width = memory.start_offset, memory.size, memory.width
        self.reads: list[Any] = []
        self.writes: list[Any] = []
        self.initial: list[Any] = []

    def row(self, row: int) -> list[Any] | None:
        """Return the bits of a row before the first cycle, None when one is not known."""
        shown: list[Any] = [None] * self.width
        for cell in sorted(self.initial, key=lambda one: _number(one, "PRIORITY")):
            begin = int(cell.getPort(_id("ADDR")).as_int())
            if not begin <= row < begin + _number(cell, "WORDS"):
                continue
            data = _bits(cell, "DATA")[(row - begin) * self.width :]
            masked = cell.type.str() == _MASKED
            for at, enable in enumerate(_bits(cell, "EN") if masked else shown):
                if not masked or _value(enable) == 1:
                    shown[at] = data[at]
        known = all(bit is not None and _value(bit) is not None for bit in shown)
        return shown if known else None


class Early(NamedTuple):
    """How a port is read a cycle early."""

    clock: Any
    address: list[Any]
    first: list[Any]
    """What it shows before the first cycle."""


class BlockReads:
    """The step for one flat module after `opt_clean`, in which a signal has one name only."""

    def __init__(self, module: Any) -> None:
        """Take a module of pyosys."""
        self.module = module
        self.registers: dict[Bit, tuple[Any, int]] = {}
        self.following: dict[str, list[Any]] = {}
        """What each register with an enable takes next, by the register's name."""
        self.memories: dict[str, Memory] = {
            name.str(): Memory(memory) for name, memory in dict(module.memories).items()
        }
        for cell in module.cells_.values():
            kind = cell.type.str()
            if kind in _REGISTERS:
                for at, bit in enumerate(_bits(cell, "Q")):
                    self.registers[_key(bit)] = (cell, at)
            elif kind in (_READ, _WRITE, *_INITIAL):
                memory = self.memories[cell.getParam(_id("MEMID")).decode_string()]
                ports = {_READ: memory.reads, _WRITE: memory.writes}
                ports.get(kind, memory.initial).append(cell)

    def run(self) -> list[str]:
        """Change the reads of each memory of which all can be; return the memories' names."""
        changed = []
        for name, memory in self.memories.items():
            if memory.rows < FEWEST_ROWS or memory.offset or not memory.reads:
                continue
            found = [self._early(memory, cell) for cell in memory.reads]
            if None in found:
                continue
            for cell, early in zip(memory.reads, found):  # noqa: B905 (Python 3.8)
                assert early is not None
                self.change(memory, cell, early)
            changed.append(name.lstrip("\\"))
        return changed

    def _next(self, register: Any) -> list[Any]:
        """Return what a register takes at the next edge of its clock."""
        if register.type.str() != _ENABLED:
            return _bits(register, "D")
        name = register.name.str()
        if name not in self.following:
            kept, taken = (register.getPort(_id(port)) for port in ("Q", "D"))
            if not _flag(register, "EN_POLARITY"):
                kept, taken = taken, kept
            made = self._mux(f"$firesim$next{name}", kept, taken, register.getPort(_id("EN")))
            self.following[name] = list(made.to_sigbit_vector())
        return self.following[name]

    def _mux(self, name: str, low: Any, high: Any, select: Any) -> Any:
        from pyosys import libyosys

        return self.module.Mux(libyosys.IdString(name), low, high, select)

    def change(self, memory: Memory, cell: Any, early: Early) -> None:
        """Let a port read early: it sees what is written in the same cycle."""
        from pyosys import libyosys

        writes = 1 + max((_number(one, "PORTID") for one in memory.writes), default=-1)
        self.read_early(cell, early)
        cell.setParam(_id("TRANSPARENCY_MASK"), libyosys.Const.from_string("1" * writes))
        cell.setParam(_id("COLLISION_X_MASK"), libyosys.Const.from_string("0" * writes))

    @staticmethod
    def read_early(cell: Any, early: Early) -> None:
        """Give a port a clock and the next address; what it sees of writes stands as it was."""
        from pyosys import libyosys

        high = libyosys.Const(1, 1)
        for name, value in (
            ("CLK_ENABLE", high),
            ("CLK_POLARITY", high),
            ("INIT_VALUE", _signal(early.first).as_const()),
        ):
            cell.setParam(_id(name), value)
        cell.setPort(_id("CLK"), early.clock)
        cell.setPort(_id("EN"), libyosys.SigSpec(high))
        cell.setPort(_id("ADDR"), _signal(early.address))

    def _early(self, memory: Memory, cell: Any) -> Early | None:
        """Return how a port is read early, None when it cannot be."""
        if _flag(cell, "CLK_ENABLE") or _number(cell, "WIDTH") != memory.width:
            return None
        address, first, registers = [], 0, []
        for place, bit in enumerate(_bits(cell, "ADDR")):
            value, following = _value(bit), bit
            if bit.is_wire():
                register, at = self.registers.get(_key(bit), (None, 0))
                if register is None:
                    return None
                registers.append(register)
                value, following = _first(bit), self._next(register)[at]
            if value is None:
                return None
            first |= value << place
            address.append(following)
        clocks = {_clock(one) for one in (*registers, *memory.writes)}
        shown = memory.row(first)
        if not registers or len(clocks) != 1 or None in clocks or shown is None:
            return None
        return Early(registers[0].getPort(_id("CLK")), address, shown)


def _first(bit: Any) -> int | None:
    """Return the first value of a register's bit."""
    name = _id("init")
    if not bit.wire.has_attribute(name):
        return None
    text = bit.wire.attributes[name].as_string()[::-1]
    return {"0": 0, "1": 1}.get(text[bit.offset]) if bit.offset < len(text) else None
