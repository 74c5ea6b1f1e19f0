# SPDX-License-Identifier: BSD-3-Clause
"""Which registers and latches of a flat module change at another moment of a cycle than its edge.

A target cycle begins with the clock's rising edge. In the order of Verilog there follow the edges
of clocks that registers make (dividers), a level of them after the other, with the inputs as they
were; then the inputs change, and in the middle of the cycle the clock falls. So phase 1, 2, … are
those edges, the next one is the falling edge (`Late.falling`), and behind it lies the end of the
cycle, which is what the next rising edge samples. A latch follows its data in every phase in which
it is open.

Found is all or nothing: a design in which one thing cannot be placed is left as it is.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from goldengate.drivers import Bit, bit_key
from goldengate.passes.clocks import Clocks
from goldengate.reset_graph import Fan, reset_of
from goldengate.state import State, plain, public

_REGISTERS = ("$dff", "$dffe", "$adff", "$adffe", "$aldff", "$aldffe")
_TASKS = ("$check", "$print")
_UNKNOWN = (
    "$dffsr", "$dffsre", "$sdff", "$sdffe", "$sdffce", "$adlatch", "$dlatchsr", "$sr", "$ff",
)  # fmt: skip
LATCH = "$dlatch"
_WRITE, _READ = "$memwr_v2", "$memrd_v2"
_MOST_LEVELS = 8


@dataclass
class Edge:
    """A moment at which registers change: an edge of a clock that is not the clock's rising one."""

    phase: int
    """1, 2, … of a divided clock, by its level; 0 for the falling edge until levels are known."""
    bit: Any
    """The divided clock; the gate that was open when the clock rose, of a falling edge."""
    rises: bool


@dataclass
class Late:
    """What changes late in a cycle."""

    edges: dict[str, Edge] = field(default_factory=dict)
    """Of each register and task, by its cell's name."""
    cells: list[Any] = field(default_factory=list)
    """These registers and tasks, and the latches."""
    levels: int = 0

    @property
    def falling(self) -> int:
        """The phase of the falling edge."""
        return self.levels + 1

    @property
    def end(self) -> int:
        """The phase behind all edges."""
        return self.levels + 2


class _Unplaced(Exception):
    """Something cannot be placed within the cycle."""


def clocked_by(cell: Any) -> tuple[Any, bool] | None:
    """Return the clock's bit of a cell and whether its rising edge counts; None without a clock."""
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
    return bit, bool(cell.getParam(public(f"{port}_POLARITY")).as_bool())


def _collect(state: State, late: Late) -> list[tuple[Any, Any, bool]]:
    """Note the latches; return what is clocked otherwise, with its clock and whether that rises."""
    others, clock = [], (state.request.clock, 0)
    for cell in state.module.cells_.values():
        if plain(cell.type) == LATCH:
            late.cells.append(cell)
            continue
        found = clocked_by(cell)
        if found is not None and (bit_key(found[0]), found[1]) != (clock, True):
            others.append((cell, *found))
    return others


