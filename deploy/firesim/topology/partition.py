# SPDX-License-Identifier: BSD-3-Clause
"""Which host simulates which part: balanced by what parts cost, with few and long links cut.

METIS (by pymetis) cuts the graph. What must stay together is one vertex of it: the ends of a link
that is too short to be cut, and all that is placed on one host by hand. The method is published:
G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs",
SIAM J. Sci. Comput. 20(1), 1998.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesim_common.errors import InputError, cut, unknown

from firesim.topology.costs import SHORTEST_CUT_CYCLES, cut_cost
from firesim.topology.plan import Plan, PlannedLink

SEED = 1
LARGEST_WEIGHT = 1_000_000
"""METIS takes whole numbers; costs are scaled so that the largest sum stays far below 2^31."""


@dataclass(frozen=True)
class Capacity:
    """What a host can take."""

    name: str
    cores: int
    memory_bytes: int


def partition(
    plan: Plan,
    hosts: Sequence[Capacity],
    costs: Mapping[str, float],
    place: str = "placement",
    clones: bool = False,
) -> dict[str, str]:
    """Return the host of each node, switch and the gateway, by name; the same for the same input.

    A host may be left without a part. `place` begins the sentence of an error. Clones of one node
    share its memory, so what they would take alone is no measure.

    Raises:
        InputError: a host that there is not, parts of different hosts that must be together, or
            one host with more than its memory.
    """
    names = [host.name for host in hosts]
    for part, host in plan.placement.parts.items():
        if host not in names:
            raise InputError(f"{place}.parts.{part}: {unknown(host, 'one of the hosts', names)}")
    groups = _groups(plan, place)
    owner = {part: index for index, group in enumerate(groups) for part in group}
    fixed = _fixed(plan, groups, names)
    chosen = _cut(plan, groups, owner, hosts, costs) if len(hosts) > 1 else [0] * len(groups)
    chosen = _by_hand(chosen, fixed, [sum(costs[part] for part in group) for group in groups])
    found = {part: names[chosen[owner[part]]] for part in plan.models()}
    if not clones:
        _check_memory(plan, hosts, found, place)
    return found


def _groups(plan: Plan, place: str) -> list[list[str]]:
    """Return the parts that must stay together, in the order of the plan."""
    together = {part: part for part in plan.models()}

    def root(part: str) -> str:
        while together[part] != part:
            together[part] = together[together[part]]  # Halves the way for the next one.
            part = together[part]
        return part

    short = [link for link in plan.links if link.latency_cycles < SHORTEST_CUT_CYCLES]
    for link in short:
        together[root(link.b)] = root(link.a)
    first_in: dict[str, str] = {}
    for part, host in plan.placement.parts.items():
        other = first_in.setdefault(root(part), part)
        if plan.placement.parts[other] != host:
            raise InputError(f"{place}.parts: {_torn(short, other, part)}")
    first_at: dict[str, str] = {}
    for part, host in plan.placement.parts.items():
        together[root(part)] = root(first_at.setdefault(host, part))
    groups: dict[str, list[str]] = {}
    for part in plan.models():
        groups.setdefault(root(part), []).append(part)
    return list(groups.values())


def _torn(short: Sequence[PlannedLink], one: str, other: str) -> str:
    """Return why two parts, joined by links that are too short to be cut, must be together."""
    neighbours: dict[str, list[PlannedLink]] = {}
    for near in short:
        neighbours.setdefault(near.a, []).append(near)
        neighbours.setdefault(near.b, []).append(near)
    came_by: dict[str, PlannedLink | None] = {one: None}
    for part in (queue := [one]):  # Breadth first: the shortest way is the one to be read.
        for near in neighbours.get(part, []):
            end = near.b if near.a == part else near.a
            if end not in came_by:
                came_by[end] = near
                queue.append(end)
    way: list[PlannedLink] = []
    part = other
    while (link := came_by[part]) is not None:
        way.insert(0, link)
        part = link.a if link.b == part else link.b
    if len(way) == 1:
        links = f"their link of {way[0].latency_cycles} cycles is shorter than"
    else:
        through = [part]
        for near in way[:-1]:
            through.append(near.b if near.a == through[-1] else near.a)
        links = f"each link between them, through {cut(', '.join(through[1:]))}, is shorter than"
    return (
        f"found {one} and {other} on different hosts, expected them together: {links} "
        f"{SHORTEST_CUT_CYCLES}{'' if len(way) == 1 else ' cycles'}."
    )


def _fixed(plan: Plan, groups: list[list[str]], names: list[str]) -> dict[int, int]:
    """Return the hosts of the groups that are placed by hand, both by index."""
    parts = plan.placement.parts
    return {
        index: names.index(parts[part])
        for index, group in enumerate(groups)
        for part in group
        if part in parts
    }


def _cut(
    plan: Plan,
    groups: list[list[str]],
    owner: Mapping[str, int],
    hosts: Sequence[Capacity],
    costs: Mapping[str, float],
) -> list[int]:
    """Return a host for each group, by index."""
    import pymetis

    weights = [sum(costs[part] for part in group) for group in groups]
    edges: dict[tuple[int, int], float] = {}
    for link in plan.links:
        a, b = sorted((owner[link.a], owner[link.b]))
        if a != b:
            edges[a, b] = edges.get((a, b), 0.0) + cut_cost(link.latency_cycles)
    if len(groups) <= len(hosts):
        return list(range(len(groups)))  # METIS wants more vertices than parts.
    xadj, adjacency, edge_weights = [0], [], []
    neighbours: list[list[tuple[int, float]]] = [[] for _ in groups]
    for (a, b), weight in edges.items():
        neighbours[a].append((b, weight))
        neighbours[b].append((a, weight))
    for found in neighbours:
        adjacency += [other for other, _ in found]
        edge_weights += [weight for _, weight in found]
        xadj.append(len(adjacency))
    cores = sum(host.cores for host in hosts)
    options = pymetis.Options()
    options.seed = SEED
    options.numbering = 0
    cut = pymetis.part_graph(
        len(hosts),
        pymetis.CSRAdjacency(xadj, adjacency),
        vweights=_whole(weights),
        eweights=_whole(edge_weights),
        tpwgts=[host.cores / cores for host in hosts],
        recursive=True,  # Better balanced than the k-way scheme, which is for many parts.
        options=options,
    )
    return [int(part) for part in cut.vertex_part]


def _whole(weights: list[float]) -> list[int]:
    """Return weights as whole numbers from 1 on, in proportion."""
    scale = LARGEST_WEIGHT / max(1.0, sum(weights))
    return [max(1, round(weight * scale)) for weight in weights]


def _by_hand(chosen: list[int], fixed: Mapping[int, int], weights: list[float]) -> list[int]:
    """Return the choice with numbers of hosts exchanged so that what is fixed is where it must be.

    The parts that METIS made are handed to hosts whole, the one of the heaviest fixed group first.
    """
    found = list(chosen)
    for group in sorted(fixed, key=lambda index: -weights[index]):
        here, there = found[group], fixed[group]
        taken = any(found[other] == fixed[other] == there for other in fixed if other != group)
        if here != there and not taken and here not in fixed.values():
            found = [{here: there, there: here}.get(host, host) for host in found]
    for group, host in fixed.items():
        found[group] = host
    return found


def _check_memory(
    plan: Plan, hosts: Sequence[Capacity], found: Mapping[str, str], place: str
) -> None:
    for host in hosts:
        nodes = [n for n in plan.nodes if found[n.name] == host.name and n.traffic is None]
        wanted = sum(node.memory_bytes for node in nodes)
        if wanted > host.memory_bytes:
            raise InputError(
                f"{place}: found {wanted / 2**30:.1f} GiB of memory for the {len(nodes)} nodes on "
                f"{host.name}, expected at most its {host.memory_bytes / 2**30:.1f} GiB: more "
                "hosts, less memory_mib, or other hosts in placement.parts."
            )
