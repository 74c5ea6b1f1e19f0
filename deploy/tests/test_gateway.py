# SPDX-License-Identifier: BSD-3-Clause
"""The gateway in a plan: reachable from everywhere, one broadcast domain, mistakes refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from firesim.config.loaded import Loaded
from firesim.pipeline.resolve import resolve
from firesim.topology.describe import description
from firesim.topology.passes.gateway import MAC
from firesim.topology.plan import Plan
from firesim_common.errors import InputError

Load = Callable[..., Loaded]

TOPOLOGIES = ["two_nodes", "rack_8", "tree_2_2_2", "clos_3_2_4", "fat_tree_4ary"]


def hops_to_gateway(plan: Plan, source: str) -> int:
    """Follow the tables from a node to the gateway; return the number of links crossed."""
    switches = {switch.name: switch for switch in plan.switches}
    here, count = next(link.b for link in plan.links if link.a == source), 1
    while here != "gateway":
        assert count < 64, f"no way from {source} to the gateway"
        here = switches[here].ports[switches[here].table[MAC]].peer
        count += 1
    return count


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_node_reaches_the_gateway_at_the_topmost_switch(name: str, load: Load) -> None:
    plan = resolve(load(name, "system.gateway={}"))
    home = plan.links[-1].b
    assert plan.links[-1].name == f"gateway--{home}"
    assert plan.links[-1].latency_cycles == 100
    levels = {"two_nodes": 2, "rack_8": 2, "tree_2_2_2": 4, "clos_3_2_4": 3, "fat_tree_4ary": 4}
    for node in plan.nodes:
        assert hops_to_gateway(plan, node.name) == levels[name]


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_a_broadcast_of_the_gateway_reaches_every_node_once(name: str, load: Load) -> None:
    plan = resolve(load(name, "system.gateway={}"))
    switches = {switch.name: switch for switch in plan.switches}
    arrived: list[str] = []
    moving = [("gateway", plan.links[-1].b)]
    while moving:
        assert len(arrived) <= len(plan.nodes)
        came_from, here = moving.pop()
        if here not in switches:
            arrived.append(here)
            continue
        peers = [switches[here].ports[port].peer for port in switches[here].flood_ports]
        moving += [(here, peer) for peer in peers if peer != came_from]
    assert sorted(arrived) == sorted(node.name for node in plan.nodes)


def test_the_gateway_changes_nothing_else(load: Load) -> None:
    with_gateway = resolve(load("clos_3_2_4", "system.gateway={}"))
    without = resolve(load("clos_3_2_4"))
    assert with_gateway.nodes == without.nodes
    assert with_gateway.links[:-1] == without.links
    for before, after in zip(without.switches, with_gateway.switches, strict=True):
        assert {**after.table, MAC: 0} == {**before.table, MAC: 0}
        assert after.ports[: len(before.ports)] == before.ports


def test_the_entry_is_that_of_the_interfaces_page(load: Load) -> None:
    loaded = load(
        "two_nodes",
        "system.gateway={switch: tor0, latency_cycles: 7, outgoing: true, poll_cycles: 9}",
        "system.gateway.forwards=[{node: node1, port: 80, host_port: 8080, name: http}]",
    )
    plan = resolve(loaded)
    found = description(plan, {}, loaded.folder, 1)
    # Traffic nodes have no ssh, so only the forward asked for is there.
    assert found["nodes"][-1] == {
        "name": "gateway",
        "kind": "gateway",
        "mac": MAC,
        "ip": "172.16.255.254/16",
        "mode": "user",
        "forwards": [
            {
                "name": "http",
                "node": "node1",
                "ip": "172.16.0.3",
                "port": 80,
                "host": "127.0.0.1",
                "host_port": 8080,
            }
        ],
        "outgoing": True,
        "status": "gateway.json",
        "poll_cycles": 9,
        "real_time_ratio": 1.0,
    }
    assert found["links"][-1] == {
        "name": "gateway--tor0",
        "a": {"model": "gateway", "port": 0},
        "b": {"model": "tor0", "port": 2},
        "latency_cycles": 7,
    }


@pytest.mark.parametrize(
    ("gateway", "message"),
    [
        ("{switch: tor1}", 'found "tor1", expected one of the switches "tor0"'),
        ("{forwards: [{node: node9, port: 1}]}", 'found "node9", expected one of the nodes'),
        ("{mode: tap}", 'found mode "tap" without a device, expected its name, such as tap0.'),
        ("{device: tap0}", 'found a device in mode "user", expected one only in mode "tap".'),
        (
            "{forwards: [{node: node0, port: 1, host: here}]}",
            'found "here", expected an IPv4 address such as 127.0.0.1.',
        ),
        ("{poll: 1}", "poll_cycles"),
    ],
)
def test_mistakes_are_refused(gateway: str, message: str, load: Load) -> None:
    with pytest.raises(InputError) as error:
        resolve(load("two_nodes", f"system.gateway={gateway}"))
    assert message in str(error.value)


def test_a_node_may_not_have_the_gateways_name_or_address(load: Load) -> None:
    with pytest.raises(InputError, match="which is the gateway's, expected another"):
        resolve(load("two_nodes", "system.gateway={}", f'system.nodes.node1.mac="{MAC}"'))
