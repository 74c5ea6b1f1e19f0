# SPDX-License-Identifier: BSD-3-Clause
"""In which order a target cycle changes what: the worlds that registers and latches see in it.

World 0 is the clock's rising edge: all is as at the end of the cycle before, but the clock is high.
In world 1 the registers have changed that this edge clocks, so clocks that they make may have
edges; what these clock has changed in world 2, and so on. Then, still with the clock high, the
inputs change; then the clock falls; each with as many worlds behind it as edges follow from edges.
The last one is what outputs show, and what the next rising edge finds. A register may be clocked in
several worlds, by a gate that opens while the clock is high, say. Latches follow their data in each
world in which they are open. An asynchronous reset shows in the world behind the one in which it is
active, as what an edge clocks does. So does what is written to a memory, where that is read.

Found is all or nothing: a design in which one thing has no place is left as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from goldengate.drivers import Bit, bit_key
from goldengate.late_memory import LateMemory
from goldengate.memory_ports import memory_of, port_number
from goldengate.reset_graph import Fan, reset_of
from goldengate.state import State, plain, public

_PLAIN = ("$dff", "$dffe")
_REGISTERS = (*_PLAIN, "$adff", "$adffe", "$aldff", "$aldffe")
_TASKS = ("$check", "$print")
_UNKNOWN = (
    "$dffsr", "$dffsre", "$sdff", "$sdffe", "$sdffce", "$adlatch", "$dlatchsr", "$sr", "$ff",
)  # fmt: skip
LATCH = "$dlatch"
_WRITE, _READ = "$memwr_v2", "$memrd_v2"
_MOST_LEVELS = 8


@dataclass(frozen=True)
class Clocked:
    """By which edge of which bit a register or a task is clocked."""

    bit: Any
    rises: bool


@dataclass
class World:
    """A moment of a cycle, by what differs in it from the one before."""

    cells: set[str] = field(default_factory=set)
    """Names of cells, registers and latches among them, that may have another output."""
    wires: set[Bit] = field(default_factory=set)
    """Bits that no cell drives, inputs and the clock, that may be different."""
    edges: set[str] = field(default_factory=set)
    """Names of late registers, writes and tasks whose edge may come as it begins."""
    resets: set[str] = field(default_factory=set)
    """Names of registers whose asynchronous reset may be another."""


@dataclass
class Late:
    """What changes at another moment than the clock's rising edge."""

    fan: Fan
    clocked: dict[str, Clocked] = field(default_factory=dict)
    """By the name of a late register's or task's cell."""
    cells: list[Any] = field(default_factory=list)
    """These, and the latches."""
    memories: dict[str, LateMemory] = field(default_factory=dict)
    """By name those that are written late, with their reads."""
    worlds: list[World] = field(default_factory=list)
    inputs: int = 0
    """The world in which the inputs change."""
    falls: int = 0
    """The world in which the clock falls."""

    @property
    def end(self) -> int:
        """The last world."""
        return len(self.worlds) - 1


class _Unplaced(Exception):
    """Something has no place within the cycle."""


def clocked_by(cell: Any) -> Clocked | None:
    """Return what clocks a cell; None without a clock."""
    kind = plain(cell.type)
    if kind in _TASKS:
        if not cell.getParam(public("TRG_ENABLE")).as_bool():
            return None
        if cell.getParam(public("TRG_WIDTH")).as_int() != 1:
            raise _Unplaced
        port = "TRG"
    elif kind in (_READ, _WRITE):
        if not cell.getParam(public("CLK_ENABLE")).as_bool():
            return None
        port = "CLK"
    elif kind in _REGISTERS or (kind in _UNKNOWN and cell.hasPort(public("CLK"))):
        port = "CLK"
    else:
        return None
    (bit,) = cell.getPort(public(port)).to_sigbit_vector()
    return Clocked(bit, bool(cell.getParam(public(f"{port}_POLARITY")).as_bool()))


