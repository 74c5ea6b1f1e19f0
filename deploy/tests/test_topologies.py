# SPDX-License-Identifier: BSD-3-Clause
"""Named topologies have the promised shape; tables reach every node on shortest paths."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations

import networkx as nx
import pytest
import yaml
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.topology.named import named_topology
from firesim.topology.plan import Plan
from firesim.topology.shape import Shape

Load = Callable[..., Loaded]

SIZES = [
    ("two_nodes", 2, 1, 2),
    ("rack_8", 8, 1, 8),
    ("tree_2_8", 16, 3, 18),
    ("tree_2_3_4", 24, 9, 32),
    ("clos_2_8_2", 16, 4, 20),
    ("clos_8_8_16", 128, 24, 256),
    ("fat_tree_4ary", 16, 20, 48),
    ("ring_8_2", 16, 8, 24),
    ("ring_2_1", 2, 2, 3),
    ("mesh_3_4_1", 12, 12, 29),
    ("torus_4_4_1", 16, 16, 48),
    ("torus_2_3_2", 12, 6, 21),
]


LAYERED = ["two_nodes", "tree_2_2_3", "clos_3_4_3", "fat_tree_4ary"]
GRIDS = ["ring_7_2", "mesh_3_4_1", "torus_4_4_1", "torus_2_3_2"]


@pytest.mark.parametrize(("name", "nodes", "switches", "links"), SIZES)
def test_size(name: str, nodes: int, switches: int, links: int) -> None:
    shape = named_topology(name)
    assert (len(shape.nodes), len(shape.switches), len(shape.links)) == (nodes, switches, links)


def test_every_switch_of_a_fat_tree_has_as_many_ports_as_its_arity(load: Load) -> None:
    plan = resolve(load("fat_tree_4ary"))
    assert {len(switch.ports) for switch in plan.switches} == {4}


def hops(plan: Plan, source: str, target: str) -> int:
    """Follow the tables from a node to another; return the number of links crossed."""
    switches = {switch.name: switch for switch in plan.switches}
    link = next(link for link in plan.links if source in (link.a, link.b))
    here, count = (link.b if link.a == source else link.a), 1
    while here != target:
        assert count < 64, f"no way from {source} to {target}"
        switch = switches[here]
        here = switch.ports[switch.table[plan.node(target).mac]].peer
        count += 1
    return count


def check_tables(plan: Plan, shape: Shape) -> None:
    """Check that every table leads every node to every other on a shortest path."""
    graph = nx.Graph(shape.links)
    for source in shape.nodes:
        lengths = nx.single_source_shortest_path_length(graph, source)
        for target in shape.nodes:
            if target != source:
                assert hops(plan, source, target) == lengths[target]


@pytest.mark.parametrize("name", [*LAYERED, *GRIDS])
def test_tables_follow_shortest_paths(name: str, load: Load) -> None:
    check_tables(resolve(load(name)), named_topology(name))


def test_roots_of_a_clos_share_the_load_evenly(load: Load) -> None:
    plan = resolve(load("clos_2_8_2"))
    tor = next(switch for switch in plan.switches if switch.name == "tor0")
    assert [list(tor.table.values()).count(port) for port in (8, 9)] == [4, 4]


def flooded(plan: Plan, source: str) -> dict[str, int]:
    """Return how many copies of a broadcast from `source` reach each node."""
    switches = {switch.name: switch for switch in plan.switches}
    link = next(link for link in plan.links if source in (link.a, link.b))
    arrived: dict[str, int] = {}
    moving = [(source, link.b if link.a == source else link.a)]
    for _ in range(10_000):
        if not moving:
            return arrived
        came_from, here = moving.pop()
        if here not in switches:
            arrived[here] = arrived.get(here, 0) + 1
            continue
        ports = switches[here].ports
        peers = [ports[port].peer for port in switches[here].flood_ports]
        moving += [(here, peer) for peer in peers if peer != came_from]
    raise AssertionError("the broadcast never ends")


@pytest.mark.parametrize("name", [*LAYERED, *GRIDS])
def test_a_broadcast_reaches_every_other_node_once(name: str, load: Load) -> None:
    plan = resolve(load(name))
    for node in plan.nodes:
        others = {other.name: 1 for other in plan.nodes if other is not node}
        assert flooded(plan, node.name) == others


def random_graph(seed: int) -> str:
    """Return a configuration of a random graph of switches, often a tree, with nodes anywhere."""
    source = random.Random(seed)
    switches = [f"s{i}" for i in range(source.randint(1, 9))]
    links = [[switches[i], switches[source.randrange(i)]] for i in range(1, len(switches))]
    more = [list(pair) for pair in combinations(switches, 2)]
    more = [pair for pair in more if pair not in links and pair[::-1] not in links]
    links += source.sample(more, min(len(more), source.choice([0, 1, 3, 12])))
    nodes = [f"n{i}" for i in range(source.randint(1, 12))]
    links += [[node, source.choice(switches)] for node in nodes]
    source.shuffle(links)
    graph = {"nodes": nodes, "switches": switches, "links": links}
    system = {"topology": graph, "node": {"blade": "traffic", "traffic": "/dev/null"}}
    return yaml.safe_dump({"system": system})


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # The traffic file is not read by these passes, only looked for.
    monkeypatch.setattr("pathlib.Path.is_file", lambda path: True)
    loaded = load_text(random_graph(seed), name="random")
    topology = loaded.config.system.topology
    links = [(a, b) for a, b in topology.links or []]
    shape = Shape(list(topology.nodes or []), list(topology.switches or []), links)
    plan = resolve(loaded)
    print(f"seed {seed}")
    check_tables(plan, shape)
    for node in plan.nodes:
        assert flooded(plan, node.name) == {o.name: 1 for o in plan.nodes if o is not node}