class _Finder:
    """Places what a module has."""

    def __init__(self, state: State, late: Late, others: list[tuple[Any, Any, bool]]) -> None:
        self.late, self.others = late, others
        self.clocks = Clocks(state)
        self.module = state.module
        self.clock: Bit = (state.request.clock, 0)
        self.fan = Fan(self.module)
        self.registers = {
            bit_key(bit): cell for cell in self.module.cells_.values()
            if cell.hasPort(public("CLK")) and cell.hasPort(public("Q"))
            for bit in cell.getPort(public("Q")).to_sigbit_vector()
        }  # fmt: skip
        """The cell of each bit of a register."""

    def _falls(self, bit: Any, rises: bool) -> Any:
        """Return the gate through which the clock's falling edge comes; None for other edges."""
        bit = self.fan.drivers.source(bit)
        cell = self.fan.cell(bit)
        if rises and cell is not None and plain(cell.type) in ("$not", "$logic_not"):
            operand = list(cell.getPort(public("A")).to_sigbit_vector())
            return self._falls(operand[0], False) if len(operand) == 1 else None
        return None if rises else self.clocks.enable(bit)

    def _leaves(self, bit: Any) -> set[str]:
        """Return the registers that a divided clock is computed from, by their cells' names."""
        names = set()
        for key, _ in self.fan.reached([(bit, 0)], whole=True):
            if key not in self.registers:
                raise _Unplaced
            names.add(plain(self.registers[key].name))
        if not names:
            raise _Unplaced
        return names

    def place(self) -> None:
        """Give each of these its phase.

        Raises:
            _Unplaced: one has none.
        """
        divided: dict[tuple[Bit, bool], list[tuple[Any, Any]]] = defaultdict(list)
        for cell, bit, rises in self.others:
            if plain(cell.type) in (_READ, _WRITE, *_UNKNOWN):
                raise _Unplaced
            self.late.cells.append(cell)
            gate = self._falls(bit, rises)
            if gate is not None:
                self.late.edges[plain(cell.name)] = Edge(0, gate, False)
            else:
                divided[bit_key(self.fan.drivers.source(bit)), rises].append((cell, bit))
        self._place_divided(divided)
        for cell, _, _ in self.others:
            edge = self.late.edges[plain(cell.name)]
            edge.phase = edge.phase or self.late.falling

    def _place_divided(self, divided: dict[tuple[Bit, bool], list[tuple[Any, Any]]]) -> None:
        """Give the edges of divided clocks their levels, those of registers on the clock first."""
        late = {plain(cell.name) for cell, _, _ in self.others}
        level = {plain(c.name): 0 for c in self.registers.values() if plain(c.name) not in late}
        left = {key: self._leaves(cells[0][1]) for key, cells in divided.items()}
        while left:
            known = {
                key: {level[name] for name in names}
                for key, names in left.items() if names <= level.keys()
            }  # fmt: skip
            if not known or any(len(levels) > 1 for levels in known.values()):
                raise _Unplaced
            for key, (below,) in known.items():
                self._check_resets(divided[key], left.pop(key), rises=key[1])
                for cell, bit in divided[key]:
                    level[plain(cell.name)] = below + 1
                    self.late.edges[plain(cell.name)] = Edge(below + 1, bit, key[1])
                self.late.levels = max(self.late.levels, below + 1)
        if self.late.levels > _MOST_LEVELS:
            raise _Unplaced

    def _check_resets(self, cells: list[tuple[Any, Any]], leaves: set[str], rises: bool) -> None:
        """An asynchronous reset of a divider is no edge for what it clocks, or resets that, too."""
        by_name = {plain(cell.name): cell for cell in self.registers.values()}
        for name in leaves:
            divider = by_name[name]
            if plain(divider.type) in ("$dff", "$dffe"):
                continue
            for cell, bit in cells:
                if not self._quiet(divider, bit, rises) and _control(cell) != _control(divider):
                    raise _Unplaced

    def _quiet(self, divider: Any, bit: Any, rises: bool) -> bool:
        """Whether a clock that is a register's bit is reset to the level before its edge."""
        found = reset_of(divider)
        while found is not None:
            bit = self.fan.drivers.source(bit)
            cell = self.fan.cell(bit)
            if cell is None:
                break
            if plain(cell.type) not in ("$not", "$logic_not"):
                return False
            rises, bit = not rises, next(iter(cell.getPort(public("A")).to_sigbit_vector()))
        if found is None:
            return False
        outputs = [bit_key(one) for one in divider.getPort(public("Q")).to_sigbit_vector()]
        value = found[1].as_const().as_string()[::-1][outputs.index(bit_key(bit))]
        return bool((value == "1") != rises)

    def check(self) -> None:
        """Refuse memories, resets and gates that what is late would change in mid-cycle.

        Raises:
            _Unplaced: there are some.
        """
        outputs = {
            bit_key(bit) for cell in self.late.cells if cell.hasPort(public("Q"))
            for bit in cell.getPort(public("Q")).to_sigbit_vector()
        }  # fmt: skip
        for cell in self.module.cells_.values():
            if plain(cell.type) in _REGISTERS and plain(cell.type) not in ("$dff", "$dffe"):
                found = reset_of(cell)
                if found is None:
                    raise _Unplaced
                (bit,) = cell.getPort(public(found[0])).to_sigbit_vector()
                reached = {key for key, _ in self.fan.reached([(bit, 0)], whole=True)}
                if reached & outputs or self.clock in reached:
                    raise _Unplaced
            elif plain(cell.type) in _UNKNOWN or (plain(cell.type) == _READ and clocked_by(cell)):
                raise _Unplaced


def _control(cell: Any) -> tuple[Bit, bool] | None:
    """Return the bit that resets a register and whether it is active high; None without one."""
    found = reset_of(cell)
    if found is None:
        return None
    (bit,) = cell.getPort(public(found[0])).to_sigbit_vector()
    return bit_key(bit), bool(cell.getParam(public(f"{found[0]}_POLARITY")).as_bool())


def find(state: State) -> tuple[Late, Fan] | None:
    """Return what is late in a design, and what its bits are computed from.

    None if nothing is, or if something cannot be placed.
    """
    late = Late()
    try:
        others = _collect(state, late)
        if not others and not late.cells:  # as in most designs; asking who drives what takes long
            return None
        finder = _Finder(state, late, others)
        finder.place()
        finder.check()
    except _Unplaced:
        return None
    return late, finder.fan
