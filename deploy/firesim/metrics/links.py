# SPDX-License-Identifier: BSD-3-Clause
"""What went over each node's links in a run, beside what could have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firesim.metrics.counted import LinkUse


def link_use(description: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, LinkUse]:
    """Return the use of its links by each node that has any, in flits since cycle 0, by name."""
    carried = {str(link.get("name")): link for link in result.get("links", [])}
    rates = {str(node["name"]): _flits_a_cycle(node) for node in description.get("nodes", [])}
    cycles = {str(n["name"]): float(n.get("cycles") or 0) for n in result.get("nodes", [])}
    found: dict[str, LinkUse] = {}
    for link in description.get("links", []):
        went = carried.get(str(link.get("name")))
        ends = str(link["a"]["model"]), str(link["b"]["model"])
        if went is None:
            continue
        away, back = (float((went.get(way) or {}).get("flits", 0)) for way in ("a_to_b", "b_to_a"))
        for node, sent, received in ((ends[0], away, back), (ends[1], back, away)):
            if node not in rates:
                continue
            so_far = found.get(node, LinkUse(0, 0, 0))
            room = rates[node] * cycles.get(node, 0.0)
            found[node] = LinkUse(
                so_far.sent + sent, so_far.received + received, so_far.room + room
            )
    return found


def _flits_a_cycle(node: Mapping[str, Any]) -> float:
    """Return what a node's link lets through: a flit a cycle, or as its NIC is limited."""
    nic = (node.get("bridges") or {}).get("nic") or {}
    increment, period = nic.get("rate_increment"), nic.get("rate_period")
    if not isinstance(increment, int) or not isinstance(period, int) or period < 1:
        return 1.0
    return min(1.0, max(0, increment) / period)
