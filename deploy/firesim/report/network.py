# SPDX-License-Identifier: BSD-3-Clause
"""The network of a description as a graph: who is linked to whom, and ideal round-trip times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx

from firesim.report.results import JsonObject
from firesim.units import target_time


@dataclass(frozen=True)
class Link:
    """One link: two ends (model name, port number) and its latency in target cycles."""

    name: str
    a: str
    a_port: int
    b: str
    b_port: int
    latency_cycles: int


class Network:
    """The models of a description and the links between them.

    `peers` names, for each node, those it talks to, as far as that is known (peers.json).
    """

    def __init__(
        self, description: JsonObject, peers: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.peers = peers or {}
        self.nodes = [str(node["name"]) for node in description.get("nodes", [])]
        self.node_kind = {
            str(node["name"]): str(node.get("kind", "rtl")) for node in description.get("nodes", [])
        }
        self.switching_cycles = {
            str(switch["name"]): int(switch.get("switching_latency_cycles", 10))
            for switch in description.get("switches", [])
        }
        self.links = [_link(entry) for entry in description.get("links", [])]
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from([*self.nodes, *self.switching_cycles])
        for link in self.links:
            graph.add_edge(link.a, link.b, latency=link.latency_cycles)
        self.graph = graph

    def one_way_cycles(self, source: str, target: str) -> int | None:
        """Return the cycles a one-token packet takes: links plus switching; None if unreachable."""
        try:
            path: list[str] = nx.shortest_path(self.graph, source, target)
        except (nx.NetworkXNoPath, nx.NodeNotFound):
            return None
        hops = sum(int(self.graph.edges[a, b]["latency"]) for a, b in pairwise(path))
        return hops + sum(self.switching_cycles.get(model, 0) for model in path)

    def ideal_round_trips(self, source: str) -> list[int]:
        """Return the distinct ideal round trips from `source` to its peers, in cycles.

        To all other nodes where nothing says which are its peers.
        """
        others = self.peers.get(source) or [node for node in self.nodes if node != source]
        ways = {self.one_way_cycles(source, node) for node in others}
        return sorted(2 * way for way in ways if way is not None)

    def link_of_port(self, model: str, port: int) -> Link | None:
        """Return the link at one port of a model."""
        for link in self.links:
            if (model, port) in ((link.a, link.a_port), (link.b, link.b_port)):
                return link
        return None


def functional_words(result: Mapping[str, Any], clock_hz: float) -> str:
    """Return what a reader of a result must know of a functional network; "" for an exact one."""
    network = result.get("network") or {}
    if before := network.get("functional_before_cycle"):
        return f"the network was functional before cycle {before:,}, and is exact from there on"
    if network.get("mode") != "functional":
        return ""
    apart = target_time(int(network.get("max_drift_cycles", 0)), clock_hz)
    return (
        f"functional network: parts up to {apart} of target time apart, times on it are not "
        "exact, no token hash"
    )


def _link(entry: JsonObject) -> Link:
    a, b = entry["a"], entry["b"]
    name = entry.get("name") or f"{a['model']}--{b['model']}"
    return Link(
        str(name),
        str(a["model"]),
        int(a.get("port", 0)),
        str(b["model"]),
        int(b.get("port", 0)),
        int(entry["latency_cycles"]),
    )
