# SPDX-License-Identifier: BSD-3-Clause
"""What is compiled: the graph, and the state and ports around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from goldengate.engine.ir import Graph
from goldengate.engine.nodes import Node


class Unsupported(Exception):
    """The design has something this engine does not handle; the message names it."""


@dataclass
class Port:
    """A port of the top module; `words` are its leaves (inputs) or values (outputs)."""

    name: str
    width: int
    is_input: bool
    words: list[Node] = field(default_factory=list)


@dataclass
class Register:
    """A word of state, updated at the end of every cycle to `following`.

    It holds bits `low` and up of the register `name`.
    """

    index: int
    name: str
    low: int
    leaf: Node
    following: Node
    initial: int


@dataclass
class Write:
    """A write port of a memory column: where `enable` is 1, `data` goes to `address`.

    `whole` says that `enable` is one bit for the whole row; otherwise it has a bit for each bit.
    """

    address: Node
    enable: Node
    data: Node
    whole: bool

    def roots(self) -> list[Node]:
        """Return what the port needs."""
        return [self.address, self.enable, self.data]


@dataclass
class Column:
    """Up to 64 bits of every row of a memory, kept in an array of their own.

    `writes` apply in order, a later one over an earlier.
    """

    index: int
    name: str
    low: int
    width: int
    size: int
    initial: list[int]
    writes: list[Write] = field(default_factory=list)


@dataclass(frozen=True)
class Probe:
    """A word of a wire that is kept to be seen: bits `low` and up of the wire `name`.

    `index` numbers the value in `Design.probed`; wires that are one signal share it.
    """

    name: str
    low: int
    width: int
    index: int


Parts = dict[str, list[tuple[int, int, str]]]
"""By name: (lowest bit, width, "[7:4]")."""


@dataclass(frozen=True)
class Constant:
    """Bits `low` and up of the register `name` that never change, and so are no state."""

    name: str
    low: int
    width: int
    value: int


@dataclass
class Design:
    """A design ready to be scheduled. Leaves are named ("input" | "register", index, word)."""

    name: str
    graph: Graph = field(default_factory=Graph)
    ports: list[Port] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    probed: list[Node] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    parts: Parts = field(default_factory=dict)
    """Registers that are shown in parts."""
    stands_for: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Registers that are shown as bits of another wire: its name, and the lowest of them."""
    wire_parts: Parts = field(default_factory=dict)
    """Wires that are shown in parts."""

    def replace(self, instead: Callable[[Node], Node]) -> None:
        """Put other nodes in the place of those that are needed or probed."""
        for port in self.ports:
            if not port.is_input:
                port.words = [instead(word) for word in port.words]
        for register in self.registers:
            register.following = instead(register.following)
        for column in self.columns:
            for write in column.writes:
                write.address, write.enable, write.data = map(instead, write.roots())
        self.probed = [instead(node) for node in self.probed]

    def roots(self) -> list[Node]:
        """Return the nodes that are needed: outputs, next states, memory writes."""
        found = [word for port in self.ports if not port.is_input for word in port.words]
        found += [register.following for register in self.registers]
        for column in self.columns:
            for write in column.writes:
                found += write.roots()
        return found

    def needed(self) -> list[Node]:
        """Return the nodes that are needed or probed, and all that they need, arguments first."""
        reached = {*self.roots(), *self.probed}
        found = []
        for node in reversed(self.graph.nodes):
            if node in reached:
                found.append(node)
                reached.update(node.args)
        return found[::-1]