def _collect(state: State) -> list[tuple[Any, Clocked | None]]:
    """Return the latches, and what is not clocked by the clock's rising edge."""
    found: list[tuple[Any, Clocked | None]] = []
    for cell in state.module.cells_.values():
        if plain(cell.type) == LATCH:
            found.append((cell, None))
            continue
        by = clocked_by(cell)
        if by is not None and (bit_key(by.bit), by.rises) != ((state.request.clock, 0), True):
            found.append((cell, by))
    return found


class _Finder:
    """Makes the worlds of a module."""

    def __init__(self, state: State, others: list[tuple[Any, Clocked | None]]) -> None:
        self.module = state.module
        self.clock: Bit = (state.request.clock, 0)
        self.fan = Fan(self.module)
        self.late = Late(self.fan)
        self.readers: dict[Bit, list[Any]] = defaultdict(list)
        """The cells whose output follows a bit within a cycle."""
        self.undriven: set[Bit] = set()
        self.registers: dict[str, Any] = {}
        self.reads: dict[str, Any] = {}
        self.read_by: dict[str, list[str]] = defaultdict(list)
        """The names of a memory's reads."""
        self.on_clock: set[str] = set()
        """Memories that are written at the clock's rising edge."""
        self.by_clock: dict[Bit, list[str]] = defaultdict(list)
        self.by_reset: dict[Bit, list[str]] = defaultdict(list)
        for cell, by in others:
            if plain(cell.type) in (_READ, *_UNKNOWN):
                raise _Unplaced
            if plain(cell.type) == _WRITE:
                self.late.memories.setdefault(memory_of(cell), LateMemory()).late.append(cell)
            else:
                self.late.cells.append(cell)
            if by is not None:
                self._clock(cell, by)

    def _clock(self, cell: Any, by: Clocked) -> None:
        inputs, is_made = self.fan.drivers.leaves(self._key(by.bit))
        if self.clock[0] not in inputs and not is_made:  # A second clock, which has no ratio.
            raise _Unplaced
        self.late.clocked[plain(cell.name)] = by
        self.by_clock[self._key(by.bit)].append(plain(cell.name))

    def _key(self, bit: Any) -> Bit:
        return bit_key(self.fan.drivers.source(bit))

    def collect(self) -> None:
        """Note what each cell follows.

        Raises:
            _Unplaced: a register is of a kind that is not taken.
        """
        for cell in self.module.cells_.values():
            kind = plain(cell.type)
            if kind in _UNKNOWN or (kind == _READ and clocked_by(cell)):
                raise _Unplaced
            if cell.hasPort(public("CLK")) and cell.hasPort(public("Q")):
                self.registers[plain(cell.name)] = cell
                self._reset(cell)
            if kind in (_READ, _WRITE):
                self._port(cell, kind)
            for bit in self._followed(cell):
                self.readers[self._key(bit)].append(cell)
        read = (*self.readers, *self.by_clock, *self.by_reset)
        self.undriven.update(filter(self._is_undriven, read))

    def _port(self, cell: Any, kind: str) -> None:
        memory, name = memory_of(cell), plain(cell.name)
        found = self.late.memories.get(memory)
        if kind == _READ:
            self.reads[name] = cell
            self.read_by[memory].append(name)
            if found is not None:
                found.reads.append(cell)
        elif name not in self.late.clocked:
            if clocked_by(cell) is None:
                raise _Unplaced
            self.on_clock.add(memory)
            if found is not None:
                found.others.append(cell)

    def _reset(self, cell: Any) -> None:
        if plain(cell.type) not in _PLAIN:
            found = reset_of(cell)
            if found is None:
                raise _Unplaced
            (bit,) = cell.getPort(public(found[0])).to_sigbit_vector()
            self.by_reset[self._key(bit)].append(plain(cell.name))

    def _is_undriven(self, key: Bit) -> bool:
        return bool(key[0]) and key not in self.fan.reads and self.fan.drivers.cell(key) is None

    def _followed(self, cell: Any) -> Iterable[Any]:
        """Return the bits that the output of a cell follows within a cycle."""
        kind = plain(cell.type)
        if kind == LATCH:
            ports = ("D", "EN")
            return (bit for p in ports for bit in cell.getPort(public(p)).to_sigbit_vector())
        if kind == _READ or cell.hasPort(public("Y")):
            return (bit for bits in self.fan.ports(cell).values() for bit in bits)
        return ()

    def _outputs(self, cell: Any) -> list[Bit]:
        output = "Q" if cell.hasPort(public("Q")) else self.fan.output(cell)
        return [bit_key(bit) for bit in cell.getPort(public(output)).to_sigbit_vector()]

    def _named(self, name: str) -> Any:
        return self.registers.get(name) or self.reads[name]

    def _changed(self, edges: set[str]) -> set[str]:
        """Return the registers that edges clock, and the reads of memories that they write."""
        found = {name for name in edges if name in self.registers}
        for name, memory in self.late.memories.items():
            if any(plain(cell.name) in edges for cell in memory.late):
                found.update(self.read_by[name])
        return found

    def _world(self, wires: set[Bit], registers: Iterable[str]) -> World:
        """Return the world that begins with other values of these."""
        world = World(set(registers), wires)
        todo = [
            *wires,
            *(key for name in world.cells for key in self._outputs(self._named(name))),
        ]
        seen = set(todo)
        while todo:
            key = todo.pop()
            world.edges.update(self.by_clock.get(key, ()))
            world.resets.update(self.by_reset.get(key, ()))
            for cell in self.readers.get(key, ()):
                name = plain(cell.name)
                if name not in world.cells:
                    world.cells.add(name)
                    new = [one for one in self._outputs(cell) if one not in seen]
                    seen.update(new)
                    todo += new
        return world

    def _add(self, wires: set[Bit], clocked: Iterable[str] = ()) -> None:
        """Add a world, and those of the edges that follow from it."""
        worlds = self.late.worlds
        worlds.append(self._world(wires, ()))
        for level in range(_MOST_LEVELS + 1):
            changed = self._changed(worlds[-1].edges) | worlds[-1].resets
            changed.update(clocked if level == 0 else ())
            if not changed:
                return
            worlds.append(self._world(set(), changed))
        raise _Unplaced

    def place(self) -> None:
        """Make the worlds.

        Raises:
            _Unplaced: edges follow from edges without an end.
        """
        late = {plain(cell.name) for cell in self.late.cells}
        on_clock = [name for name in self.registers if name not in late]
        reads = [name for memory in self.on_clock for name in self.read_by[memory]]
        self._add({self.clock}, [*on_clock, *reads])
        self.late.inputs = len(self.late.worlds)
        self._add(self.undriven - {self.clock})
        self.late.falls = len(self.late.worlds)
        self._add({self.clock})
        self._add_reset(on_clock)

    def _add_reset(self, on_clock: list[str]) -> None:
        """Count as late what is reset, or released, behind the change of the inputs."""
        behind = self.late.worlds[self.late.inputs + 1 :]
        for name in on_clock:
            cell = self.registers[name]
            if any(name in world.resets for world in behind):
                self.late.cells.append(cell)
                (bit,) = cell.getPort(public("CLK")).to_sigbit_vector()
                self.late.clocked[name] = Clocked(bit, True)
                self.late.worlds[0].edges.add(name)


def find(state: State) -> Late | None:
    """Return what is late in a design; None if nothing is, or if something has no place."""
    try:
        others = _collect(state)
        if not others:  # as in most designs; asking who drives what takes long
            return None
        finder = _Finder(state, others)
        finder.collect()
        finder.place()
        for memory in finder.late.memories.values():
            memory.late.sort(key=port_number)
    except _Unplaced:
        return None
    return finder.late
