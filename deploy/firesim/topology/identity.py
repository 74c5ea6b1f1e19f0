# SPDX-License-Identifier: BSD-3-Clause
"""Who a node is, as its Linux is told: by the kernel's command line, or a clone by a frame."""

from __future__ import annotations

import hashlib

from firesim.topology.plan import Plan, PlannedNode

PREFIX_BITS = 16
IDENTITY_SEED_BYTES = 16


def random_seed(plan: Plan, node: PlannedNode) -> bytes:
    """Return the node's random seed: fixed by the names of run and node, different for each node.

    A cluster whose runs were not alike would not be exact, so no outside randomness enters.
    """
    return hashlib.sha256(f"firesim {plan.name} {node.name} {node.mac}".encode()).digest()


def identity(plan: Plan, node: PlannedNode) -> dict[str, str | int]:
    """Return what a clone is told by the identity frame (docs/reference/interfaces/linux.md)."""
    return {
        "ip": f"{node.ip}/{PREFIX_BITS}",
        "name": node.name,
        "index": node.index,
        "nodes": len(plan.nodes),
        "seed": random_seed(plan, node)[:IDENTITY_SEED_BYTES].hex(),
        **({"run": node.command} if node.command is not None else {}),
    }
