# SPDX-License-Identifier: BSD-3-Clause
"""Functional warming: functional nodes follow what the caches of those in RTL would hold."""

from __future__ import annotations

from firesim.build.cores import Cache
from firesim.build.rtl_blade import load_blade
from firesim.sampling.simulate import Description
from firesim.topology.plan import Plan

L2 = "l2"
"""The part."""


def follow_caches(description: Description, plan: Plan) -> None:
    """Follow the first-level caches of functional nodes, so that warm starts fill those in RTL."""
    blades = {node.name: node.blade for node in plan.nodes}
    for node in description["nodes"]:
        cores = load_blade(blades[node["name"]]).cores
        node["l1_caches"] = {"instructions": _shape(cores.icache), "data": _shape(cores.dcache)}


def with_cold_caches(plan: Plan) -> list[str]:
    """Return the nodes that have an L2 or a last-level cache: those are not followed."""
    nodes = [(node.name, node.memory.llc, load_blade(node.blade)) for node in plan.nodes]
    return [name for name, llc, blade in nodes if llc is not None or blade.part(L2) is not None]


def _shape(cache: Cache) -> dict[str, int]:
    return {"sets": cache.sets, "ways": cache.ways}
