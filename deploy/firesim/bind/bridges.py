# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the bridges of nodes: each is one that the bridge's declaration has, and fits."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from firesim_common.errors import listed, unknown
from firesim_common.settings import Settings, fault_of

from firesim.build.bridge_drivers import declared_settings
from firesim.build.named_bridges import named_bridges
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
    _check_own(plan)


def _check_own(plan: Plan) -> None:
    """Refuse what a user's blade has no bridge for, as far as its text says so.

    The rest is refused by the same sentences once the blade is built.
    """
    named: dict[str, frozenset[str] | None] = {}
    for node in plan.nodes:
        blade = plan.own_blade(node)
        if blade is None or node.traffic is not None or not _is_told(node):
            continue
        if node.blade not in named:
            named[node.blade] = named_bridges(blade)
        if (kinds := named[node.blade]) is not None:
            check_given(plan, node, kinds)


def _given(node: PlannedNode) -> list[tuple[str, str]]:
    """Return what a node is given for a bridge: kind, and key of the configuration."""
    given: list[tuple[str, str, object]] = [
        ("memory", "program", node.program),
        ("memory", "elf", node.elf),
        ("memory", "linux", node.linux),
        ("memory", "device_tree", node.device_tree),
        ("block_device", "disk_image", node.disk_image or node.disk_sectors),
    ]
    return [(kind, key) for kind, key, value in given if value]


def _must_be_traced(node: PlannedNode) -> bool:
    """Whether the configuration names the node as one that is traced."""
    return node.instruments.traced and "tracing" in node.places


def _is_told(node: PlannedNode) -> bool:
    return bool(_given(node) or node.bridges or _must_be_traced(node))


def check_given(plan: Plan, node: PlannedNode, has: Collection[str]) -> None:
    """Check that a node of a user's blade with these bridges is given nothing for others.

    Raises:
        InputError: the first thing that has nowhere to go.
    """
    for bridge, key in _given(node):
        by_host = (bridge, key) == ("memory", "elf") and "tsi" in has  # which writes it there
        if bridge not in has and not by_host:
            raise plan.error(
                node,
                key,
                f'found something for the {bridge} bridge of "{node.name}", expected nothing: its '
                f'blade "{node.blade}" has {" and ".join(sorted(has)) or "no bridge"} and no '
                f"{bridge}.",
            )
    for kind in node.bridges:
        if kind not in has:
            raise plan.error(node, f"bridges.{kind}", no_such_bridge(node, kind, sorted(has)))
    if _must_be_traced(node) and "tracerv" not in has:
        raise plan.error(
            node,
            "tracing",
            f'found "{node.name}", whose blade "{node.blade}" has no tracerv bridge, '
            "expected a node that can be traced.",
        )


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
