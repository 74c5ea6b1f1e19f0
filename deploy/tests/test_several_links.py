# SPDX-License-Identifier: BSD-3-Clause
"""Nodes with several links: ports, addresses, tables, and what the description says of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import firesim_software
from firesim.build.part_models import functional_parts
from firesim.build.rtl_blade import load_blade
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.topology.describe import NodeFiles, description
from firesim.topology.named import named_topology
from firesim.topology.peers import peers
from firesim.topology.plan import Plan
from firesim.topology.shape import End, Shape
from firesim_software.devicetree import nodes

Load = Callable[..., Loaded]
BLADE = "rocket-1-two-links"
GRAPH = """
system:
  topology:
    nodes: [a, b, c]
    switches: [s, t]
    links: [[a, s], ["b:1", s], [c, s], [a, t], ["c:2", t], ["b:0", "c:1"]]
  link: {latency_cycles: 300}
  links: {"b:0--c:1": {latency_cycles: 77, bandwidth_gbps: 100}}
  node: {blade: rocket-1-two-links}
  nodes:
    a: {more_macs: ["02:00:00:00:00:01"]}
workload:
  node: {program: links, args: ["peer0=${c.mac2}", "peer1=${a.mac1}"]}
"""
"""An end without a port has the lowest one that no link says."""
PLANES = """
system:
  topology: planes_2_2
  node: {blade: rocket-1-two-links, memory: {size_mib: 16}}
workload:
  node: {program: links}
  nodes:
    node0: {args: [role=client, count=3, "peer0=${node1.mac0}", "peer1=${node1.mac1}"]}
    node1: {args: [role=server]}
simulation: {engine: functional}
"""
DELAY_CYCLES = 528
"""Whole polling periods of the program on functional nodes."""
LATE = f"""
system.links={{"node0--tor1": {{faults: {{rules: [
  {{fault: delay, cycles: {DELAY_CYCLES}, sender: node0, probability: 1}}]}}}}}}
