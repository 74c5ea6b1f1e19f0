# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes with RDMA NICs and a program, as experiments have them, in RTL or functional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regression.support.cluster import Config, merged
from regression.support.two_nodes import USUAL_LINK, small_node, two_nodes

RDMA_NODE = small_node("rocket-1-rdma")
FUNCTIONAL_RDMA_NODE = small_node("rocket-1-big-rdma")
WINDOW, SIZE = 16, 16_384
"""Messages of a stream on the wire, and bytes of each."""
FULL_GBPS = 200
"""Rate of a link that is not limited, by its name."""


@dataclass(frozen=True)
class Traffic:
    """What a run of the program is told."""

    count: int
    size: int
    mtu: int
    psn: int
    seed: int
    memory: int
    """Bytes on each side."""


def recipe(traffic: Traffic, **simulation: object) -> Config:
    """Return two nodes with RDMA NICs and the program, by the keys of a user's file."""
    shared = [f"count={traffic.count}", f"size={traffic.size}", f"seed={traffic.seed}"]
    shared += [
        f"mtu={traffic.mtu}",
        f"psn={traffic.psn}",
        "polls=100000000",
        f"memory={traffic.memory}",
    ]
    return client_and_server("rdma", shared, USUAL_LINK, **{"captures": True, **simulation})


def client_and_server(
    program: str,
    shared: list[str],
    link: Mapping[str, object],
    **simulation: object,
) -> Config:
    """Return a client and a server of a program, which have the arguments `shared`."""
    roles = {"client": shared, "server": shared}
    return two_nodes(program, RDMA_NODE, roles, link, **simulation)


@dataclass(frozen=True)
class Stream:
    """What the program `rdmaspeed` is told, and the links."""

    operation: str
    mtu: int
    count: int
    size: int = SIZE
    window: int = WINDOW
    skip: int = WINDOW
    latency_cycles: int = 6_400
    bandwidth_gbps: int = FULL_GBPS
    pairs: int = 1
    interrupts: int = 0


def stream_recipe(stream: Stream, **simulation: object) -> Config:
    """Return two nodes with RDMA NICs and the program `rdmaspeed`."""
    keys = ("operation", "mtu", "count", "size", "window", "skip", "pairs", "interrupts")
    shared = [f"{key}={getattr(stream, key)}" for key in keys]
    link = {"latency_cycles": stream.latency_cycles, "bandwidth_gbps": stream.bandwidth_gbps}
    return client_and_server("rdmaspeed", shared, link, **{"threads": 1, **simulation})


def functional(config: Config, *nodes: str, node: Config = FUNCTIONAL_RDMA_NODE) -> Config:
    """Return a configuration whose nodes with RDMA NICs, or only those named, are functional."""
    if not nodes:
        return merged(config, {"system": {"node": node}, "simulation": {"engine": "functional"}})
    over = {
        "system": {"nodes": dict.fromkeys(nodes, node)},
        "simulation": {"engines": dict.fromkeys(nodes, "functional")},
    }
    return merged(config, over)
