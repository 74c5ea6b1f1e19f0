# SPDX-License-Identifier: BSD-3-Clause
"""Switching tables: for each switch, the port of every node, along shortest paths.

Where several ports are equally short (the roots of a Clos, the aggregation switches of a fat
tree), the index of the destination decides: digit `level` of the index, written in the base of
the number of choices. It is fixed, needs no random numbers, and spreads destinations evenly.
"""

from __future__ import annotations

import networkx as nx

from firesim.topology.plan import Plan
from firesim.topology.shape import Shape


def ports_of(shape: Shape) -> dict[str, list[str]]:
    """Return for each model its peers in port order."""
    peers: dict[str, list[str]] = {name: [] for name in [*shape.nodes, *shape.switches]}
    for a, b in shape.links:
        peers[a].append(b)
        peers[b].append(a)
    return peers


def fill_tables(shape: Shape, plan: Plan) -> None:
    """Fill `table` and `flood_ports` of every switch of the plan."""
    peers = ports_of(shape)
    switches = shape.graph.subgraph(shape.switches)
    home = {node: peers[node][0] for node in shape.nodes if peers[node]}
    distances = {
        tor: nx.single_source_shortest_path_length(switches, tor) for tor in set(home.values())
    }
    tree = _spanning_tree(shape, switches) if shape.switches else set()
    for switch in plan.switches:
        mine = peers[switch.name]
        port = {peer: index for index, peer in enumerate(mine)}
        for node in plan.nodes:
            if node.name not in home:
                continue
            if home[node.name] == switch.name:
                switch.table[node.mac] = port[node.name]
                continue
            away = distances[home[node.name]]
            closer = [p for p in mine if p in away and away[p] < away[switch.name]]
            choice = node.index // len(closer) ** (switch.level - 1) % len(closer)
            switch.table[node.mac] = port[closer[choice]]
        switch.flood_ports = [
            index
            for index, peer in enumerate(mine)
            if peer in home or frozenset((switch.name, peer)) in tree
        ]


def _spanning_tree(shape: Shape, switches: nx.Graph) -> set[frozenset[str]]:
    """Return the links of a breadth-first tree from the first switch, in link order."""
    order = {name: index for index, name in enumerate(shape.switches)}
    tree: set[frozenset[str]] = set()
    seen = {shape.switches[0]}
    front = [shape.switches[0]]
    while front:
        following: list[str] = []
        for name in front:
            for peer in sorted(switches.neighbors(name), key=order.__getitem__):
                if peer not in seen:
                    seen.add(peer)
                    tree.add(frozenset((name, peer)))
                    following.append(peer)
        front = following
    return tree
