# SPDX-License-Identifier: BSD-3-Clause
"""Make links as long as a functional network lets them be (docs/explanation/functional-network.md).

Two parts can be apart by the latencies of the links between them. So all links get an equal share
of the drift that is allowed, the longest way having all of it. Longer links stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

from firesim.config.network import Network
from firesim.topology.distances import adjacent_switches, diameter
from firesim.topology.plan import Plan
from firesim.topology.shape import Shape

MODEL_LINKS = 2
"""Of a way, those from a node to its switch and from a switch to its node."""


def lengthen_links(network: Network, shape: Shape, plan: Plan) -> Plan:
    """Return a plan whose links are all there with their latencies; the same in mode exact."""
    if not network.is_functional or not plan.links:
        return plan
    # Without a switch, nodes are linked to each other.
    hops = diameter(adjacent_switches(shape)) + MODEL_LINKS if shape.switches else 1
    share_cycles = network.drift_cycles(plan.clock_hz) // hops
    return replace(
        plan,
        links=tuple(
            replace(link, latency_cycles=max(link.latency_cycles, share_cycles))
            for link in plan.links
        ),
    )
