# SPDX-License-Identifier: BSD-3-Clause
"""What passes between two clocks of a flat netlist: from which register to which, through how much.

A crossing that nothing but a synchroniser may take must have no logic before it: whatever a table
of a device shows while its inputs change, a synchroniser may catch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

REGISTERS = ("$dff", "$adff", "$dffe", "$adffe", "$sdff", "$sdffe", "$sdffce", "$aldff")
READ, WRITE = "$memrd_v2", "$memwr_v2"
Netlist = Mapping[str, Any]
"""A module of Yosys' JSON, or a cell of one."""


@dataclass(frozen=True, order=True)
class Crossing:
    """A path from a register, memory or port of one clock to one of another clock."""

    source: str
    to: str
    levels: int
    """Cells of logic between, as Yosys' netlist before mapping has them."""


@dataclass
class _Place:
    """A cell or port: what it takes, and its name and clock where paths begin or end at it."""

    inputs: list[Any]
    name: str = ""
    clock: Any = None
    """None of logic, which passes on what it takes."""
    passes: bool = False
    """It begins a path and passes others on: a read of a memory, its address."""


@dataclass
class _Graph:
    places: list[_Place] = field(default_factory=list)
    driver: dict[Any, int] = field(default_factory=dict)
    """Place that drives a bit."""

    def add(self, place: _Place, outputs: Iterable[Any]) -> None:
        """Add a place that drives these bits."""
        self.driver.update(dict.fromkeys(outputs, len(self.places)))
        self.places.append(place)

    def before(self, place: int) -> set[int]:
        """Return the places that drive what one takes."""
        driver = self.driver
        return {driver[bit] for bit in self.places[place].inputs if bit in driver}

    def found(self) -> Iterable[Crossing]:
        """Return each pair of names with the most levels that lie between them."""
        before = [self.before(index) for index in range(len(self.places))]
        deepest: dict[tuple[str, str], int] = {}
        for index, end in enumerate(self.places):
            if end.clock is None or end.passes:
                continue
            seen: set[int] = set()
            layer, levels = before[index], 0
            while layer:
                seen |= layer
                following: set[int] = set()
                for one in layer:
                    place = self.places[one]
                    if place.clock is not None and place.clock != end.clock:
                        pair = place.name, end.name
                        deepest[pair] = max(deepest.get(pair, 0), levels)
                    if place.clock is None or place.passes:
                        following |= before[one]
                layer, levels = following - seen, levels + 1
        return (Crossing(source, to, levels) for (source, to), levels in deepest.items())


def crossings(module: Netlist, port_clock: str, opaque: Sequence[str] = ()) -> list[Crossing]:
    """Return the crossings of a flat module whose ports belong to the clock of that port's name.

    Cells of which the type begins with one of `opaque` (clocks, cores) are left out.
    """
    (clock,) = module["ports"][port_clock]["bits"]
    names = {
        bit: name
        for name, net in module["netnames"].items()
        if not net.get("hide_name")
        for bit in net["bits"]
    }
    graph = _Graph()
    for name, port in module["ports"].items():
        ends = port["direction"] == "output"
        if name != port_clock:
            inputs, outputs = (port["bits"], []) if ends else ([], port["bits"])
            graph.add(_Place(inputs, name, clock), outputs)
    memories = {
        cell["parameters"]["MEMID"]: cell["connections"]["CLK"][0]
        for cell in module["cells"].values()
        if cell["type"] == WRITE
    }
    for cell in module["cells"].values():
        kind = cell["type"].lstrip("\\")
        if not kind.startswith(tuple(opaque)):
            _add_cell(graph, cell, names, memories)
    return sorted(graph.found())


def _add_cell(
    graph: _Graph, cell: Netlist, names: Mapping[Any, str], memories: Mapping[str, Any]
) -> None:
    kind, pins = cell["type"], cell["connections"]
    ways = cell["port_directions"]
    inputs = [bit for pin, way in ways.items() if way == "input" for bit in pins[pin]]
    outputs = [bit for pin, way in ways.items() if way == "output" for bit in pins[pin]]
    if kind in REGISTERS:
        inputs = [bit for pin in ways if pin not in ("CLK", "Q") for bit in pins[pin]]
        graph.add(_Place(inputs, names.get(outputs[0], "?"), pins["CLK"][0]), outputs)
    elif kind in (READ, WRITE):
        memory = cell["parameters"]["MEMID"]
        inputs = [
            bit for pin in ("ADDR", "DATA", "EN") if ways[pin] == "input" for bit in pins[pin]
        ]
        clock = memories.get(memory)
        graph.add(_Place(inputs, memory.lstrip("\\"), clock, kind == READ), outputs)
    else:
        graph.add(_Place(inputs), outputs)
