# SPDX-License-Identifier: BSD-3-Clause
"""Switching tables: for each switch, the port of every node, along shortest paths.

Where several ports are equally short (the roots of a Clos, the aggregation switches of a fat
tree), the index of the destination decides: digit `level` of the index, written in the base of
the number of choices. It is fixed, needs no random numbers, and spreads destinations evenly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise, repeat
from operator import getitem
from typing import NamedTuple

from firesim.topology.distances import adjacent_switches, layers_from, members
from firesim.topology.plan import PlannedNode, PlannedSwitch
from firesim.topology.shape import Shape

_Way = tuple[tuple[int, ...], int]
"""The ports of a switch that lead closer to another, and its level, which counts if several do."""

_THERE = 0
"""Number of the way of a switch to itself."""
_NOWHERE = 1
"""Number of the way to a switch that cannot be reached: nodes pass nothing on."""


class _Station(NamedTuple):
    """A port of a node, seen from its switch."""

    node: int
    """Index of the node."""
    mac: str
    port: int
    """Of the switch."""


def fill_tables(
    shape: Shape, nodes: Iterable[PlannedNode], switches: Sequence[PlannedSwitch]
) -> tuple[PlannedSwitch, ...]:
    """Return the switches with `table` and `flood_ports` filled.

    For each switch that has nodes, every switch has one of few ways to it; a table is put together
    from the parts of these ways. Switches with the same ways everywhere have one table.
    """
    ways = _Ways(shape, [switch.level for switch in switches])
    at_home = _at_home(shape, nodes)
    columns, parts = [], []
    for home, mine in at_home.items():
        column = ways.to(home)
        columns.append(column)
        parts.append(_parts(ways, mine, set(column)))
    macs = [one.mac for mine in at_home.values() for one in mine]
    own = {home: [one.mac for one in mine] for home, mine in at_home.items()}
    made: dict[tuple[int, ...], dict[str, int]] = {}
    tables = []
    rows = zip(*columns, strict=True) if columns else repeat(())
    for switch, row in zip(shape.switches, rows, strict=False):
        if (table := made.get(row)) is None:
            ports = chain.from_iterable(map(getitem, parts, row))
            table = dict(zip(macs, ports, strict=True))
            if _NOWHERE in row:
                table = {mac: port for mac, port in table.items() if port >= 0}
            made[row] = table
            for mac in own.get(switch, ()):
                table[mac] = table.pop(mac)  # A switch's own nodes come last.
        tables.append(table)
    tree = _spanning_tree(shape, ways.peers) if shape.switches else set()
    return tuple(
        replace(switch, table=table, flood_ports=_flood_ports(switch.name, ways, tree))
        for switch, table in zip(switches, tables, strict=True)
    )


def _at_home(shape: Shape, nodes: Iterable[PlannedNode]) -> dict[str, list[_Station]]:
    """Return what stands at each switch that has nodes."""
    switches = set(shape.switches)
    found: dict[str, list[_Station]] = {}
    for node in nodes:
        for port, end in shape.ports[node.name].items():
            if end.name in switches:
                station = _Station(node.index, node.macs[port], end.port)
                found.setdefault(end.name, []).append(station)
    return found


def _parts(ways: _Ways, mine: Sequence[_Station], used: Iterable[int]) -> dict[int, list[int]]:
    """Return the ports that lead to a switch's nodes, by the number of each way that is used.

    Where there is none, the ports are -1.
    """
    found: dict[int, list[int]] = {}
    for number in used:
        ports, level = ways.known[number]
        if number == _THERE:
            found[number] = [one.port for one in mine]
        elif number == _NOWHERE:
            found[number] = [-1] * len(mine)
        elif len(ports) == 1:
            found[number] = [ports[0]] * len(mine)
        else:
            base, count = len(ports) ** (level - 1), len(ports)
            found[number] = [ports[one.node // base % count] for one in mine]
    return found


def _flood_ports(name: str, ways: _Ways, tree: Collection[frozenset[str]]) -> tuple[int, ...]:
    """Return the ports of a switch that lead to nodes, or are of the spanning tree."""
    return tuple(
        index
        for index, peer in enumerate(ways.peers[name])
        if peer not in ways.number or frozenset((name, peer)) in tree
    )


class _Ways:
    """The shortest ways between the switches of a shape."""

    def __init__(self, shape: Shape, level: Sequence[int]) -> None:
        self.peers = shape.neighbours
        self.names = shape.switches
        self.level = level
        self.number = {name: index for index, name in enumerate(shape.switches)}
        self.adjacent = adjacent_switches(shape)
        self.known: list[_Way] = [((), 1), ((), 1)]
        self._numbers: dict[_Way, int] = {}
        self._found: list[dict[int, int]] = [{} for _ in shape.switches]

    def to(self, home: str) -> list[int]:
        """Return the number of each switch's way to `home`; the loop runs for each such pair."""
        found = [_NOWHERE] * len(self.names)
        found[self.number[home]] = _THERE
        for nearer, layer in pairwise(layers_from(self.adjacent, self.number[home])):
            for number in layer.members:
                peers = self.adjacent[number] & nearer.numbers
                found[number] = self._found[number].get(peers) or self._way(number, peers)
        return found

    def _way(self, number: int, peers: int) -> int:
        """Return the number of a switch's way to a set of others; few sets come up."""
        names = {self.names[peer] for peer in members(peers)}
        mine = self.peers[self.names[number]]
        ports = tuple(index for index, peer in enumerate(mine) if peer in names)
        way = (ports, self.level[number] if len(ports) > 1 else 1)
        if way not in self._numbers:
            self._numbers[way] = len(self.known)
            self.known.append(way)
        self._found[number][peers] = self._numbers[way]
        return self._numbers[way]


def _spanning_tree(shape: Shape, peers: Mapping[str, list[str]]) -> set[frozenset[str]]:
    """Return the links of a breadth-first tree from the first switch, in link order.

    Switches that it does not reach have trees of their own.
    """
    order = {name: index for index, name in enumerate(shape.switches)}
    tree: set[frozenset[str]] = set()
    seen: set[str] = set()
    for start in shape.switches:
        if start not in seen:
            seen.add(start)
            tree |= _tree_from(start, order, seen, peers)
    return tree


def _tree_from(
    start: str, order: Mapping[str, int], seen: set[str], peers: Mapping[str, list[str]]
) -> set[frozenset[str]]:
    """Return the links of the tree from a switch; all that it reaches are then among `seen`."""
    tree: set[frozenset[str]] = set()
    front = [start]
    while front:
        following: list[str] = []
        for name in front:
            for peer in sorted(
                [peer for peer in peers[name] if peer in order], key=order.__getitem__
            ):
                if peer not in seen:
                    seen.add(peer)
                    tree.add(frozenset((name, peer)))
                    following.append(peer)
        front = following
    return tree
