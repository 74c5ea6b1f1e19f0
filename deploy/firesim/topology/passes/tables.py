# SPDX-License-Identifier: BSD-3-Clause
"""Switching tables: for each switch, the port of every node, along shortest paths.

Where several ports are equally short (the roots of a Clos, the aggregation switches of a fat
tree), the index of the destination decides: digit `level` of the index, written in the base of
the number of choices. It is fixed, needs no random numbers, and spreads destinations evenly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from firesim.topology.distances import adjacent_switches, layers_from, members
from firesim.topology.plan import Plan, PlannedNode
from firesim.topology.shape import Shape


def ports_of(shape: Shape) -> dict[str, list[str]]:
    """Return for each model its peers in port order."""
    peers: dict[str, list[str]] = {name: [] for name in [*shape.nodes, *shape.switches]}
    for a, b in shape.links:
        peers[a].append(b)
        peers[b].append(a)
    return peers


def fill_tables(shape: Shape, plan: Plan) -> None:
    """Fill `table` and `flood_ports` of every switch of the plan.

    Way by way from each switch that has nodes: all of these are reached over the same ports.
    """
    ways = _Ways(shape)
    at_home: dict[str, list[PlannedNode]] = {}
    for node in plan.nodes:
        if peers := ways.peers[node.name]:
            at_home.setdefault(peers[0], []).append(node)
    for home, nodes in at_home.items():
        group = _Group(nodes)
        for number, closer in ways.to(home):
            switch = plan.switches[number]
            switch.table.update(group.ports(closer, switch.level))
    switch_of = {switch.name: switch for switch in plan.switches}
    for home, nodes in at_home.items():
        port = {peer: index for index, peer in enumerate(ways.peers[home])}
        switch_of[home].table.update({node.mac: port[node.name] for node in nodes})
    tree = _spanning_tree(shape, ways.peers) if shape.switches else set()
    for switch in plan.switches:
        switch.flood_ports = [
            index
            for index, peer in enumerate(ways.peers[switch.name])
            if peer not in ways.number or frozenset((switch.name, peer)) in tree
        ]


class _Group:
    """Nodes at one switch."""

    def __init__(self, nodes: list[PlannedNode]) -> None:
        self.macs = [node.mac for node in nodes]
        self.indices = [node.index for node in nodes]
        self.chosen: dict[tuple[int, int], list[int]] = {}

    def ports(self, closer: list[int], level: int) -> Mapping[str, int]:
        """Return the port for each node at a switch that has equally short ways there."""
        count = len(closer)
        if count == 1:
            return dict.fromkeys(self.macs, closer[0])
        base = count ** (level - 1)
        if (chosen := self.chosen.get((base, count))) is None:
            chosen = self.chosen[base, count] = [one // base % count for one in self.indices]
        return dict(zip(self.macs, map(closer.__getitem__, chosen), strict=True))


class _Ways:
    """The shortest ways between the switches of a shape."""

    def __init__(self, shape: Shape) -> None:
        self.peers = ports_of(shape)
        self.names = shape.switches
        self.number = {name: index for index, name in enumerate(shape.switches)}
        self.adjacent = adjacent_switches(shape)
        self.known: dict[tuple[int, int], list[int]] = {}

    def to(self, home: str) -> Iterator[tuple[int, list[int]]]:
        """Return the number of each other switch, and its ports that lead closer to `home`."""
        layers = layers_from(self.adjacent, self.number[home])
        for nearer, layer in pairwise(layers):
            for number in members(layer):
                yield number, self._ports(number, self.adjacent[number] & nearer)

    def _ports(self, number: int, peers: int) -> list[int]:
        """Return the ports of a switch to a set of others, in order; few sets come up."""
        key = (number, peers)
        if (found := self.known.get(key)) is None:
            names = {self.names[peer] for peer in members(peers)}
            mine = self.peers[self.names[number]]
            found = self.known[key] = [i for i, peer in enumerate(mine) if peer in names]
        return found


def _spanning_tree(shape: Shape, peers: Mapping[str, list[str]]) -> set[frozenset[str]]:
    """Return the links of a breadth-first tree from the first switch, in link order."""
    order = {name: index for index, name in enumerate(shape.switches)}
    tree: set[frozenset[str]] = set()
    seen = {shape.switches[0]}
    front = [shape.switches[0]]
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
