# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes with RDMA NICs and a program, as experiments with them have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regression.support.cluster import Config

RDMA_NODE: Config = {"blade": "rocket-1-rdma", "memory": {"size_mib": 16}}


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
    return two_nodes("rdma", shared, {"latency": "200ns"}, **{"captures": True, **simulation})


def two_nodes(
    program: str, shared: list[str], link: Mapping[str, object], **simulation: object
) -> Config:
    """Return a client and a server of a program, which have the arguments `shared`."""
    return {
        "system": {"topology": "two_nodes", "link": link, "node": RDMA_NODE},
        "workload": {
            "node": {"program": program},
            "nodes": {
                "node0": {"args": ["role=client", "peer=${node1.mac}", *shared]},
                "node1": {"args": ["role=server", "peer=${node0.mac}", *shared]},
            },
        },
        "simulation": simulation,
    }
