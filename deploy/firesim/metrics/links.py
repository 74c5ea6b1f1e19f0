# SPDX-License-Identifier: BSD-3-Clause
"""What went over each node's links in a run, beside what could have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firesim.metrics.counted import LinkUse


def link_use(description: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, LinkUse]:
    """Return the use of its links by each node that has any, in flits since cycle 0, by name."""
    carried = {str(link.get("name")): link for link in result.get("links", [])}
    nics = {str(node["name"]): nic_entries(node) for node in description.get("nodes", [])}
    cycles = {str(n["name"]): float(n.get("cycles") or 0) for n in result.get("nodes", [])}
    found: dict[str, LinkUse] = {}
    for link in description.get("links", []):
        went = carried.get(str(link.get("name")))
        ends = [(str(link[end]["model"]), int(link[end].get("port", 0))) for end in "ab"]
        if went is None:
            continue
        away, back = (float((went.get(way) or {}).get("flits", 0)) for way in ("a_to_b", "b_to_a"))
        for (node, port), sent, received in ((ends[0], away, back), (ends[1], back, away)):
            if node not in nics:
                continue
            so_far = found.get(node, LinkUse(0, 0, 0))
            room = _flits_a_cycle(nics[node], port) * cycles.get(node, 0.0)
            found[node] = LinkUse(
                so_far.sent + sent, so_far.received + received, so_far.room + room
            )
    return found


def nic_entries(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what a node of a description says of its NICs, by port; nothing of one without."""
    told = (node.get("bridges") or {}).get("nic") or []
    return told if isinstance(told, list) else [told]


def _flits_a_cycle(nics: Sequence[Mapping[str, Any]], port: int) -> float:
    """Return what a node's link lets through: a flit a cycle, or as its NIC is limited."""
    nic = nics[port] if port < len(nics) else {}
    increment, period = nic.get("rate_increment"), nic.get("rate_period")
    if not isinstance(increment, int) or not isinstance(period, int) or period < 1:
        return 1.0
    return min(1.0, max(0, increment) / period)
