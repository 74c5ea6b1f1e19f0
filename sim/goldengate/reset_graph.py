# SPDX-License-Identifier: BSD-3-Clause
"""Which asynchronous controls of a flat module depend on registers that have such controls.

Registers with one reset are a group: they act together. A group *needs* others from whose registers
its control is computed. While resets act one after the other, a control may be active for no time
at all, and then it has reset its registers for good. It cannot be if it becomes only more active as
the registers that it is computed from take the values of their resets; that can be seen from the
cells between. What is left is computed in rounds (pass `reset_rounds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pyosys import libyosys as ys

from goldengate import loop_graph
from goldengate.drivers import Bit, Drivers, bit_key
from goldengate.state import plain, public

KEPT = "firesim_loop_"
"""How the names of registers begin that the pass `loops` added."""
RESET, LOAD, SET = "ARST", "ALOAD", "SET"
_KINDS = {
    "$adff": RESET, "$adffe": RESET, "$aldff": LOAD, "$aldffe": LOAD, "$dffsr": SET,
    "$dffsre": SET,
}  # fmt: skip
_READ = "$memrd_v2"
_BITWISE = {"$not": -1, "$pos": 1, "$buf": 1, "$and": 1, "$or": 1, "$xor": 0, "$xnor": 0}
_SELECTED = ("$mux", "$pmux")
_WHOLE = {
    "$logic_not": -1, "$logic_and": 1, "$logic_or": 1, "$reduce_and": 1, "$reduce_or": 1,
    "$reduce_bool": 1,
}  # fmt: skip
"""Which way the output moves with an input: 1 the same, -1 the other; 0, as of others, unknown."""


@dataclass
class Group:
    """Registers whose asynchronous controls are one, or a register with others than one reset."""

    kind: str
    cells: list[Any]
    controls: list[tuple[Any, int]] = field(default_factory=list)
    """Bits, and 1 where high is active, -1 where low is."""
    data: list[Any] = field(default_factory=list)
    """Bits that are taken while a control is active."""
    needs: list[int] = field(default_factory=list)
    seems_to_need: list[int] = field(default_factory=list)
    """The same, of cells as a whole: a loop of those stops the engines, too."""
    is_brief: bool = False
    """Whether a control may be active for no time."""

    @property
    def most_changes(self) -> int:
        """In how many rounds, at most, its registers change."""
        if self.kind == RESET:
            return 1
        return sum(int(cell.getPort(public("Q")).size()) for cell in self.cells)


@dataclass
class Found:
    """Groups that are computed in rounds."""

    groups: list[Group]
    rounds: int
    unsure: list[list[Group]]
    """Rings that may never settle."""
    fan: Fan


class Fan:
    """What each bit is computed from within a cycle."""

    def __init__(self, module: Any) -> None:
        self.drivers = Drivers(module)
        self.reads: dict[Bit, Any] = {}
        self.at: dict[str, dict[Bit, int]] = {}
        for cell in module.cells_.values():
            if plain(cell.type) == _READ and not cell.getParam(public("CLK_ENABLE")).as_bool():
                for bit in cell.getPort(public("DATA")).to_sigbit_vector():
                    self.reads[bit_key(bit)] = cell

    def cell(self, bit: Any) -> Any:
        """Return the cell that computes a bit; None for registers, inputs and constants."""
        key = bit_key(self.drivers.source(bit))
        cell = self.reads.get(key) or self.drivers.cell(key)
        return None if cell is None or cell.hasPort(public("Q")) else cell

    def is_driven(self, bit: Any) -> bool:
        """Whether a bit has a value: that of a cell, an input or a constant."""
        source = self.drivers.source(bit)
        if not source.is_wire() or source.wire.port_input:
            return True
        return self.drivers.cell(bit_key(source)) is not None or bit_key(source) in self.reads

    @staticmethod
    def output(cell: Any) -> str:
        """Return the name of a cell's output."""
        return "DATA" if plain(cell.type) == _READ else "Y"

    def ports(self, cell: Any) -> dict[str, list[Any]]:
        """Return the bits of the inputs that the output of a cell is computed from."""
        kind, output = plain(cell.type), self.output(cell)
        found = {plain(port): signal for port, signal in dict(cell.connections_).items()}
        names = ["ADDR"] if kind == _READ else [name for name in found if name != output]
        return {name: list(found[name].to_sigbit_vector()) for name in names}

    def inputs(self, bit: Any, whole: bool = False) -> Iterator[tuple[Any, int]]:
        """Yield what a bit is computed from, and which way it moves with that.

        With `whole`, all that its cell reads.
        """
        cell = self.cell(bit)
        if cell is None:
            return
        if whole:
            yield from ((one, 0) for signal in self.ports(cell).values() for one in signal)
            return
        kind, name, ports = plain(cell.type), plain(cell.name), self.ports(cell)
        outputs = list(cell.getPort(public(self.output(cell))).to_sigbit_vector())
        if name not in self.at:
            self.at[name] = {bit_key(one): at for at, one in enumerate(outputs)}
        at, width = self.at[name][bit_key(self.drivers.source(bit))], len(outputs)
        for port, signal in ports.items():
            if kind in _SELECTED:
                lane = signal if port == "S" else signal[at::width]
                yield from ((one, int(port != "S")) for one in lane)
            elif kind in _BITWISE:
                yield signal[min(at, len(signal) - 1)], _BITWISE[kind]
            else:
                yield from ((one, _WHOLE.get(kind, 0)) for one in signal)

    def reached(
        self, starts: Iterable[tuple[Any, int]], whole: bool = False
    ) -> set[tuple[Bit, int]]:
        """Return the bits that no cell computes from which others are, each with its way."""
        todo = list(starts)
        seen: set[tuple[Bit, int]] = set()
        found: set[tuple[Bit, int]] = set()
        while todo:
            bit, way = todo.pop()
            bit = self.drivers.source(bit)
            key = bit_key(bit), way
            if not bit.is_wire() or key in seen:
                continue
            seen.add(key)
            if self.cell(bit) is None:
                found.add(key)
            todo += [(one, way * with_it) for one, with_it in self.inputs(bit, whole)]
        return found


