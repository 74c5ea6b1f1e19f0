# SPDX-License-Identifier: BSD-3-Clause
"""The NICs of a node whose blade has so many, those without a link included."""

from __future__ import annotations

from firesim.topology.passes.addresses import mac_text
from firesim.topology.plan import PlannedNic, PlannedNode


def nics_of(node: PlannedNode, count: int) -> list[PlannedNic]:
    """Return the NICs at the ports 0 to `count` - 1 of a node."""
    more = range(len(node.nics), count)
    found = [*node.nics, *(PlannedNic(mac_text(node.index, port), node.rate) for port in more)]
    return found[:count]
