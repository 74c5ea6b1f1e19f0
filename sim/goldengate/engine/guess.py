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


class _Simulation:
    """Runs of a design, all at once; `value` has the bits, `changed` who has changed."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.nodes = design.needed()
        self.draw = random.Random(1)
        self.all = mask(RUNS)
        self.value: dict[Node, int] = {}
        self.changed: dict[Node, int] = {}
        self.written = dict.fromkeys(range(len(design.columns)), 0)
        for node in self.nodes:
            if node.is_const:
                self.value[node] = self.all if node.number & 1 else 0
                self.changed[node] = 0
        for register in design.registers:
            self.changed[register.leaf] = 0
            self.value[register.leaf] = self.all if register.initial & 1 else 0
        for port in design.ports:
            for word in port.words if port.is_input else []:
                self.value[word] = self.changed[word] = 0
        self._evaluate()

    def _rare(self, halvings: int) -> int:
        """Return a random set of runs, of one in two to the power of `halvings`."""
        found = self.all
        for _ in range(halvings):
            found &= self.draw.getrandbits(RUNS)
        return found

    def _drawn(self, node: Node, changed: int) -> int:
        """Return a bit that depends on words, drawn again where these have changed."""
        before = self.value.get(node, 0)
        if not changed:
            return before
        halvings = 1
        if node.op == "eq":
            halvings = min(_MOST_HALVINGS, max(2, node.args[0].width))
        return before & ~changed | self._rare(halvings) & changed

    def _bit(self, node: Node) -> int:
        """Return a value of one bit."""
        args, value = node.args, self.value
        if all(arg.width == 1 for arg in args):
            if node.op == "and":
                return value[args[0]] & value[args[1]]
            if node.op == "or":
                return value[args[0]] | value[args[1]]
            if node.op in ("xor", "add", "sub"):
                return value[args[0]] ^ value[args[1]]
            if node.op == "mux":
                select = value[args[0]]
                return select & value[args[1]] | ~select & self.all & value[args[2]]
            if node.op == "eq":
                return ~(value[args[0]] ^ value[args[1]]) & self.all
        return self._drawn(node, self._touched(node))

    def _touched(self, node: Node) -> int:
        """Return the runs in which what a node gives may have changed."""
        args, changed = node.args, self.changed
        if node.op == "mux":
            select = self.value[args[0]]
            return changed[args[0]] | select & changed[args[1]] | ~select & changed[args[2]]
        found = 0
        for arg in args:
            found |= changed[arg]
        if node.op == "and":
            for arg in args:
                if arg.op == "rep":
                    found &= self.value[arg.args[0]] | changed[arg]
        if node.op == "read":
            found |= self.written[node.number]
        return found

    def _evaluate(self) -> None:
        for node in self.nodes:
            if node.op in ("const", "leaf"):
                continue
            if node.width == 1:
                value = self._bit(node)
                self.changed[node] = self.value.get(node, 0) ^ value
                self.value[node] = value
            else:
                self.changed[node] = self._touched(node)

    def _held(self, node: Node, leaf: Node, depth: int) -> int:
        """Return the runs in which a register keeps its value."""
        if node is leaf:
            return self.all
        if node.op != "mux" or depth == 0:
            return 0
        select = self.value[node.args[0]]
        high, low = (self._held(arm, leaf, depth - 1) for arm in node.args[1:])
        return select & high | ~select & low

    def _tick(self) -> None:
        """Give state its next value, and inputs another now and then."""
        changes: dict[Node, int] = {}
        for register in self.design.registers:
            leaf, following = register.leaf, register.following
            if leaf.width == 1:
                changes[leaf] = self.value[leaf] ^ self.value[following]
            else:
                held = self._held(following, leaf, _MOST_HELD)
                # What has come by another way is often what the register holds already.
                changes[leaf] = ~held & self.changed[following] & self._rare(1)
        for port in self.design.ports:
            for word in port.words if port.is_input else []:
                changes[word] = self._rare(2)
        for leaf, changed in changes.items():
            self.changed[leaf] = changed
            if leaf.width == 1:
                self.value[leaf] ^= changed
        for column in self.design.columns:
            found = 0
            for write in column.writes:
                if write.enable.width == 1:
                    found |= self.value[write.enable]
                else:
                    found |= self.changed[write.enable]
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
    changed: dict[object, int] = {}
    for sample in range(SAMPLED_CYCLES):
        simulation.step()
        for node, runs in simulation.changed.items():
            if node.op == "const":
                continue
            key = node.value if node.op == "leaf" else node.uid
            changed[key] = changed.get(key, 0) | runs << sample * RUNS
        for column, runs in simulation.written.items():
            changed["column", column] = changed.get(("column", column), 0) | runs << sample * RUNS
    return Profile(RUNS * SAMPLED_CYCLES, changed)