def _bits(cell: Any, port: str) -> list[Any]:
    return list(cell.getPort(public(port)).to_sigbit_vector())


def _way(cell: Any, port: str) -> int:
    return 1 if cell.getParam(public(f"{port}_POLARITY")).as_bool() else -1


def reset_of(cell: Any) -> tuple[str, Any] | None:
    """Return the control of a register that has one reset, and its value; None for others.

    The reader makes a load of a constant of each reset.
    """
    kind = _KINDS.get(plain(cell.type))
    if kind == RESET:
        return RESET, ys.SigSpec(cell.getParam(public("ARST_VALUE")))
    if kind == LOAD and cell.getPort(public("AD")).is_fully_const():
        return LOAD, cell.getPort(public("AD"))
    return None


def asynchronous(module: Any) -> list[Any]:
    """Return the registers with asynchronous controls, in order of their names."""
    found = [cell for cell in module.cells_.values() if plain(cell.type) in _KINDS]
    return sorted(found, key=lambda cell: plain(cell.name))


def _are_inputs(cells: list[Any]) -> bool:
    """Whether every control is an input, as in most designs."""
    controls = (
        bit for cell in cells for port in (RESET, LOAD, SET, "CLR") if cell.hasPort(public(port))
        for bit in _bits(cell, port)
    )  # fmt: skip
    return all(not bit.is_wire() or bit.wire.port_input for bit in controls)


def _groups(module: Any, fan: Fan, cells: list[Any]) -> list[Group]:
    found: list[Group] = []
    resets: dict[tuple[Bit, int], Group] = {}
    for cell in cells:
        kind, reset = _KINDS[plain(cell.type)], reset_of(cell)
        if reset is not None:
            (bit,), way = _bits(cell, reset[0]), _way(cell, reset[0])
            key = bit_key(fan.drivers.source(bit)), way
            if key not in resets:
                resets[key] = Group(RESET, [], [(bit, way)])
                found.append(resets[key])
            resets[key].cells.append(cell)
            continue
        ports = [LOAD] if kind == LOAD else [SET, "CLR"]
        controls = [(bit, _way(cell, port)) for port in ports for bit in _bits(cell, port)]
        data = _bits(cell, "AD") if kind == LOAD else []
        found.append(Group(kind, [cell], controls, data))
    for cell in module.cells_.values():
        if plain(cell.type) == "$dff" and bit_key(_bits(cell, "Q")[0])[0].startswith(KEPT):
            found.append(Group(KEPT, [cell], [], _bits(cell, "D")))
    return found


