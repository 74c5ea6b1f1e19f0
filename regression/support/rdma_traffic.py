# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes with RDMA NICs and a program, as experiments with them have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regression.support.cluster import Config
from regression.support.two_nodes import USUAL_LINK, small_node, two_nodes

RDMA_NODE = small_node("rocket-1-rdma")


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