"""


def plan_of(text: str = GRAPH) -> Plan:
    return resolve(load_text(text))


def test_ends_without_a_port_have_the_lowest_free_ones() -> None:
    shape = Shape(["a", "b"], ["s"], [("a:1", "s"), ("a", "s"), ("a", "b"), ("b:3", "s")])
    a, b = shape.ports["a"], shape.ports["b"]
    assert list(a.items()) == [(0, End("s", 1)), (1, End("s", 0)), (2, End("b", 0))]
    assert list(b.items()) == [(0, End("a", 2)), (3, End("s", 2))]
    assert shape.neighbours["s"] == ["a", "a", "b"]


def test_each_link_has_an_address_a_latency_and_a_rate_of_its_own() -> None:
    plan = plan_of()
    a, b, c = plan.nodes
    assert a.macs == ("00:12:6D:00:00:02", "02:00:00:00:00:01")
    assert (a.ips, c.ips) == (("172.16.0.2", "10.1.0.2"), ("172.16.0.4", "10.1.0.4", "10.2.0.4"))
    assert c.macs == ("00:12:6D:00:00:04", "00:12:6D:01:00:04", "00:12:6D:02:00:04")
    assert [nic.rate for nic in b.nics] == [(1, 2), (1, 1)]
    direct = plan.links[-1]
    assert (direct.name, direct.a_port, direct.b_port) == ("b:0--c:1", 0, 1)
    assert direct.latency_cycles == 77
    assert a.args == ("peer0=00:12:6D:02:00:04", "peer1=02:00:00:00:00:01")
    assert peers(plan)["b"] == ["c", "a"]


def test_switches_know_the_links_that_they_reach_and_no_others() -> None:
    s, t = plan_of().switches
    assert s.table == {"00:12:6D:00:00:02": 0, "00:12:6D:01:00:03": 1, "00:12:6D:00:00:04": 2}
    assert t.table == {"02:00:00:00:00:01": 0, "00:12:6D:02:00:04": 1}
    assert (s.flood_ports, t.flood_ports) == ((0, 1, 2), (0, 1))


def test_planes_reach_every_node_and_not_each_other(load: Load) -> None:
    plan = resolve(load("planes_3_5"))
    for number, switch in enumerate(plan.switches):
        assert switch.table == {node.macs[number]: node.index for node in plan.nodes}
        assert switch.flood_ports == (0, 1, 2, 3, 4)
    assert {len(node.macs) for node in plan.nodes} == {3}
    assert len(named_topology("planes_3_5").links) == 15


def test_a_gateway_is_known_where_it_is_reached() -> None:
    text = GRAPH.replace("  link: {", "  gateway: {switch: s, ssh: false}\n  link: {")
    s, t = plan_of(text).switches
    assert "00:12:6D:FF:FF:FE" in s.table and "00:12:6D:FF:FF:FE" not in t.table


def test_faults_know_the_ports_of_a_node() -> None:
    rule = '{fault: drop, frames: [1], match: {destination: "c:2"}}'
    text = GRAPH.replace(
        "{latency_cycles: 77", f"{{faults: {{rules: [{rule}]}}, latency_cycles: 77"
    )
    told = plan_of(text).links[-1].faults["a_to_b"]
    assert told["log"] == "faults/b.0-to-c.1.csv"
    assert told["rules"][0]["match"]["destination"] == "00:12:6D:02:00:04"


def test_the_description_has_a_nic_for_each_port_those_without_a_link_too(tmp_path: Path) -> None:
    plan = plan_of()
    blade = load_blade(BLADE)
    rtl = NodeFiles(blade.bridges, [], [], 1, links=[part.link_bridge for part in blade.link_parts])
    files = {"a": rtl, "b": rtl, "c": NodeFiles({"nic"}, [], [], 1, links=[None] * 4)}
    told = description(plan, files, tmp_path, 1)["nodes"]
    assert [one["bridge"] for one in told[0]["bridges"]["nic"]] == ["nic_bridge", "nic1_bridge"]
    assert [one["mac"] for one in told[0]["bridges"]["nic"]] == list(plan.nodes[0].macs)
    assert told[1]["bridges"]["nic"][0]["rate_period"] == 2
    assert [one["mac"] for one in told[2]["bridges"]["nic"]][3] == "00:12:6D:03:00:04"
    one = NodeFiles({"nic"}, [], [], 1)
    told = description(plan, {**files, "a": one}, tmp_path, 1)["nodes"]
    assert told[0]["bridges"]["nic"] == {
        "port": 0, "mac": "00:12:6D:00:00:02", "rate_increment": 1, "rate_period": 1,
    }  # fmt: skip


def test_the_device_tree_has_the_address_of_each_nic(tmp_path: Path) -> None:
    from firesim.build.rtl_device_tree import device_tree_source

    source = tmp_path / "blade.dts"
    source.write_text(device_tree_source(load_blade(BLADE)))
    macs = ["00:12:6D:00:00:02", "00:12:6D:01:00:02"]
    blob = firesim_software.device_tree(
        source, memory_bytes=1 << 24, bootargs="", mac=macs[0], more_macs=macs[1:]
    )
    found = [
        node.properties["local-mac-address"].hex(":").upper()
        for node in nodes(blob)
        if "local-mac-address" in node.properties
    ]
    assert found == macs


def test_the_second_nic_is_a_part_with_a_place_of_its_own() -> None:
    parts = functional_parts(load_blade(BLADE))
    nics = [(one["name"], one["at"], one["interrupt"]) for one in parts if one["kind"] == "nic"]
    assert nics == [("nic", 0x6000_2000, 3), ("nic1", 0x6000_8000, 8)]


def test_frames_that_are_late_at_one_port_change_nothing_at_the_other(results_root: Path) -> None:
    even, late = (run(load_text(PLANES, more)) for more in ([], [LATE.strip()]))
    again = run(load_text(PLANES, [LATE.strip(), "simulation.threads=1"]))
    assert again.result["token_hash"] == late.result["token_hash"] != even.result["token_hash"]
    trips = [
        re.findall(r"port=(.) seq=. rtt_cycles=(.*)", (one.folder / "node0/uart.log").read_text())
        for one in (even, late)
    ]
    more = [(port, int(slow) - int(fast)) for (port, fast), (_, slow) in zip(*trips, strict=True)]
    assert more == [("0", 0)] * 3 + [("1", DELAY_CYCLES)] * 3
    assert [log.name for log in (late.folder / "faults").iterdir()] == ["node0-to-tor1.csv"]
