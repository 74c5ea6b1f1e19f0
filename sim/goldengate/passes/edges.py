# SPDX-License-Identifier: BSD-3-Clause
"""Pass `edges`: what other edges than the clock's rising one clock, and latches, become registers.

In: the flat module, gates and ratios of clocks resolved. Out: every register on the clock's rising
edge. What changes late in the cycle is computed from a register that has what it is when the cycle
begins, world by world (`phases`), and from the logic in front of it *as it is in that world*: cells
between that differ there are copied. What reads it sees the last world, in which the clock is low,
as the next rising edge does. So both engines, FAME-1 forms and metasimulations take such designs.

Where `phases` finds no place for something, all stays as it is; the pass `check` decides about it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from pyosys import libyosys as ys

from goldengate import held, late_memory, phases
from goldengate.drivers import Bit, add_like, bit_key
from goldengate.late_memory import Write
from goldengate.memory_ports import memory_of
from goldengate.phases import LATCH, Late
from goldengate.reset_graph import reset_of, signal
from goldengate.state import State, plain, public

_NAME = "firesim_phase_"
"""How the names of registers begin that keep what a world of the next cycle sees."""


class _Edges:
    """Rewrites a module, world by world."""

    def __init__(self, state: State, late: Late) -> None:
        self.module = state.module
        self.late, self.fan = late, late.fan
        self.clock = ys.SigSpec(self.module.wire(public(state.request.clock)))
        self.clock_key: Bit = (state.request.clock, 0)
        self.zero, self.one = (ys.SigSpec(ys.Const(value, 1)) for value in (0, 1))
        self.names = 0
        self.owner: dict[Bit, tuple[Any, int]] = {}
        """The register or latch of a bit, and which of its bits it is."""
        self.is_late = {plain(cell.name) for cell in late.cells}
        self.before: dict[str, Any] = {}
        """What a register or latch has as world 1 begins."""
        self.seen: dict[tuple[int, Bit], Any] = {}
        self.whole: dict[tuple[int, str], Any] = {}
        """A register's or latch's value in a world."""
        self.kept: dict[Bit, Any] = {}
        self.ticks: dict[tuple[int, Bit, bool], Any] = {}
        self.todo: list[Callable[[], None]] = []
        self.written: dict[str, list[Write]] = {}
        """What is written late to a memory, in its order; what is in world 0 comes last."""
        for cell in self.module.cells_.values():
            if cell.hasPort(public("Q")):
                bits = cell.getPort(public("Q")).to_sigbit_vector()
                self.owner |= {bit_key(bit): (cell, at) for at, bit in enumerate(bits)}
        self.started = self._keep(self.one, "started")

    # Gates

    def _name(self, what: str) -> Any:
        self.names += 1
        return ys.IdString(f"$firesim$edges${what}${self.names}")

    def _wire(self, width: int) -> Any:
        return ys.SigSpec(self.module.addWire(self._name("wire"), width))

    def _keep(self, value: Any, name: str, first: Any = None) -> Any:
        """Return a register that takes a value at every edge and begins with `first`, or 0."""
        wire = self.module.addWire(public(_NAME + name), value.size())
        wire.attributes = {public("init"): ys.Const(0, value.size()) if first is None else first}
        self.module.addDff(self._name("keep"), self.clock, value, ys.SigSpec(wire), True)
        return ys.SigSpec(wire)

    def _mux(self, select: Any, low: Any, high: Any) -> Any:
        if select == self.zero or low == high:
            return low
        return high if select == self.one else self.module.Mux(self._name("mux"), low, high, select)

    def _not(self, bit: Any) -> Any:
        if bit in (self.zero, self.one):
            return self.one if bit == self.zero else self.zero
        return self.module.Not(self._name("not"), bit)

    def _both(self, first: Any, second: Any) -> Any:
        if self.zero in (first, second):
            return self.zero
        if first == self.one or first == second:
            return second
        return first if second == self.one else self.module.And(self._name("and"), first, second)

    # What a world sees

    def _last(self, world: int, cell: str, wire: Bit) -> int:
        """Return the last world in which a cell, or a wire without one, is as in this one."""
        if world == 0:
            first = self.late.worlds[0]
            return 0 if cell in first.cells or wire in first.wires else self.late.end
        while world < self.late.end:
            following = self.late.worlds[world + 1]
            if cell in following.cells or wire in following.wires:
                break
            world += 1
        return world

    def _see(self, world: int, bits: Iterable[Any]) -> Any:
        """Return bits as they are in a world, before what its edges clock."""
        return signal(self._bit(world, bit) for bit in bits)

    def _bit(self, world: int, bit: Any) -> Any:
        bit = self.fan.drivers.source(bit)
        if not bit.is_wire():
            return bit
        key = bit_key(bit)
        cell = self.fan.cell(bit)
        owner = cell if cell is not None else self.owner.get(key, (None,))[0]
        at = self._last(world, plain(owner.name) if owner is not None else "", key)
        if key == self.clock_key:
            high = self.one if at == 0 else self.started if at < self.late.falls else self.zero
            return high.to_sigbit_vector()[0]
        if at == self.late.end:
            return bit
        if (at, key) not in self.seen:
            if cell is None:
                self.seen[at, key] = self._leaf(at, bit, key)
            else:
                self._copy(at, cell)
        return self.seen[at, key]

    def _leaf(self, world: int, bit: Any, key: Bit) -> Any:
        if key in self.owner:
            cell, at = self.owner[key]
            return list(self._value(world, cell).to_sigbit_vector())[at]
        if key not in self.kept:  # In the first cycle there was no input before.
            one = ys.SigSpec(bit, 1)
            kept = self._keep(one, f"input_{len(self.kept)}")
            self.kept[key] = self._mux(self.started, one, kept)
        return self.kept[key].to_sigbit_vector()[0]

    def _copy(self, world: int, cell: Any) -> None:
        """Compute a cell as it is in a world; its inputs are connected later."""
        output = self.fan.output(cell)
        made = add_like(self.module, self._name("cell"), cell)
        outputs = list(cell.getPort(public(output)).to_sigbit_vector())
        copy = self._wire(len(outputs))
        for bit, new in zip(outputs, copy.to_sigbit_vector(), strict=True):
            self.seen[world, bit_key(bit)] = new
        inputs = self.fan.ports(cell)

        def connect() -> None:
            for port, own in dict(cell.connections_).items():
                name = plain(port)
                made.setPort(port, self._see(world, inputs[name]) if name in inputs else own)
            self._output(world, cell, made, copy)

        self.todo.append(connect)

    # Memories

    def _output(self, world: int, cell: Any, made: Any, output: Any) -> None:
        """Connect what a cell, or its copy `made`, computes in a world."""
        port = public(self.fan.output(cell))
        is_read = plain(cell.type) == "$memrd_v2"
        written = self.written.get(memory_of(cell)) if is_read else None
        if written is None:
            made.setPort(port, output)
            return
        stored = self._wire(output.size())
        made.setPort(port, stored)
        until = world or self.late.end + 1
        since = [one for one in written if 0 < one.world < until]
        name = functools.partial(self._name, "memory")
        self.module.connect(output, late_memory.taken(self.module, name, made, stored, since))

    def _write(self, world: int, cell: Any) -> Write:
        at = world or self.late.end
        tick = self._tick(world, cell)
        enable, address, data = (
            self._see(at, cell.getPort(public(port)).to_sigbit_vector())
            for port in ("EN", "ADDR", "DATA")
        )
        bits = list(enable.to_sigbit_vector())
        happens = {bit_key(bit): ys.SigSpec(bit, 1) for bit in bits}
        happens = {bit: self._both(enabled, tick) for bit, enabled in happens.items()}
        enable = signal(happens[bit_key(bit)].to_sigbit_vector()[0] for bit in bits)
        return Write(cell, world, enable, address, data)

    def _writes(self) -> None:
        """List what is written late to each memory."""
        worlds = [*range(1, len(self.late.worlds)), 0]
        for name, memory in self.late.memories.items():
            self.written[name] = [
                self._write(world, cell)
                for world in worlds
                for cell in memory.late
                if plain(cell.name) in self.late.worlds[world].edges
            ]

    def _memories(self) -> None:
        """Let late writes happen at the next rising edge, and reads find them before."""
        name = functools.partial(self._name, "memory")
        for key, memory in self.late.memories.items():
            for cell in memory.reads:
                self._output(self.late.end, cell, cell, cell.getPort(public("DATA")))
            late_memory.rise(self.module, name, self.clock, memory, self.written[key])

    # Registers and latches

    def _value(self, world: int, cell: Any) -> Any:
        """Return what a register or latch has in a world; it is computed later."""
        name = plain(cell.name)
        world = self._last(world, name, ("", 0))
        if (world, name) not in self.whole:
            wire = self._wire(cell.getPort(public("Q")).size())
            self.whole[world, name] = wire
            self.todo.append(lambda: self.module.connect(wire, self._computed(world, cell)))
        return self.whole[world, name]

    def _computed(self, world: int, cell: Any) -> Any:
        """Compute what a register or latch has since the last world in which it may change."""
        name = plain(cell.name)
        while world > 1 and name not in self.late.worlds[world].cells:
            world -= 1
        before = self._before(cell) if world == 1 else self._value(world - 1, cell)
        if plain(cell.type) == LATCH:
            return self._opened(world, cell, before)
        if world == 1:
            return before
        if name in self.late.worlds[world - 1].edges:
            before = self._clocked(world - 1, cell, before)
        return self._reset(world - 1, cell, before)

    def _opened(self, world: int, cell: Any, before: Any) -> Any:
        """Return what a latch has in a world."""
        data = self._see(world, cell.getPort(public("D")).to_sigbit_vector())
        return self._mux(self._on(world, cell, "EN"), before, data)

    def _reset(self, world: int, cell: Any, before: Any) -> Any:
        """Return what a register has behind a world in which its reset may be active."""
        found = reset_of(cell)
        if found is None:
            return before
        return self._mux(self._on(world, cell, found[0]), before, found[1])

    def _before(self, cell: Any) -> Any:
        """Return the register that has what a register or latch has as world 1 begins."""
        name = plain(cell.name)
        if name not in self.before:
            if name in self.is_late:
                self.before[name] = held.add(self.module, cell, held.BEFORE_EDGES)
            else:  # Resets may act on the register itself with inputs that are not there yet.
                end = self.late.end
                taken = self._next(end, cell, cell.getPort(public("Q")))
                taken = self._reset(end, cell, taken)
                first = held.first(cell.getPort(public("Q")))
                self.before[name] = self._keep(taken, f"register_{len(self.before)}", first)
        return self.before[name]

    def _clocked(self, world: int, cell: Any, before: Any) -> Any:
        """Return what a register has behind an edge that may come as a world begins.

        At the edge with which the next cycle begins it samples what this one ends with.
        """
        sampled = self._next(world or self.late.end, cell, before)
        return self._mux(self._tick(world, cell), before, sampled)

    def _next(self, world: int, cell: Any, before: Any) -> Any:
        """Return what a register takes at its edge."""
        data = self._see(world, cell.getPort(public("D")).to_sigbit_vector())
        if not cell.hasPort(public("EN")):
            return data
        return self._mux(self._on(world, cell, "EN"), before, data)

    def _on(self, world: int, cell: Any, port: str) -> Any:
        """Return a control, 1 where it is active, as it is in a world."""
        found = self._see(world, cell.getPort(public(port)).to_sigbit_vector())
        if cell.getParam(public(f"{port}_POLARITY")).as_bool():
            return found
        return self._not(found) if found.size() == 1 else self.module.Not(self._name("low"), found)

    def _tick(self, world: int, cell: Any) -> Any:
        """Return the bit that is 1 where the edge of a register or task comes as a world begins.

        Of world 0 it is that of the edge with which the next cycle begins.
        """
        by = self.late.clocked[plain(cell.name)]
        key = world, bit_key(self.fan.drivers.source(by.bit)), by.rises
        if key not in self.ticks:
            after = self._see(world, [by.bit])
            if world == 1:
                before = self._keep(self._see(0, [by.bit]), f"clock_{len(self.ticks)}")
            else:
                before = self._see(world - 1 if world else self.late.end, [by.bit])
            low, high = (before, after) if by.rises else (after, before)
            changes = self.zero if before == after else self._both(self._not(low), high)
            self.ticks[key] = self._both(changes, self.started) if world else changes
        return self.ticks[key]

    def _task(self, cell: Any) -> None:
        """Let an assert or a print happen at the clock's edge, with what its own edge saw."""
        happens = self.zero
        name = plain(cell.name)
        ports = [port for port in ("A", "ARGS") if cell.hasPort(public(port))]
        passed = {port: cell.getPort(public(port)) for port in ports}
        enable = cell.getPort(public("EN"))
        values = dict(passed)
        for number, world in enumerate(self.late.worlds):
            if name not in world.edges:
                continue
            at = number or self.late.end
            tick = self._both(self._tick(number, cell), self._see(at, enable.to_sigbit_vector()))
            for port in ports:
                now = self._see(at, passed[port].to_sigbit_vector())
                values[port] = now if happens == self.zero else self._mux(tick, values[port], now)
            no_others = self._both(self._not(happens), self._not(tick))
            happens = self._not(no_others)
        for port in ports:
            cell.setPort(public(port), values[port])
        cell.setPort(public("EN"), happens)
        cell.setPort(public("TRG"), self.clock)
        cell.setParam(public("TRG_POLARITY"), ys.Const(1, 1))

    def _following(self, cell: Any) -> Any:
        """Return what a register or latch has behind the edge with which the next cycle begins."""
        end, name = self.late.end, plain(cell.name)
        taken = cell.getPort(public("Q"))
        if plain(cell.type) == LATCH:
            return self._opened(0, cell, taken) if name in self.late.worlds[0].cells else taken
        if name in self.late.worlds[0].edges:
            taken = self._clocked(0, cell, taken)
        return self._reset(end, cell, taken)

    def rewrite(self) -> None:
        """Replace what is late."""
        ends: list[tuple[Any, Any, Any, Any]] = []
        for cell in self.late.cells:
            if not cell.hasPort(public("Q")):
                self._task(cell)
                continue
            value, before = self._value(self.late.end, cell), self._before(cell)
            ends.append((cell, value, before, self._following(cell)))
        self._writes()
        while self.todo:
            self.todo.pop()()
        self._memories()
        self._clock_is_low()
        for cell, value, before, following in ends:
            output, source = cell.getPort(public("Q")), cell.get_src_attribute()
            self.module.remove(cell)
            self.module.connect(output, value)
            made = self.module.addDff(self._name("late"), self.clock, following, before, True)
            made.set_src_attribute(source)

    def _clock_is_low(self) -> None:
        """Let logic that reads the clock see that it is low at the end of a cycle."""
        for cell in self.module.cells_.values():
            if cell.hasPort(public("Q")) or not (
                cell.hasPort(public("Y")) or plain(cell.type) == "$memrd_v2"
            ):
                continue
            for port, own in dict(cell.connections_).items():
                bits = [self.fan.drivers.source(bit) for bit in own.to_sigbit_vector()]
                if plain(port) != "CLK" and any(bit_key(b) == self.clock_key for b in bits):
                    zero = self.zero.to_sigbit_vector()[0]
                    low = (zero if bit_key(b) == self.clock_key else b for b in bits)
                    cell.setPort(port, signal(low))


def run(state: State) -> None:
    """Rewrite what is late in the cycle, if there is something and all of it has a place."""
    late = phases.find(state)
    if late is None:
        return
    _Edges(state, late).rewrite()
    state.run("opt_clean")
