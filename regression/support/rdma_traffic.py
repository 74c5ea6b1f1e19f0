# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes with RDMA NICs and the program `rdma`, as experiments with them have it."""

from __future__ import annotations

from dataclasses import dataclass

from regression.support.cluster import Config


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
    return {
        "system": {
            "topology": "two_nodes",
            "link": {"latency": "200ns"},
            "node": {"blade": "rocket-1-rdma", "memory": {"size_mib": 16}},
        },
        "workload": {
            "node": {"program": "rdma"},
            "nodes": {
                "node0": {"args": ["role=client", "peer=${node1.mac}", *shared]},
                "node1": {"args": ["role=server", "peer=${node0.mac}", *shared]},
            },
        },
        "simulation": {"captures": True, **simulation},
    }
