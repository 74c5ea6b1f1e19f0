# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what was built for the user's own blades: their bridges take what they are given."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from firesim.bind.bridges import check_given
from firesim.bind.links import check_ports
from firesim.build.model import ends_itself
from firesim.topology.describe import NodeFiles
from firesim.topology.plan import Plan, PlannedNode


def check_bridges(plan: Plan, files: Mapping[str, NodeFiles]) -> None:
    """Check that the bridges of each node take what the configuration gives it.

    Raises:
        InputError: the first thing that has nowhere to go, or a run that nothing can end.
    """
    for node in plan.nodes:
        if plan.own_blade(node) is not None:
            made = files[node.name]
            _check_node(plan, node, made.bridges, len(made.links))
    servers = [node for node in plan.nodes if node.traffic is None]
    ends = any(_can_end(files[node.name]) for node in servers)
    if servers and not ends and plan.run.max_cycles == 0:
        raise plan.error_at(
            ("simulation", "max_cycles"),
            "found 0 and no node whose blade has a termination bridge, expected a last cycle: "
            "nothing else would end the run.",
        )


def _can_end(node: NodeFiles) -> bool:
    if "termination" in node.bridges:
        return True
    return node.manifest is not None and ends_itself(node.manifest.parent)


def _check_node(plan: Plan, node: PlannedNode, has: Collection[str], links: int) -> None:
    if "nic" in has and not plan.links_at(node.name):
        raise plan.error_at(
            ("system", "topology"),
            f'found no link at node "{node.name}", expected one to a switch: its blade has a NIC.',
        )
    if "nic" in has:
        check_ports(plan, node, links)
    check_given(plan, node, has)
