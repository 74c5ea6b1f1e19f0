# SPDX-License-Identifier: BSD-3-Clause
"""The network of a description as a graph: who is linked to whom, and ideal round-trip times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesim.engines import DEFAULT
from firesim.metrics.links import nic_entries
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
            str(node["name"]): str(node.get("kind", DEFAULT))
            for node in description.get("nodes", [])
        }
        self.addresses = {
            str(told["mac"]).upper(): str(node["name"])
            for node in description.get("nodes", [])
            for told in [*nic_entries(node), node]
            if told.get("mac")
        }
        """The nodes by MAC address."""
        self.switching_cycles = {
            str(switch["name"]): int(switch.get("switching_latency_cycles", 10))
            for switch in description.get("switches", [])
        }
        self.links = [_link(entry) for entry in description.get("links", [])]
        self.neighbours: dict[str, dict[str, int]] = {}
        """What each model is linked to, and the latency of the link."""
        for model in [*self.nodes, *self.switching_cycles]:
            self.neighbours[model] = {}
        for link in self.links:
            for a, b in ((link.a, link.b), (link.b, link.a)):
                self.neighbours.setdefault(a, {})[b] = link.latency_cycles

    def one_way_cycles(self, source: str, target: str) -> int | None:
        """Return the cycles a one-token packet takes: links plus switching; None if unreachable.

        On a way with the fewest links, the quickest where there are several.
        """
        seen = {source} & set(self.neighbours)
        front = dict.fromkeys(seen, self.switching_cycles.get(source, 0))
        while front and target not in front:
            following: dict[str, int] = {}
            for model, cycles in front.items():
                for peer, latency in self.neighbours[model].items():
                    if peer not in seen:
                        there = cycles + latency + self.switching_cycles.get(peer, 0)
                        following[peer] = min(there, following.get(peer, there))
            seen |= set(following)
            front = following
        return front.get(target)

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
