# SPDX-License-Identifier: BSD-3-Clause
"""Drawings of a plan: a tree of text for the terminal, an SVG file for everything else."""

from __future__ import annotations

from collections.abc import Mapping

from rich.tree import Tree

from firesim.topology.plan import Plan, PlannedLink, PlannedNode
from firesim.units import target_time

MOST_NODES_A_SWITCH = 16


def _neighbours(plan: Plan) -> dict[str, list[tuple[str, PlannedLink]]]:
    found: dict[str, list[tuple[str, PlannedLink]]] = {}
    for link in plan.links:
        found.setdefault(link.a, []).append((link.b, link))
        found.setdefault(link.b, []).append((link.a, link))
    return found


def _is_layered(plan: Plan) -> bool:
    """Return whether every link of a loop of switches leads up or down, from all to one top."""
    level = {switch.name: switch.level for switch in plan.switches}
    links = [(link.a, link.b) for link in plan.links if link.a in level and link.b in level]
    group = {name: name for name in level}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]  # Halves the way for the next one.
            name = group[name]
        return name

    # Of a loop, a link between equals is the last one to come, and finds its ends joined.
    for a, b in sorted(links, key=lambda link: level[link[0]] == level[link[1]]):
        if root(a) == root(b) and level[a] == level[b]:
            return False
        group[root(a)] = root(b)
    return len({root(name) for name in level}) < 2


def text_drawing(plan: Plan, hosts: Mapping[str, str] | None = None) -> Tree:
    """Return the system as a tree from its top switch; further links are named, not drawn.

    A network that has no top, such as a ring, is a list of its switches.

    `hosts` are those of the parts, by name, if there are several.
    """
    hosts = hosts or {}
    neighbours = _neighbours(plan)
    tree = _layers(plan, neighbours, hosts) if _is_layered(plan) else _mesh(plan, neighbours, hosts)
    nodes = {node.name: node for node in plan.nodes}
    for link in plan.links:
        if link.a in nodes and link.b in nodes:
            tree.add(f"{link.a} to {_label(plan, nodes, link.b, link)}{_at(hosts, link.b)}")
    for node in plan.nodes:
        if node.name not in neighbours:
            tree.add(f"{node.name} ({node.blade}) [dim]without a link[/dim]{_at(hosts, node.name)}")
    return tree


def _layers(
    plan: Plan, neighbours: Mapping[str, list[tuple[str, PlannedLink]]], hosts: Mapping[str, str]
) -> Tree:
    height = {switch.name: switch.level for switch in plan.switches}
    nodes = {node.name: node for node in plan.nodes}
    top = max((switch.name for switch in plan.switches), key=height.__getitem__, default="")
    seen = {top}

    def grow(branch: Tree, name: str) -> None:
        below = [(peer, link) for peer, link in neighbours[name] if peer not in seen]
        seen.update(peer for peer, _ in below)
        others = [p for p, _ in neighbours[name] if p in seen and p not in nodes]
        leaves = 0
        for peer, link in below:
            leaves += peer in nodes
            if peer in nodes and leaves > MOST_NODES_A_SWITCH:
                continue
            inner = branch.add(f"{_label(plan, nodes, peer, link)}{_at(hosts, peer)}")
            if peer not in nodes:
                grow(inner, peer)
        if leaves > MOST_NODES_A_SWITCH:
            branch.add(f"... {leaves - MOST_NODES_A_SWITCH} more nodes")
        parents = [p for p in others if height.get(p, 0) > height.get(name, 0)]
        if len(parents) > 1:
            branch.add(f"[dim]up to {', '.join(parents)}[/dim]")

    tree = Tree(f"[bold]{top or plan.name}[/bold]{_at(hosts, top)}")
    if top:
        grow(tree, top)
    return tree


def _mesh(
    plan: Plan, neighbours: Mapping[str, list[tuple[str, PlannedLink]]], hosts: Mapping[str, str]
) -> Tree:
    """Return all switches below each other, each with the links that lead on to later ones."""
    nodes = {node.name: node for node in plan.nodes}
    tree = Tree(f"[bold]{plan.name}[/bold]")
    seen: set[str] = set()
    for switch in plan.switches:
        seen.add(switch.name)
        branch = tree.add(f"[bold]{switch.name}[/bold]{_at(hosts, switch.name)}")
        leaves = [one for one in neighbours[switch.name] if one[0] in nodes]
        for peer, link in leaves[:MOST_NODES_A_SWITCH]:
            branch.add(f"{_label(plan, nodes, peer, link)}{_at(hosts, peer)}")
        if len(leaves) > MOST_NODES_A_SWITCH:
            branch.add(f"... {len(leaves) - MOST_NODES_A_SWITCH} more nodes")
        for peer, link in neighbours[switch.name]:
            if peer not in nodes and peer not in seen:
                branch.add(f"to {_label(plan, nodes, peer, link)}")
    return tree


def _at(hosts: Mapping[str, str], name: str) -> str:
    """Return on which host a part is simulated, nothing when there is one only."""
    return f" [cyan]@{hosts[name]}[/cyan]" if name in hosts else ""


def _label(plan: Plan, nodes: Mapping[str, PlannedNode], name: str, link: PlannedLink) -> str:
    """Return a name as it stands in the tree, with the link above it."""
    text = f"[bold]{name}[/bold]" if name not in nodes else f"{name} ({nodes[name].blade})"
    time = target_time(link.latency_cycles, plan.clock_hz)
    return (
        f"{text} [dim]{link.latency_cycles:,} cycles = {time}, {link.bandwidth_gbps:g} Gb/s[/dim]"
    )
