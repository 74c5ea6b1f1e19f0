# SPDX-License-Identifier: BSD-3-Clause
"""The links of nodes: each ends at a port that the node's blade has."""

from __future__ import annotations

from pathlib import Path

from firesim.build.rtl_blade import Blade
from firesim.topology.plan import Plan, PlannedNode


def check_links(plan: Plan, node: PlannedNode, blade: Blade) -> None:
    """Check the links of a node whose blade is composed of parts.

    Raises:
        InputError: a link without a part in which it ends, or such parts without any link.
    """
    ends, linked = blade.link_parts, bool(plan.links_at(node.name))
    if ends and not linked:
        text = f'found no link at node "{node.name}", expected one: its part "{ends[0].name}" has '
        raise plan.error(node, "blade", f"{text}one.")
    if linked and not ends:
        text = f'found a blade without a part that has a link for "{node.name}", expected one, '
        raise plan.error(node, "blade", text + 'such as "nic": the node has a link.')
    if linked:
        check_ports(plan, node, len(ends))


def check_ports(plan: Plan, node: PlannedNode, count: int) -> None:
    """Check that the blade of a node, which has `count` links, has the ports of the node's links.

    Raises:
        InputError: it has not.
    """
    blade = Path(node.blade).stem
    has = "one link" if count == 1 else f"{count} links"
    ports = "port 0" if count == 1 else f"a port from 0 to {count - 1}"
    for port, link in plan.links_at(node.name).items():
        if port >= count:
            raise plan.error_at(
                link.place,
                f'found the link "{link.name}" at port {port} of "{node.name}", expected {ports}: '
                f'its blade "{blade}" has {has}.',
            )
