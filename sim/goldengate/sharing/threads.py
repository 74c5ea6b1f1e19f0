# SPDX-License-Identifier: BSD-3-Clause
"""FAME-5: N identical targets, a supernode, share one copy of the combinational logic.

In: the module of a FAME-1 form. Out: the same with the ports of N targets, `node0__x` and so on.
Registers are N deep, a ring that turns by one in each slot, so that target i is at
its head in slot i; memories have N times the rows. What a target gives is kept until the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyosys import libyosys as ys

from goldengate.channels import node_name
from goldengate.drivers import Bit, Drivers, bit_key
from goldengate.errors import GoldenGateError
from goldengate.memory_ports import memory_of
from goldengate.passes.fame1 import FIRE
from goldengate.sharing.slots import SLOT
from goldengate.state import Port, State, plain, public

_PORTS, _INITIAL = ("$memrd_v2", "$memwr_v2"), ("$meminit", "$meminit_v2")


class _Threads:
    """Rewrites one module."""

    def __init__(self, state: State, count: int) -> None:
        self.state, self.module, self.count = state, state.module, count
        self.made = 0
        self.fire = ys.SigSpec(self.module.wire(public(FIRE)))
        self.slots = self.module.addWire(public(SLOT), count - 1)
        self.slots.port_input = True
        self.clock = ys.SigSpec(self.module.wire(public(state.request.clock)))
        self.turn = self._any(list(range(count)))
        self.stages: dict[Bit, list[Any]] = {}
        """Of each bit of a register: that of target 0, 1, ... between two target cycles."""

    def _name(self) -> Any:
        self.made += 1
        return ys.IdString(f"$firesim$fame5${self.made}")

    def _slot(self, number: int) -> Any:
        return self.fire if number == self.count - 1 else ys.SigSpec(self.slots, number, 1)

    def _any(self, numbers: Sequence[int]) -> Any:
        signal = ys.SigSpec()
        for number in numbers:
            signal.append(self._slot(number))
        return self.module.ReduceOr(self._name(), signal)

    def registers(self) -> None:
        """Make a ring of every register, all of whose stages have its first value."""
        for cell in list(self.module.cells_.values()):
            if plain(cell.type) == "$dffe":
                self._ring(cell)
            elif plain(cell.name).startswith("$firesim$and$"):  # passes.fame1: a memory's enable
                cell.setPort(public("B"), self.turn)

    def _ring(self, cell: Any) -> None:
        value, head = cell.getPort(public("D")), cell.getPort(public("Q"))
        first = self._first_value(head)
        wires = []
        for _ in range(self.count - 1):
            wire = self.module.addWire(self._name(), head.size())
            wire.attributes = {public("init"): first}
            shown = ys.SigSpec(wire)
            self.module.addDffe(self._name(), self.clock, self.turn, value, shown, True, True)
            wires.append(list(shown.to_sigbit_vector()))
            value = shown
        cell.setPort(public("D"), value)
        cell.setPort(public("EN"), self.turn)
        for index, bit in enumerate(head.to_sigbit_vector()):
            self.stages[bit_key(bit)] = [bit, *(stage[index] for stage in reversed(wires))]

    def _first_value(self, signal: Any) -> Any:
        """Return the first value of a register, whose bits may lie in several wires."""
        digits = ""
        for bit in signal.to_sigbit_vector():
            known = {plain(name): value for name, value in dict(bit.wire.attributes).items()}
            text = known["init"].as_string()[::-1] if "init" in known else ""
            digit = text[bit.offset] if bit.offset < len(text) else "x"
            digits = digit + digits
        return ys.Const.from_string(digits)

    def memories(self) -> None:
        """Give every target rows of its own, which the upper bits of the addresses choose."""
        number_bits = (self.count - 1).bit_length()
        thread = ys.SigSpec()
        for bit in range(number_bits):
            thread.append(self._any([one for one in range(self.count) if one >> bit & 1]))
        sizes = {name.str(): memory.size for name, memory in dict(self.module.memories).items()}
        for memory in dict(self.module.memories).values():
            memory.size <<= number_bits
        for cell in list(self.module.cells_.values()):
            kind = plain(cell.type)
            if kind not in (*_PORTS, *_INITIAL):
                continue
            rows = sizes[memory_of(cell)]
            if kind in _INITIAL:
                self._repeat(cell, rows)
            else:
                self._widen(cell, rows, thread)

    def _widen(self, cell: Any, rows: int, thread: Any) -> None:
        if plain(cell.type) == _PORTS[0] and cell.getParam(public("CLK_ENABLE")).as_bool():
            raise GoldenGateError(
                f"{self.state.place(cell.get_src_attribute())}: FAME-5 needs memories that are "
                f"read without a clock; this one has a register within."
            )
        address = ys.SigSpec(cell.getPort(public("ADDR")))
        address.extend_u0((rows - 1).bit_length())
        address.append(thread)
        cell.setPort(public("ADDR"), address)
        cell.setParam(public("ABITS"), ys.Const(address.size(), 32))

    def _repeat(self, cell: Any, rows: int) -> None:
        """Write what a memory holds at first into the rows of the other targets."""
        first = cell.getPort(public("ADDR")).as_const().as_int()
        for thread in range(1, self.count):
            copy = self.module.addCell(self._name(), cell)
            address = ys.Const(first + thread * rows, 32)
            copy.setPort(public("ADDR"), ys.SigSpec(address))
            copy.setParam(public("ABITS"), ys.Const(32, 32))

    def input(self, wire: Any) -> None:
        """Let the logic see a port of the target whose slot it is."""
        wire.port_input = False
        chosen: Any = None
        for thread in range(self.count):
            own = self.module.addWire(public(node_name(thread, plain(wire.name))), wire.width)
            own.port_input = True
            value = ys.SigSpec(own)
            if chosen is not None:
                value = self.module.Mux(self._name(), chosen, value, self._slot(thread))
            chosen = value
        self.module.connect(ys.SigSpec(wire), chosen)

    def output(self, wire: Any) -> list[Any]:
        """Keep what each target gives in its slot; return one value for each."""
        wire.port_output = False
        found = []
        for thread in range(self.count - 1):
            kept = ys.SigSpec(self.module.addWire(self._name(), wire.width))
            slot = self._slot(thread)
            self.module.addDffe(self._name(), self.clock, slot, ys.SigSpec(wire), kept, True, True)
            found.append(kept)
        return [*found, ys.SigSpec(wire)]

    def counter(self, wire: Any, drivers: Drivers) -> list[Any]:
        """Return a counter's register of each target, to be read between target cycles."""
        wire.port_output = False
        found = [ys.SigSpec() for _ in range(self.count)]
        for bit in ys.SigSpec(wire).to_sigbit_vector():
            source = drivers.source(bit)
            same = [source] * self.count
            stages = self.stages.get(bit_key(source), same) if source.is_wire() else same
            for signal, stage in zip(found, stages, strict=True):
                signal.append(stage)
        return found

    def show(self, name: str, value: Any) -> None:
        """Add an output."""
        wire = self.module.addWire(public(name), value.size())
        wire.port_output = True
        self.module.connect(ys.SigSpec(wire), value)


def run(state: State, count: int, ports: list[Port]) -> None:
    """Make a supernode of `count` targets, whose ports these are of one.

    Raises:
        GoldenGateError: a memory of the target cannot be shared so.
    """
    threads = _Threads(state, count)
    threads.registers()
    threads.memories()
    drivers = Drivers(state.module)
    counters = {counter.port for counter in state.counters}
    for port in ports:
        wire = state.module.wire(public(port.name))
        if port.direction == "in":
            threads.input(wire)
            continue
        values = threads.counter(wire, drivers) if port.name in counters else threads.output(wire)
        for thread, value in enumerate(values):
            threads.show(node_name(thread, port.name), value)
    state.module.fixup_ports()
    state.run("setundef -zero -init")
    state.run("opt_clean")
