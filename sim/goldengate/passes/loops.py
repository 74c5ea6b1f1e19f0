# SPDX-License-Identifier: BSD-3-Clause
"""Pass `loops`: no cell needs its own output in the same cycle any more.

In: the flat module. Names may form a loop where values do not: one bit of a vector is computed from
another, or a signal needs another only under a condition. Out: cells in loops are cut into those of
bits that come one after the other. Loops that are left are repeated: a few values are taken as they
were (registers), and all is computed from them again and again, once more often than there are such
values, so that what is computed in any order at all has settled. An assert checks that it has. So a
loop in names only has its values, a loop that keeps a value (a latch of gates) keeps it from cycle
to cycle, and one that never settles ends the run with its signals and the cycle. Both engines and
FAME-1 get the same. A read port without a clock computes its data from its address, and is repeated
like any other cell.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from pyosys import libyosys as ys

from goldengate import loop_graph
from goldengate.drivers import Bit, Drivers, add_like, bit_key
from goldengate.errors import GoldenGateError
from goldengate.settled import add_check, listed
from goldengate.state import State, plain, public

_MARK, _STAND_IN = "firesim_loop", "$firesim$loop$read$"
_READ = "$memrd_v2"
_BITWISE = {
    "$not": ("A",), "$pos": ("A",), "$buf": ("A",), "$mux": ("A", "B"), "$pmux": ("A", "B"),
    "$and": ("A", "B"), "$or": ("A", "B"), "$xor": ("A", "B"), "$xnor": ("A", "B"),
}  # fmt: skip
"""Cells whose bits do not depend on each other, and their ports that are cut with the output."""
_MOST_ROUNDS, _MOST_NODES, _LEAST_ROUNDS = 64, 200_000, 3


@dataclass
class _Cell:
    """A cell in a loop, with its nodes: one for each bit of a bitwise cell, else one for all."""

    cell: Any
    kind: str
    outputs: list[Any]
    inputs: dict[str, list[Any]]
    output: str
    nodes: list[int] = field(default_factory=list)


@dataclass
class _Ring:
    """A loop of bits: where it is cut, and how often it is computed."""

    nodes: list[int]
    cuts: list[int]
    rounds: int


class _Loops:
    """Takes the loops out of a module."""

    def __init__(self, state: State, cells: list[Any]) -> None:
        self.state = state
        self.module = state.module
        self.drivers = Drivers(self.module)
        self.cells: list[_Cell] = []
        self.of_node: list[tuple[_Cell, int]] = []
        """The cell of each node, and which of its bits, 0 for all."""
        self.owner: dict[Bit, tuple[int, int]] = {}
        """The node that computes a bit, and which of its outputs it is."""
        for cell in cells:
            self._add(cell)
        self.needs = {n: self._needs(n) for n in range(len(self.of_node))}
        self.rings: list[_Ring] = []
        self.ring_of: dict[int, _Ring] = {}
        self.copies: dict[tuple[int, int, int], Any] = {}
        """The bit of an output of a node in a round; in round 0, as it was a cycle ago."""
        self.names = 0
        self.names_of: dict[Bit, dict[str, Any]] = defaultdict(dict)
        """The user's wires that have the value of a bit of the cells."""
        self.kept: dict[str, int] = {}
        """The width of each register added, by name."""

    def _add(self, cell: Any) -> None:
        kind = plain(cell.type)
        signals = {plain(port): signal for port, signal in dict(cell.connections_).items()}
        ports = {port: list(signal.to_sigbit_vector()) for port, signal in signals.items()}
        output = "DATA" if kind == _READ else "Y"
        outputs = ports.pop(output)
        if kind == _READ:  # Its other inputs are constants.
            ports = {"ADDR": ports["ADDR"]}
        one = _Cell(cell, kind, outputs, ports, output)
        nodes = len(outputs) if kind in _BITWISE else 1
        for bit in range(nodes):
            one.nodes.append(len(self.of_node))
            self.of_node.append((one, bit))
        for bit, made in enumerate(outputs):
            node = one.nodes[bit] if kind in _BITWISE else one.nodes[0]
            self.owner[bit_key(made)] = node, 0 if kind in _BITWISE else bit
        self.cells.append(one)

    def _port(self, cell: _Cell, port: str, bit: int) -> list[Any]:
        """Return the bits of a port that one bit of a cell is computed from."""
        found, width = cell.inputs[port], len(cell.outputs)
        if cell.kind == "$pmux" and port == "B":
            return found[bit::width]
        if cell.kind not in _BITWISE or port not in _BITWISE[cell.kind]:
            return found
        if bit < len(found):
            return [found[bit]]
        signed = cell.cell.getParam(public(f"{port}_SIGNED")).as_bool()
        return [found[-1] if signed else _zero()]

    def _inputs(self, node: int) -> list[Any]:
        cell, bit = self.of_node[node]
        return [one for port in cell.inputs for one in self._port(cell, port, bit)]

    def _needs(self, node: int) -> list[int]:
        found: dict[int, None] = {}
        for bit in self._inputs(node):
            owner = self._owner(bit)
            if owner is not None:
                found[owner[0]] = None
        return list(found)

    def _owner(self, bit: Any) -> tuple[int, int] | None:
        return self.owner.get(bit_key(self.drivers.source(bit)))

    def find(self) -> None:
        """Find the rings of bits, where to cut them and how often to compute them."""
        for component in loop_graph.components(self.needs, self.needs):
            if loop_graph.is_ring(component, self.needs):
                cuts = loop_graph.cuts(component, self.needs)
                rounds = min(len(cuts) + 1, _MOST_ROUNDS)
                ring = _Ring(component, cuts, rounds)
                self.rings.append(ring)
                self.ring_of |= dict.fromkeys(component, ring)
        size = sum(len(ring.nodes) for ring in self.rings)
        for ring in self.rings:
            ring.rounds = min(ring.rounds, max(_LEAST_ROUNDS, _MOST_NODES // size))
        if size * _LEAST_ROUNDS > _MOST_NODES:
            most = max(self.rings, key=lambda ring: len(ring.nodes))
            names, place = self.named(most.nodes)
            raise GoldenGateError(
                f"{place}: combinational loops of {size} bits, one through {names}; at most "
                f"{_MOST_NODES // _LEAST_ROUNDS} can be simulated: put registers in them."
            )

    def named(self, nodes: list[int]) -> tuple[str, str]:
        """Return the user's names of what is in a loop, and the place of the first."""
        if not self.names_of:
            for wire in self.module.wires_.values():
                if not plain(wire.name).startswith("$"):
                    for bit in ys.SigSpec(wire).to_sigbit_vector():
                        source = bit_key(self.drivers.source(bit))
                        if source in self.owner:
                            self.names_of[source][plain(wire.name)] = wire
        found: dict[str, Any] = {}
        for node in nodes:
            for bit in self._node_outputs(node):
                found |= self.names_of[bit_key(bit)]
        inner = [name for name in found if not found[name].port_output]
        shown = sorted(inner or found, key=lambda name: (name.count("."), name))
        first = found[shown[0]] if shown else self.of_node[nodes[0]][0].cell
        place = self.state.place(first.get_src_attribute())
        return listed(shown), place

    def _node_outputs(self, node: int) -> list[Any]:
        cell, bit = self.of_node[node]
        return [cell.outputs[bit]] if cell.kind in _BITWISE else cell.outputs

    def rounds(self, node: int) -> int:
        """Return how often a node is computed."""
        ring = self.ring_of.get(node)
        return ring.rounds if ring else 1

    def _round_of(self, node: int, turn: int, other: int) -> int:
        """Return the round whose value of `other` the node takes in a round of its own."""
        ring = self.ring_of.get(node)
        if ring is None or self.ring_of.get(other) is not ring:
            return self.rounds(other)
        return turn - 1 if other in ring.cuts else turn

    def _groups(self) -> dict[tuple[int, int, int, bool], list[int]]:
        """Return nodes by cell, round, level and whether this is their last round."""
        key: dict[tuple[int, int], int] = {}
        for node in self.needs:
            for turn in range(1, self.rounds(node) + 1):
                key[node, turn] = len(key)
        graph: dict[int, list[int]] = {}
        for (node, turn), number in key.items():
            taken = [(other, self._round_of(node, turn, other)) for other in self.needs[node]]
            graph[number] = [key[pair] for pair in taken if pair[1] > 0]
        level = loop_graph.levels(graph)
        cell_of = {node: index for index, cell in enumerate(self.cells) for node in cell.nodes}
        groups = defaultdict(list)
        for (node, turn), number in key.items():
            last = turn == self.rounds(node)
            groups[cell_of[node], turn, level[number], last].append(node)
        return groups

    def _name(self, what: str) -> Any:
        self.names += 1
        return ys.IdString(f"$firesim$loop${what}${self.names}")

    def _wire(self, width: int) -> list[Any]:
        made = self.module.addWire(self._name("wire"), width)
        return list(ys.SigSpec(made).to_sigbit_vector())

    def rewrite(self) -> None:
        """Replace the cells by those of each round."""
        groups = self._groups()
        whole = {
            index
            for (index, _, _, last), nodes in groups.items()
            if last and len(nodes) == len(self.cells[index].nodes)
        }
        several = {index for index, turn, _, _ in groups if turn > 1}
        whole -= several
        for ring in self.rings:
            self._keep(ring)
        for (index, turn, _, last), nodes in groups.items():
            if index not in whole and not last:
                for node in nodes:
                    made = self._wire(len(self._node_outputs(node)))
                    for at, bit in enumerate(made):
                        self.copies[node, at, turn] = bit
        for (index, turn, _, last), nodes in groups.items():
            if index not in whole:
                self._make(self.cells[index], nodes, turn, last)
        self._settled()
        for index, cell in enumerate(self.cells):
            if index not in whole:
                self.module.remove(cell.cell)

    def _keep(self, ring: _Ring) -> None:
        """Add registers for the values at the cuts as they were in the cycle before."""
        for node in ring.cuts:
            width = len(self._node_outputs(node))
            kept = self.module.addWire(public(f"firesim_loop_{self.names}"), width)
            self.names += 1
            self.kept[plain(kept.name)] = width
            for at, bit in enumerate(ys.SigSpec(kept).to_sigbit_vector()):
                self.copies[node, at, 0] = bit
            clock = ys.SigSpec(self.module.wire(public(self.state.request.clock)))
            following = _signal(self._node_outputs(node))
            made = self.module.addDff(self._name("kept"), clock, following, ys.SigSpec(kept), True)
            made.set_src_attribute(self.of_node[node][0].cell.get_src_attribute())

    def _taken(self, node: int, turn: int, bit: Any) -> Any:
        """Return what a node takes for an input bit in a round."""
        owner = self._owner(bit)
        if owner is None or self.ring_of.get(node) is None:
            return bit
        other, at = owner
        round_ = self._round_of(node, turn, other)
        return bit if round_ == self.rounds(other) else self.copies[other, at, round_]

    def _make(self, cell: _Cell, nodes: list[int], turn: int, last: bool) -> None:
        """Add a cell that computes some bits of a cell in a round."""
        made = add_like(self.module, self._name("cell"), cell.cell)
        for name, signal in dict(cell.cell.connections_).items():
            if plain(name) not in (cell.output, *cell.inputs):
                made.setPort(name, signal)
        split = _BITWISE.get(cell.kind, ())
        for port in cell.inputs:
            taken: list[list[Any]] = []
            for node in nodes:
                found = self._port(cell, port, self.of_node[node][1])
                taken.append([self._taken(node, turn, bit) for bit in found])
            if port not in split:
                signal = taken[0]
            else:  # of a $pmux, one bit of each of its cases
                signal = [one[case] for case in range(len(taken[0])) for one in taken]
            made.setPort(public(port), _signal(signal))
        outputs = [
            bit if last else self.copies[node, at, turn]
            for node in nodes
            for at, bit in enumerate(self._node_outputs(node))
        ]
        made.setPort(public(cell.output), _signal(outputs))
        if split:
            _size(made, cell.kind, len(nodes))

    def _settled(self) -> None:
        """Add an assert for each loop of signals, whose bits may be several loops of bits."""
        by_cells: dict[tuple[int, ...], list[_Ring]] = defaultdict(list)
        for ring in self.rings:
            by_cells[tuple(sorted({id(self.of_node[n][0]) for n in ring.cuts}))].append(ring)
        for rings in by_cells.values():
            final, before = [], []
            for ring in rings:
                for node in ring.cuts:
                    for at, bit in enumerate(self._node_outputs(node)):
                        final.append(bit)
                        before.append(self.copies[node, at, ring.rounds - 1])
            self._check(rings, _signal(final), _signal(before))

    def _check(self, rings: list[_Ring], final: Any, before: Any) -> None:
        names, place = self.named([node for ring in rings for node in ring.nodes])
        rounds = max(ring.rounds for ring in rings)
        same = self.module.Eq(self._name("settled"), final, before)
        add_check(
            self.module, self._name("assert"), same,
            self.of_node[rings[0].cuts[0]][0].cell.get_src_attribute(),
            f"the combinational loop through {names} ({place}) does not settle: it still changes "
            f"after {rounds} rounds",
        )  # fmt: skip
        self.state.warnings.append(
            f"{place}: {names} are computed from themselves in the same cycle, {rounds} times; a "
            f"run ends if they do not settle."
        )


def _zero() -> Any:
    return next(iter(ys.SigSpec(ys.Const(0, 1)).to_sigbit_vector()))


def _signal(bits: list[Any]) -> Any:
    found = ys.SigSpec()
    for bit in bits:
        found.append(bit)
    return found


def _size(cell: Any, kind: str, width: int) -> None:
    """Say how many bits a bitwise cell has."""
    if kind in ("$mux", "$pmux"):
        cell.setParam(public("WIDTH"), ys.Const(width, 32))
        return
    for port in (*_BITWISE[kind], "Y"):
        cell.setParam(public(f"{port}_WIDTH"), ys.Const(width, 32))
        if port != "Y":
            cell.setParam(public(f"{port}_SIGNED"), ys.Const(0, 1))


def _reads(module: Any) -> dict[str, Any]:
    """Add a cell that computes for each read port without a clock; return the ports by its name.

    Yosys looks for loops through cells that compute only.
    """
    found: dict[str, Any] = {}
    for cell in sorted(module.cells_.values(), key=lambda one: plain(one.name)):
        if plain(cell.type) == _READ and not cell.getParam(public("CLK_ENABLE")).as_bool():
            name = f"{_STAND_IN}{len(found)}"
            made = module.addCell(ys.IdString(name), ys.IdString("$pos"))
            made.setPort(public("A"), cell.getPort(public("ADDR")))
            made.setPort(public("Y"), cell.getPort(public("DATA")))
            found[name] = cell
    return found


def _marked(state: State) -> list[Any]:
    """Return the cells of loops as Yosys finds them, of whole cells."""
    log, module = state.out / "loops.log", state.module
    reads = _reads(module)
    state.run(f"tee -q -o {log} scc -set_attr {_MARK} {{}}")
    found = []
    if "Found 0 SCCs in module" not in log.read_text():
        cells = module.cells_.values()
        marked = [cell for cell in cells if cell.has_attribute(public(_MARK))]
        found = [reads.get(plain(cell.name), cell) for cell in marked]
    for name in reads:
        module.remove(module.cell(ys.IdString(name)))
    return sorted(found, key=lambda cell: plain(cell.name))


def run(state: State) -> None:
    """Take loops out."""
    cells = _marked(state)
    if not cells:
        return
    loops = _Loops(state, cells)
    loops.find()
    loops.rewrite()
    for name, width in loops.kept.items():
        state.run(f"setattr -set init {width}'b{'0' * width} w:{name}")
    state.run(f"setattr -unset {_MARK} t:*")
    state.run("opt_clean")