def _depend(fan: Fan, groups: list[Group]) -> None:
    """Note what groups need, and which controls may be active for no time."""
    owner: dict[Bit, tuple[int, int]] = {}
    for number, group in enumerate(groups):
        for cell in group.cells:
            reset = reset_of(cell)
            value = reset[1].as_const().as_string()[::-1] if reset else ""
            for at, bit in enumerate(_bits(cell, "Q")):
                moves = 0 if not value else 1 if value[at] == "1" else -1
                owner[bit_key(bit)] = number, moves
    for group in groups:
        needs: set[int] = set()
        for key, way in fan.reached(group.controls):
            if key in owner:
                number, moves = owner[key]
                needs.add(number)
                group.is_brief |= way * moves <= 0
        starts = [(bit, 0) for bit in (*(one for one, _ in group.controls), *group.data)]
        for found, whole in ((needs, False), (wider := set[int](), True)):
            found |= {owner[key][0] for key, _ in fan.reached(starts, whole) if key in owner}
        group.needs, group.seems_to_need = sorted(needs), sorted(wider)


def _closure(groups: list[Group], seeds: Iterable[int]) -> list[int]:
    found: set[int] = set()
    todo = list(seeds)
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += groups[number].needs
    return sorted(found)


def _rings(groups: list[Group], needs: dict[int, list[int]]) -> list[list[int]]:
    """Return the rings that are not of latches of gates alone."""
    parts = loop_graph.components(needs, needs)
    rings = [part for part in parts if loop_graph.is_ring(part, needs)]
    return [ring for ring in rings if any(groups[n].kind != KEPT for n in ring)]


def _is_on(cell: Any, clock: str) -> bool:
    (bit,) = _bits(cell, "CLK")
    return bit_key(bit) == (clock, 0) and bool(cell.getParam(public("CLK_POLARITY")).as_bool())


def _are_seen(module: Any, fan: Fan, groups: list[Group], clock: str) -> bool:
    """Whether a clock, or what opens a latch, depends on the groups."""
    starts: dict[Bit, Any] = {}
    for cell in module.cells_.values():
        for port in ("CLK", "TRG", "EN"):
            if cell.hasPort(public(port)) and (port != "EN" or not cell.hasPort(public("CLK"))):
                starts |= {bit_key(bit): bit for bit in _bits(cell, port)}
    starts.pop((clock, 0), None)
    inside = {bit_key(bit) for g in groups for cell in g.cells for bit in _bits(cell, "Q")}
    return any(key in inside for key, _ in fan.reached((bit, 0) for bit in starts.values()))


def find(module: Any, clock: str) -> Found | None:
    """Return what is to be computed in rounds, if there is anything.

    What is not clocked by the clock, or is a clock of others, is left as it is.
    """
    cells = asynchronous(module)
    if not cells or _are_inputs(cells):
        return None
    fan = Fan(module)
    groups = _groups(module, fan, cells)
    _depend(fan, groups)
    needs = {number: group.needs for number, group in enumerate(groups)}
    rings = _rings(groups, needs)
    seeming = _rings(groups, {number: group.seems_to_need for number, group in enumerate(groups)})
    brief = [n for n, group in enumerate(groups) if group.is_brief]
    chosen = _closure(groups, [*brief, *(n for ring in seeming for n in ring)])
    members = [groups[n] for n in chosen]
    if not chosen or not all(_is_on(cell, clock) for group in members for cell in group.cells):
        return None
    if _are_seen(module, fan, members, clock):
        return None
    longest: dict[int, int] = {}
    for part in loop_graph.components(chosen, needs):
        before = max((longest[m] for n in part for m in needs[n] if m not in part), default=0)
        own = sum(groups[n].most_changes for n in part) if part in rings else 1
        longest |= dict.fromkeys(part, before + own)
    unsure = [ring for ring in rings if any(groups[n].kind != RESET for n in ring)]
    rounds = max(longest.values())
    return Found(members, rounds, [[groups[n] for n in ring] for ring in unsure], fan)


def signal(bits: Iterable[Any]) -> Any:
    """Return bits as a signal."""
    found = ys.SigSpec()
    for bit in bits:
        found.append(bit)
    return found
