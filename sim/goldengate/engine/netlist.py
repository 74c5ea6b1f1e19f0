# SPDX-License-Identifier: BSD-3-Clause
"""Step `netlist`: all cells of a flat module become a design.

Cells are evaluated in topological order into nodes of the graph; wires disappear. A loop through
combinational cells is refused by name.
"""

from __future__ import annotations

import re

from goldengate.engine import memories, registers, shown, signals, tables
from goldengate.engine.cells import RULES, evaluate
from goldengate.engine.design import Design, Port, Probe, Unsupported
from goldengate.engine.nodes import WORD, mask
from goldengate.engine.rtlil import Cell, Chunk, Module, identifier
from goldengate.engine.signals import Signal
from goldengate.engine.wiring import CONSTANT, Wiring

OUTPUT = {"$memrd_v2": "DATA"}
_MOST_NAMES = 4


class _Importer:
    """Builds a design out of a module."""

    def __init__(self, module: Module, clock: str, port_order: list[str]) -> None:
        self.module = module
        self.clock = clock
        self.design = Design(module.name)
        self.graph = self.design.graph
        self.wiring = Wiring(module)
        self.values: dict[int, Signal] = {}
        self.cells: dict[int, Cell] = {}
        self.state: dict[int, Signal] = {}
        self.memories = memories.collect(module)
        self._inputs(port_order)
        for cell in module.cells:
            self._add_cell(cell)

    def _inputs(self, port_order: list[str]) -> None:
        for index, name in enumerate(port_order):
            wire = self.module.wires[name]
            port = Port(name, wire.width, wire.direction == "input")
            if port.is_input:
                port.words = [
                    self.graph.leaf(("input", index, low // WORD), min(WORD, wire.width - low))
                    for low in range(0, wire.width, WORD)
                ]
                self.values[self.wiring.drive([(name, 0, wire.width)])] = port.words
            self.design.ports.append(port)
        self.clock_driver = self.wiring.drive([(self.clock, 0, 1)])
        # Data that depends on the clock itself sees it low, as it is when the outputs settle.
        self.values[self.clock_driver] = [self.graph.const(0, 1)]

    def _add_cell(self, cell: Cell) -> None:
        if cell.kind in RULES:
            self.cells[self.wiring.drive(cell.ports["Y"])] = cell
        elif cell.kind == "$memrd_v2":
            self.cells[self.wiring.drive(cell.ports["DATA"])] = cell
        elif cell.kind in registers.KINDS:
            number = self.wiring.drive(cell.ports["Q"])
            self.state[number] = registers.leaves(self.design, self.module, cell)
            self.cells[number] = cell
            if cell.kind not in registers.ASYNCHRONOUS:
                self.values[number] = self.state[number]
        elif cell.kind not in memories.KINDS:
            raise Unsupported(
                f"{self.module.name}: a cell of kind {cell.kind} ({cell.source or cell.name})"
            )

    def _check_clock(self, cell: Cell) -> None:
        pieces = self.wiring.pieces(cell.ports["CLK"])
        if pieces != [(self.clock_driver, 0, 1)] or not cell.integer("CLK_POLARITY"):
            raise Unsupported(
                f"{self.module.name}: {cell.kind} {cell.name} ({cell.source}) is not clocked by "
                f"the rising edge of {self.clock}"
            )

    def _inputs_of(self, number: int) -> list[list[Chunk]]:
        """Return the signals a driver's value depends on in the same cycle."""
        cell = self.cells[number]
        if cell.kind == "$memrd_v2":
            return [cell.ports["ADDR"]]
        if cell.kind in registers.KINDS:
            names = registers.ASYNCHRONOUS_PORTS
            return [cell.ports[name] for name in names if name in cell.ports]
        return [signal for name, signal in cell.ports.items() if name != "Y"]

    def _needed(self, number: int) -> list[int]:
        """Return the drivers that must be evaluated before this one."""
        found = []
        for chunks in self._inputs_of(number):
            for driver, _, _ in self.wiring.pieces(chunks):
                if driver != CONSTANT and driver not in self.values:
                    found.append(driver)
        return found

    def signal(self, chunks: list[Chunk]) -> Signal:
        """Return the value of a signal whose drivers are evaluated."""
        found: Signal = []
        for driver, low, width in self.wiring.pieces(chunks):
            if driver == CONSTANT:
                found += signals.constant(self.graph, low & mask(width), width)
            else:
                found += signals.take(self.graph, self.values[driver], low, width)
        return found

    def _inputs_by_name(self, cell: Cell, skip: frozenset[str]) -> dict[str, Signal]:
        return {n: self.signal(chunks) for n, chunks in cell.ports.items() if n not in skip}

    def _evaluate(self, number: int) -> None:
        cell = self.cells[number]
        if cell.kind == "$memrd_v2":
            ports = self.memories[identifier(cell.text("MEMID"))]
            address = self.signal(cell.ports["ADDR"])
            self.values[number] = memories.read(self.design, ports, address)
        elif cell.kind in registers.KINDS:
            wanted = registers.ASYNCHRONOUS_PORTS
            inputs = {n: self.signal(cell.ports[n]) for n in wanted if n in cell.ports}
            state = self.state[number]
            self.values[number] = registers.visible(self.graph, cell, inputs, state)
        else:
            inputs = self._inputs_by_name(cell, frozenset("Y"))
            self.values[number] = evaluate(self.graph, cell, inputs)

    def _loop(self, path: list[int], again: int) -> Unsupported:
        """Name a loop as the user does; the pass `loops` leaves those of asynchronous resets."""
        ring = [self.cells[number] for number in path[path.index(again) :]]
        outputs = {
            name
            for cell in ring
            for name, _, _ in cell.ports.get("Y") or cell.ports.get("Q") or cell.ports["DATA"]
        }
        for left, right in self.module.connections:
            if outputs & {name for name, _, _ in right}:
                outputs |= {name for name, _, _ in left}
        names = sorted(name for name in outputs if name and not name.startswith("$"))
        shown = ", ".join(f"'{name}'" for name in names[:_MOST_NAMES]) or "what has no name"
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        places = (re.match(r"[^|]*?:\d+", cell.source) for cell in ring)
        place = next((found[0] for found in places if found), "unknown place")
        return Unsupported(
            f"{self.module.name}: a loop through combinational cells: {shown}{more} ({place})"
        )

    def _evaluate_all(self) -> None:
        """Evaluate every driver after what it needs."""
        on_path: set[int] = set()
        for start in self.cells:
            path = [start] if start not in self.values else []
            while path:
                number = path[-1]
                needed = self._needed(number) if number not in self.values else []
                if not needed:
                    if number not in self.values:
                        self._evaluate(number)
                    on_path.discard(number)
                    path.pop()
                    continue
                on_path.add(number)
                if needed[0] in on_path:
                    raise self._loop(path, needed[0])
                path.append(needed[0])

    def probe_wires(self) -> None:
        """Keep every wire that the user named to be seen, except for what nothing drives."""
        numbers: dict[int, int] = {}
        for wire in self.module.wires.values():
            if wire.name.startswith("$") or wire.name == self.clock:
                continue
            for low, width in shown.runs_of_wire(self.design, wire, self.wiring):
                value = self.signal([(wire.name, low, width)])
                for node in signals.words(self.graph, value):
                    index = numbers.setdefault(node.uid, len(numbers))
                    if index == len(self.design.probed):
                        self.design.probed.append(node)
                    self.design.probes.append(Probe(wire.name, low, node.width, index))
                    low += node.width

    def build(self) -> Design:
        """Evaluate everything and return the design."""
        for ports in self.memories.values():
            enables = [self.wiring.pieces(cell.ports["EN"]) for cell in ports.writes]
            memories.add_columns(self.design, ports, enables)
        self._evaluate_all()
        for number, state in self.state.items():
            cell = self.cells[number]
            if cell.kind != "$ff":
                self._check_clock(cell)
            inputs = self._inputs_by_name(cell, frozenset(("Q", "CLK")))
            following = registers.following(self.graph, cell, inputs, state)
            low = 0
            for leaf in state:
                piece = self.graph.cat(signals.take(self.graph, following, low, leaf.width))
                piece = registers.by_selections(self.graph, piece, leaf)
                self.design.registers[leaf.value[1]].following = piece
                low += leaf.width
        for ports in self.memories.values():
            for cell in ports.writes:
                self._check_clock(cell)
            writes = [
                (
                    self.signal(c.ports["ADDR"]),
                    self.signal(c.ports["EN"]),
                    self.signal(c.ports["DATA"]),
                )
                for c in ports.writes
            ]
            memories.add_writes(self.design, ports, writes)
        for port in self.design.ports:
            if not port.is_input:
                value = self.signal([(port.name, 0, port.width)])
                port.words = signals.words(self.graph, value)
        shown.add(self.design, self.module, self.wiring)
        return self.design


def build(module: Module, clock: str, port_order: list[str], probes: bool = False) -> Design:
    """Return the design of a flat module; `port_order` lists its ports except the clock.

    With `probes`, every wire the user named is kept to be seen.

    Raises:
        Unsupported: the module has something this engine does not handle.
    """
    importer = _Importer(module, clock, port_order)
    design = importer.build()
    if probes:
        importer.probe_wires()
    tables.apply(design)
    return design
