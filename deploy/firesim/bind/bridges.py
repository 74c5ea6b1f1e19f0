# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the bridges of nodes: each is one that the bridge's declaration has, and fits."""

from __future__ import annotations

from collections.abc import Mapping

from firesim_common.errors import listed, unknown
from firesim_common.settings import Settings, fault_of

from firesim.build.bridge_drivers import declared_settings
from firesim.build.rtl_blade import load_blade
from firesim.topology.describe import FUNCTIONAL_BRIDGES
from firesim.topology.plan import Plan, PlannedNode


def check_bridge_settings(plan: Plan) -> None:
    """Check what the configuration tells the bridges of all nodes.

    Raises:
        InputError: an unknown kind or setting, a value out of its limits, or a node without such a
            bridge.
    """
    checked: set[tuple[str, str, str]] = set()
    declared: dict[str, dict[str, Settings]] = {}
    for node in plan.nodes:
        key = (node.blade, node.engine, repr((node.bridges, node.places)) if node.bridges else "")
        if not node.bridges or key in checked:
            continue
        checked.add(key)
        if node.blade not in declared:
            declared[node.blade] = declared_settings(plan.own_blade(node))
        _check_node(plan, node, declared[node.blade])


def _check_node(plan: Plan, node: PlannedNode, declared: Mapping[str, Settings]) -> None:
    stock = None if plan.own_blade(node) or node.traffic else load_blade(node.blade)
    for kind, given in node.bridges.items():
        where = f"bridges.{kind}"
        if kind not in declared:
            text = unknown(kind, "one of the bridges with settings", list(declared))
            raise plan.error(node, where, text)
        if node.traffic is not None:
            text = f'found settings for "{node.name}", expected none: it replays a traffic file.'
            raise plan.error(node, where, text)
        if stock is not None and kind not in stock.bridges:
            raise plan.error(node, where, no_such_bridge(node, kind, sorted(stock.bridges)))
        if not node.kind.is_rtl and kind not in FUNCTIONAL_BRIDGES:
            text = (
                f'found settings of the bridge "{kind}" for "{node.name}", expected an engine with '
                f"RTL: engine {node.engine} does not model this bridge."
            )
            raise plan.error(node, where, text)
        if fault := fault_of(declared[kind], given):
            raise plan.error(node, f"{where}.{fault[0][0]}", fault[1])


def no_such_bridge(node: PlannedNode, kind: str, has: list[str]) -> str:
    """Return what is said of settings for a bridge that a node's blade does not have."""
    return (
        f'found settings of the bridge "{kind}" for "{node.name}", expected one of the bridges of '
        f'its blade "{node.blade}": {listed(has)}.'
    )
