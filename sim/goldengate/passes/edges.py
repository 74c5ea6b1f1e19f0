# SPDX-License-Identifier: BSD-3-Clause
"""Pass `edges`: what falling edges and divided clocks clock, and latches, become registers.

In: the flat module, gates and ratios of clocks resolved. Out: every register on the clock's rising
edge. What changes later in the cycle (`phases`) is computed from a register that has its value of
the cycle before, and from the logic in front of it *as it is in its phase*: cells between that
depend on what differs there are copied. What reads it sees its value at the end of the cycle, as
the next rising edge does. So both engines, FAME-1 forms and metasimulations take such designs.

Where `phases` cannot place something, all stays as it is; the pass `check` decides about it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from pyosys import libyosys as ys

from goldengate import held, phases
from goldengate.drivers import Bit, bit_key
from goldengate.phases import LATCH, Edge, Late
from goldengate.reset_graph import Fan, reset_of, signal
from goldengate.state import State, plain, public

_NAME = "firesim_phase_"
"""How the names of registers begin that keep what an edge is compared with, or saw."""


class _Edges:
    """Rewrites a module by phases."""

    def __init__(self, state: State, late: Late, fan: Fan) -> None:
        self.module = state.module
        self.late, self.fan = late, fan
        self.clock = ys.SigSpec(self.module.wire(public(state.request.clock)))
        self.clock_key: Bit = (state.request.clock, 0)
        self.zero, self.one = ys.SigSpec(ys.Const(2, 2)).to_sigbit_vector()
        self.names = 0
        self.owner: dict[Bit, tuple[Any, int]] = {}
        """The register or latch of a bit that is late or may be reset, and which of its bits."""
        self.is_late: set[str] = set()
        self.before: dict[str, Any] = {}
        """What such a register has before the phases."""
        self.affected: dict[int, set[str]] = {}
        """The cells that differ from the end of the cycle, by phase and name."""
        self.seen: dict[tuple[int, Bit], Any] = {}
        self.whole: dict[tuple[int, str], Any] = {}
        """A register's or latch's value in a phase."""
        self.kept: dict[Bit, Any] = {}
        self.ticks: dict[tuple[str, Bit], Any] = {}
        self.todo: list[Callable[[], None]] = []
        self.readers: dict[Bit, list[Any]] = defaultdict(list)
        self._collect()
        self.started = self._keep(ys.SigSpec(self.one, 1), "started")

    def _collect(self) -> None:
        self.is_late = {plain(cell.name) for cell in self.late.cells}
        for cell in self.module.cells_.values():
            name = plain(cell.name)
            if cell.hasPort(public("Q")) and (name in self.is_late or _is_reset(cell)):
                bits = cell.getPort(public("Q")).to_sigbit_vector()
                self.owner |= {bit_key(bit): (cell, at) for at, bit in enumerate(bits)}
            elif not cell.hasPort(public("Q")) and _is_logic(cell):
                for bits in self.fan.ports(cell).values():
                    for bit in bits:
                        self.readers[bit_key(self.fan.drivers.source(bit))].append(cell)

    def _name(self, what: str) -> Any:
        self.names += 1
        return ys.IdString(f"$firesim$edges${what}${self.names}")

    def _wire(self, width: int) -> Any:
        return ys.SigSpec(self.module.addWire(self._name("wire"), width))

    def _keep(self, value: Any, name: str) -> Any:
        """Return a register that takes a value at every edge and begins with 0."""
        wire = self.module.addWire(public(_NAME + name), value.size())
        wire.attributes = {public("init"): ys.Const(0, value.size())}
        self.module.addDff(self._name("keep"), self.clock, value, ys.SigSpec(wire), True)
        return ys.SigSpec(wire)

    def _mux(self, select: Any, low: Any, high: Any) -> Any:
        return low if low == high else self.module.Mux(self._name("mux"), low, high, select)

    def _both(self, first: Any, second: Any) -> Any:
        return self.module.And(self._name("and"), first, second)

    def _differs(self, phase: int) -> set[str]:
        """Return the names of the cells whose values differ in a phase from those at the end."""
        if phase not in self.affected:
            found: set[str] = set()
            todo = [key for key in self.readers if self._is_leaf(key) and self._moves(phase, key)]
            while todo:
                for cell in self.readers[todo.pop()]:
                    name = plain(cell.name)
                    if name not in found:
                        found.add(name)
                        output = cell.getPort(public(self.fan.output(cell)))
                        todo += [bit_key(bit) for bit in output.to_sigbit_vector()]
            self.affected[phase] = found
        return self.affected[phase]

    def _is_leaf(self, key: Bit) -> bool:
        if not key[0] or key in self.fan.reads:
            return False
        cell = self.fan.drivers.cell(key)
        return cell is None or cell.hasPort(public("Q"))

    def _moves(self, phase: int, key: Bit) -> bool:
        """Whether a bit that no cell computes has in a phase not what it has at the end."""
        if key == self.clock_key:
            return True
        if phase == self.late.end:
            return False
        if key in self.owner:
            name = plain(self.owner[key][0].name)
            edge = self.late.edges.get(name)
            return phase <= self.late.levels or (
                name in self.is_late and (edge is None or phase <= edge.phase)
            )
        return phase <= self.late.levels and self.fan.drivers.cell(key) is None

    def _see(self, phase: int, bits: Iterable[Any]) -> Any:
        """Return bits as they are in a phase, before what happens in it."""
        return signal(self._bit(phase, bit) for bit in bits)

    def _bit(self, phase: int, bit: Any) -> Any:
        bit = self.fan.drivers.source(bit)
        if not bit.is_wire():
            return bit
        key = bit_key(bit)
        if (phase, key) not in self.seen:
            cell = self.fan.cell(bit)
            if cell is None:
                self.seen[phase, key] = self._leaf(phase, bit, key)
            elif plain(cell.name) in self._differs(phase):
                self._copy(phase, cell)
            else:
                self.seen[phase, key] = bit
        return self.seen[phase, key]

    def _leaf(self, phase: int, bit: Any, key: Bit) -> Any:
        if not self._moves(phase, key):
            return bit
        if key == self.clock_key:
            return self.zero if phase == self.late.end else self.started.to_sigbit_vector()[0]
        if key in self.owner:
            cell, at = self.owner[key]
            return list(self._value(phase, cell).to_sigbit_vector())[at]
        if key not in self.kept:
            self.kept[key] = self._keep(ys.SigSpec(bit, 1), f"input_{len(self.kept)}")
        return self.kept[key].to_sigbit_vector()[0]

    def _copy(self, phase: int, cell: Any) -> None:
        """Compute a cell as it is in a phase; its inputs are connected later."""
        output = self.fan.output(cell)
        made = self.module.addCell(self._name("cell"), cell.type)
        for name in dict(cell.parameters):
            made.setParam(name, cell.getParam(name))
        outputs = list(cell.getPort(public(output)).to_sigbit_vector())
        copy = self._wire(len(outputs))
        made.set_src_attribute(cell.get_src_attribute())
        for bit, new in zip(outputs, copy.to_sigbit_vector(), strict=True):
            self.seen[phase, bit_key(bit)] = new
        inputs = self.fan.ports(cell)

        def connect() -> None:
            for port, own in dict(cell.connections_).items():
                name = plain(port)
                made.setPort(port, self._see(phase, inputs[name]) if name in inputs else own)
            made.setPort(public(output), copy)

        self.todo.append(connect)

    def _value(self, phase: int, cell: Any) -> Any:
        """Return what a register or latch has in a phase; it is computed later."""
        name = plain(cell.name)
        if (phase, name) not in self.whole:
            wire = self._wire(cell.getPort(public("Q")).size())
            self.whole[phase, name] = wire
            self.todo.append(lambda: self.module.connect(wire, self._computed(phase, cell)))
        return self.whole[phase, name]

    def _computed(self, phase: int, cell: Any) -> Any:
        """Compute what a register or latch has in a phase from what it had in the one before."""
        name = plain(cell.name)
        if phase == 1:
            before = self._before(cell)
        else:
            before = self._value(phase - 1, cell)
            edge = self.late.edges.get(name)
            if edge is not None and edge.phase == phase - 1:
                before = self._mux(self._tick(edge), before, self._next(edge.phase, cell, before))
        if plain(cell.type) == LATCH:
            data = self._see(phase, cell.getPort(public("D")).to_sigbit_vector())
            return self._mux(self._on(phase, cell, "EN"), before, data)
        found = reset_of(cell)
        if found is None:
            return before
        return self._mux(self._on(phase, cell, found[0]), before, found[1])

    def _before(self, cell: Any) -> Any:
        """Return the register that has what a register or latch has when the cycle begins."""
        name = plain(cell.name)
        if name not in self.before:
            if name in self.is_late:
                self.before[name] = held.add(self.module, cell, held.BEFORE_EDGES)
            else:  # Resets may act on the register itself with inputs that are not there yet.
                self.before[name] = self._keep(self._sampled(cell), f"register_{self.names}")
        return self.before[name]

    def _sampled(self, cell: Any) -> Any:
        """Return what a register on the clock takes at its edge."""
        end = self.late.end
        found = reset_of(cell)
        taken = self._next(end, cell, cell.getPort(public("Q")))
        return taken if found is None else self._mux(self._on(end, cell, found[0]), taken, found[1])

    def _next(self, phase: int, cell: Any, before: Any) -> Any:
        """Return what a register takes at its edge."""
        data = self._see(phase, cell.getPort(public("D")).to_sigbit_vector())
        if not cell.hasPort(public("EN")):
            return data
        return self._mux(self._on(phase, cell, "EN"), before, data)

    def _on(self, phase: int, cell: Any, port: str) -> Any:
        """Return a control, 1 where it is active, as it is in a phase."""
        found = self._see(phase, cell.getPort(public(port)).to_sigbit_vector())
        if cell.getParam(public(f"{port}_POLARITY")).as_bool():
            return found
        return self.module.Not(self._name("low"), found)

    def _tick(self, edge: Edge) -> Any:
        """Return the bit that is 1 in the cycles in which an edge comes."""
        key = bit_key(self.fan.drivers.source(edge.bit))
        kind = "falls" if edge.phase == self.late.falling else "rises" if edge.rises else "drops"
        name = (kind, key)
        if name not in self.ticks:
            self.ticks[name] = self._moment(edge, kind)
        return self.ticks[name]

    def _moment(self, edge: Edge, kind: str) -> Any:
        """Compute the bit that is 1 in the cycles in which an edge comes."""
        if not edge.bit.is_wire():  # The clock itself falls, in all cycles but the first.
            return self.started
        kept = self._keep(ys.SigSpec(edge.bit, 1), f"{kind}_{len(self.ticks)}")
        if kind == "falls":
            return kept
        now = self._see(edge.phase, [edge.bit])
        low, high = (kept, now) if edge.rises else (now, kept)
        changed = self._both(self.module.Not(self._name("low"), low), high)
        return self._both(changed, self.started)

    def _task(self, cell: Any) -> None:
        """Let an assert or a print happen at the clock's edge, with what its own edge saw."""
        edge = self.late.edges[plain(cell.name)]
        for port in ("A", "EN", "ARGS"):
            if cell.hasPort(public(port)):
                bits = cell.getPort(public(port)).to_sigbit_vector()
                cell.setPort(public(port), self._see(edge.phase, bits))
        cell.setPort(public("EN"), self._both(cell.getPort(public("EN")), self._tick(edge)))
        cell.setPort(public("TRG"), self.clock)
        cell.setParam(public("TRG_POLARITY"), ys.Const(1, 1))

    def rewrite(self) -> None:
        """Replace what is late."""
        ends: list[tuple[Any, Any, Any]] = []
        for cell in self.late.cells:
            if not cell.hasPort(public("Q")):
                self._task(cell)
                continue
            ends.append((cell, self._value(self.late.end, cell), self._before(cell)))
        while self.todo:
            self.todo.pop()()
        for cell, value, before in ends:
            output, source = cell.getPort(public("Q")), cell.get_src_attribute()
            self.module.remove(cell)
            self.module.connect(output, value)
            made = self.module.addDff(self._name("late"), self.clock, output, before, True)
            made.set_src_attribute(source)


def _is_reset(cell: Any) -> bool:
    return plain(cell.type) != LATCH and reset_of(cell) is not None


def _is_logic(cell: Any) -> bool:
    """Whether a cell computes its output from its inputs in the same cycle."""
    if plain(cell.type) == "$memrd_v2":
        return not cell.getParam(public("CLK_ENABLE")).as_bool()
    return bool(cell.hasPort(public("Y")))


def run(state: State) -> None:
    """Rewrite what is late in the cycle, if there is something and all of it can be placed."""
    found = phases.find(state)
    if found is None:
        return
    _Edges(state, *found).rewrite()
    state.run("opt_clean")
