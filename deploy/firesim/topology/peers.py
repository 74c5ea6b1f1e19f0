# SPDX-License-Identifier: BSD-3-Clause
"""Which nodes talk to each other, as far as what their software is given says so."""

from __future__ import annotations

import re

from firesim.topology.plan import Plan, PlannedNode

FILE = "peers.json"
"""The file in the results that has them."""

_ADDRESS = re.compile(
    r"\b(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-F]{2}(?::[0-9A-F]{2}){5})\b", re.IGNORECASE
)


def peers(plan: Plan) -> dict[str, list[str]]:
    """Return, for each node, the nodes whose address its arguments or its command hold.

    A node that is given none, as a server is, has those that are given its own.
    """
    owner = {
        address.upper(): node.name for node in plan.nodes for address in (*node.macs, *node.ips)
    }
    given = {node.name: _given(node, owner) for node in plan.nodes}
    asked: dict[str, list[str]] = {name: [] for name in given}
    for name, others in given.items():
        for other in others:
            asked[other].append(name)
    return {name: others or asked[name] for name, others in given.items()}


def _given(node: PlannedNode, owner: dict[str, str]) -> list[str]:
    """Return the other nodes whose addresses the software of a node is given."""
    text = " ".join([*node.args, node.command or ""])
    found = dict.fromkeys(owner.get(address.upper()) for address in _ADDRESS.findall(text))
    return [name for name in found if name is not None and name != node.name]
