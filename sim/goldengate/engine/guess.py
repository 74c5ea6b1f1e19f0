# SPDX-License-Identifier: BSD-3-Clause
"""Step `guess`: a profile without a run, from what a design's own logic says.

A large design that nobody trains is cut by what may be expected to change together. Its single bits
are simulated, many runs at once, a bit of an integer for each run: what is computed of bits alone
is exact. Of a wider word it is only followed whether it has changed, and a bit that depends on
one is drawn again when it has. So a register with an enable keeps its value while the enable is 0,
and what only one side of a selection needs changes nothing while the other is selected.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from goldengate.engine.design import Design
from goldengate.engine.items import Items
from goldengate.engine.nodes import Node, mask
from goldengate.engine.profile import Profile

RUNS = 64
WARM_CYCLES, SAMPLED_CYCLES = 24, 6
_MOST_HALVINGS = 6
"""A comparison of wide words holds in one run in two to the power of this."""
_MOST_HELD = 12
"""Selections in selections in which it is looked where a register keeps its value."""


_Step = tuple[int, int, int, int, int, "_Rest | None"]
"""How a node is evaluated, its place, and up to three places of arguments."""
_AND, _OR, _XOR, _MUX, _SAME, _DRAWN, _WORD = range(7)
_EXACT = {"and": _AND, "or": _OR, "xor": _XOR, "add": _XOR, "sub": _XOR, "mux": _MUX, "eq": _SAME}
"""Of single bits of single bits."""


@dataclass
class _Rest:
    """What else a node needs that is no single bit of other single bits."""

    halvings: int
    """A new bit is 1 in one of two to the power of this runs."""
    args: list[int]
    gates: list[tuple[int, int]]
    """Arguments that repeat a bit, as an AND has them, with this bit."""
    column: int | None


class _Simulation:
    """Runs of a design, all at once: `value` has the bits of each node, `changed` who has changed.

    Both are by the place of a node in `nodes`.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.nodes = design.needed()
        self.draw = random.Random(1)
        self.all = mask(RUNS)
        self.written = [0] * len(design.columns)
        self._complete()
        self.place = {node: at for at, node in enumerate(self.nodes)}
        self.value, self.changed = [0] * len(self.nodes), [0] * len(self.nodes)
        for at, node in enumerate(self.nodes):
            if node.is_const:
                self.value[at] = self.all if node.number & 1 else 0
        for register in design.registers:
            self.value[self.place[register.leaf]] = self.all if register.initial & 1 else 0
        self.steps = [self._plan(node) for node in self.nodes if node.op not in ("const", "leaf")]
        self._evaluate()

    def _complete(self) -> None:
        """Put state and inputs that nothing needs at the end of the nodes."""
        known = set(self.nodes)
        leaves = [register.leaf for register in self.design.registers]
        for port in self.design.ports:
            leaves += port.words if port.is_input else []
        self.nodes += [leaf for leaf in leaves if leaf not in known]

    def _rare(self, halvings: int) -> int:
        """Return a random set of runs, of one in two to the power of `halvings`."""
        found = self.all
        for _ in range(halvings):
            found &= self.draw.getrandbits(RUNS)
        return found

    def _plan(self, node: Node) -> _Step:
        """Return how a node is evaluated."""
        at, args = self.place[node], [self.place[arg] for arg in node.args]
        a, b, c = (*args, 0, 0)[:3]
        if node.width > 1:
            kind = _WORD
        elif node.op in _EXACT and all(arg.width == 1 for arg in node.args):
            return _EXACT[node.op], at, a, b, c, None
        else:
            kind = _DRAWN
        if node.op == "mux":
            return kind, at, a, b, c, None
        halvings, gates = 1, []
        if node.op == "eq":
            halvings = min(_MOST_HALVINGS, max(2, node.args[0].width))
        if node.op == "and":
            gates = [
                (self.place[arg], self.place[arg.args[0]]) for arg in node.args if arg.op == "rep"
            ]
        rest = _Rest(halvings, args, gates, node.number if node.op == "read" else None)
        return kind, at, a, b, c, rest

    def _touched(self, rest: _Rest) -> int:
        """Return the runs in which what a node gives may have changed."""
        found, changed = 0, self.changed
        for arg in rest.args:
            found |= changed[arg]
        for arg, bit in rest.gates:
            found &= self.value[bit] | changed[arg]
        if rest.column is not None:
            found |= self.written[rest.column]
        return found

    def _evaluate(self) -> None:
        value, changed, everyone = self.value, self.changed, self.all
        for step in self.steps:
            kind, at, a, b, c, _ = step
            if kind == _AND:
                new = value[a] & value[b]
            elif kind == _OR:
                new = value[a] | value[b]
            elif kind == _MUX:
                new = value[c] ^ (value[a] & (value[b] ^ value[c]))
            elif kind == _XOR:
                new = value[a] ^ value[b]
            elif kind == _SAME:
                new = value[a] ^ value[b] ^ everyone
            else:
                self._follow(step)
                continue
            changed[at] = value[at] ^ new
            value[at] = new

    def _follow(self, step: _Step) -> None:
        """Evaluate a word, or a bit that depends on words."""
        kind, at, a, b, c, rest = step
        if rest is not None:
            touched = self._touched(rest)
        else:
            select, changed = self.value[a], self.changed
            touched = changed[a] | select & changed[b] | ~select & changed[c]
        if kind == _WORD:
            self.changed[at] = touched
            return
        # A bit that depends on words is drawn again where these have changed.
        before = new = self.value[at]
        if touched:
            halvings = rest.halvings if rest is not None else 1
            new = before & ~touched | self._rare(halvings) & touched
        self.changed[at] = before ^ new
        self.value[at] = new

    def _held(self, node: Node, leaf: Node, depth: int) -> int:
        """Return the runs in which a register keeps its value."""
        if node is leaf:
            return self.all
        if node.op != "mux" or depth == 0:
            return 0
        select = self.value[self.place[node.args[0]]]
        high, low = (self._held(arm, leaf, depth - 1) for arm in node.args[1:])
        return select & high | ~select & low

    def _tick(self) -> None:
        """Give state its next value, and inputs another now and then."""
        changes: dict[Node, int] = {}
        for register in self.design.registers:
            leaf, following = register.leaf, self.place[register.following]
            if leaf.width == 1:
                changes[leaf] = self.value[self.place[leaf]] ^ self.value[following]
            else:
                held = self._held(register.following, leaf, _MOST_HELD)
                # What has come by another way is often what the register holds already.
                changes[leaf] = ~held & self.changed[following] & self._rare(1)
        for port in self.design.ports:
            for word in port.words if port.is_input else []:
                changes[word] = self._rare(2)
        for leaf, changed in changes.items():
            self.changed[self.place[leaf]] = changed
            if leaf.width == 1:
                self.value[self.place[leaf]] ^= changed
        for column in self.design.columns:
            found = 0
            for write in column.writes:
                enables = self.value if write.enable.width == 1 else self.changed
                found |= enables[self.place[write.enable]]
            self.written[column.index] = found

    def step(self) -> None:
        """Run a cycle."""
        self._tick()
        self._evaluate()


def profile(found: Items) -> Profile:
    """Return what may be expected to change together."""
    design = found.design
    simulation = _Simulation(design)
    for _ in range(WARM_CYCLES):
        simulation.step()
    changed: list[int] = [0] * len(simulation.nodes)
    written: list[int] = [0] * len(design.columns)
    for sample in range(SAMPLED_CYCLES):
        simulation.step()
        shift = sample * RUNS
        for at, runs in enumerate(simulation.changed):
            changed[at] |= runs << shift
        for column, runs in enumerate(simulation.written):
            written[column] |= runs << shift
    of_key: dict[object, int] = {
        node.value if node.op == "leaf" else node.uid: changed[at]
        for at, node in enumerate(simulation.nodes)
        if node.op != "const"
    }
    of_key |= {("column", column): runs for column, runs in enumerate(written)}
    return Profile(RUNS * SAMPLED_CYCLES, of_key)
