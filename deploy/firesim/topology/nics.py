# SPDX-License-Identifier: BSD-3-Clause
"""The NICs of a node, those without a link included, and what the description says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesim.topology.passes.addresses import ip_text, mac_text
from firesim.topology.plan import PlannedNic, PlannedNode


def nics_of(node: PlannedNode, count: int) -> list[PlannedNic]:
    """Return the NICs at the ports 0 to `count` - 1 of a node."""
    more = (
        PlannedNic(mac_text(node.index, port), ip_text(node.index, port), node.rate)
        for port in range(len(node.nics), count)
    )
    return [*node.nics, *more][:count]


def described_nics(
    node: PlannedNode, links: Sequence[str | None]
) -> dict[str, Any] | list[dict[str, Any]]:
    """Return the settings of a node's NIC, or of each by port; `links` are paths of bridges."""
    told = [
        {"mac": nic.mac, "rate_increment": nic.rate[0], "rate_period": nic.rate[1]}
        for nic in nics_of(node, len(links))
    ]
    if len(links) == 1:
        return {"port": 0, **told[0]}
    named = zip(links, told, strict=True)
    return [one if path is None else {"bridge": path, **one} for path, one in named]
