# SPDX-License-Identifier: BSD-3-Clause
"""Settings of single parts, general settings and defaults come together as documented."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from firesim.config.loaded import Loaded
from firesim.pipeline.check import check
from firesim.pipeline.load import load_file, load_text
from firesim.pipeline.resolve import resolve
from firesim.topology.describe import NodeFiles, description
from firesim.topology.describe_load import Load
from firesim_common.errors import InputError

Make = Callable[..., Loaded]

RTL = """\
system:
  topology: two_nodes
  link: {latency: 2us, bandwidth_gbps: 100}
  links:
    tor0--node1: {latency_cycles: 7}
  nodes:
    node1: {mac: "02:00:00:00:00:09", nic_bandwidth_gbps: 40, memory: {size_mib: 64}}
workload:
  node: {program: ping, args: ["count=1"]}
  nodes:
    node0: {args: ["role=client", "peer=${node1.mac}", "count=${nodes}"]}
simulation:
  autocounter: {enabled: true, trigger: {kind: instruction}}
"""


def files(name: str) -> NodeFiles:
    """Return made-up built files; describe only writes their names."""
    kinds = ["uart", "nic", "memory", "tracerv", "termination", "block_device"]
    load = [Load(Path("/e"), "elf"), Load(Path(f"/{name}"), "raw", 0x801F0000)]
    model = Path("/m")
    return NodeFiles(kinds, load, [Path("/e")], 1, model / "model.so", model / "model.json")


def test_addresses_count_up_from_the_published_prefix(load: Make) -> None:
    plan = resolve(load("rack_8"))
    assert [(node.mac, node.ip) for node in plan.nodes][:2] == [
        ("00:12:6D:00:00:02", "172.16.0.2"),
        ("00:12:6D:00:00:03", "172.16.0.3"),
    ]


def test_addresses_beyond_255_nodes(load: Make) -> None:
    plan = resolve(load("tree_4_100"))
    assert (plan.nodes[300].mac, plan.nodes[300].ip) == ("00:12:6D:00:01:2E", "172.16.1.46")


def test_single_settings_win_over_general_ones() -> None:
    plan = resolve(load_text(RTL))
    assert [link.latency_cycles for link in plan.links] == [6400, 7]
    assert [node.rate for node in plan.nodes] == [(1, 2), (1, 5)]
    assert [node.memory_mib for node in plan.nodes] == [256, 64]
    assert plan.switches[0].ports[1].rate == (1, 2)
    assert plan.switches[0].table == {"00:12:6D:00:00:02": 0, "02:00:00:00:00:09": 1}


def test_arguments_name_other_nodes() -> None:
    plan = resolve(load_text(RTL))
    assert plan.nodes[0].args == ("role=client", "peer=02:00:00:00:00:09", "count=2")
    assert plan.nodes[1].args == ("count=1",)


def test_an_override_chooses_the_other_way_to_say_a_latency() -> None:
    loaded = load_text(RTL, ["system.link.latency_cycles=50"])
    assert [link.latency_cycles for link in resolve(loaded).links] == [50, 7]


def test_an_override_of_a_named_workload() -> None:
    text = "system: {topology: two_nodes}\nworkload: ping\n"
    loaded = load_text(text, ["workload.nodes.node0.args=[count=3]"])
    plan = resolve(loaded)
    assert [node.args for node in plan.nodes] == [("count=3",), ("role=server",)]


def test_an_override_of_a_list_item() -> None:
    text = "system: {topology: {tree: {tor: [a, b]}}}\nworkload: {node: {program: hello}}\n"
    loaded = load_text(text, ["system.topology.tree.tor.1=c"])
    assert [node.name for node in resolve(loaded).nodes] == ["a", "c"]


def test_files_are_relative_to_the_file_that_names_them(
    traffic: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    plan = resolve(load_file(traffic("# none\n")))
    assert plan.nodes[0].traffic == tmp_path / "node0.traffic"


def test_the_description_is_the_contract_of_the_interfaces_page() -> None:
    loaded = load_text(RTL)
    plan = resolve(loaded)
    made = {node.name: files(node.name) for node in plan.nodes}
    value = description(plan, made, Path("/r"), 2)
    assert value["links"][1] == {
        "name": "node1--tor0",
        "a": {"model": "node1", "port": 0},
        "b": {"model": "tor0", "port": 1},
        "latency_cycles": 7,
    }
    bridges = value["nodes"][1]["bridges"]
    assert bridges["nic"] == {
        "port": 0,
        "mac": "02:00:00:00:00:09",
        "rate_increment": 1,
        "rate_period": 5,
    }
    assert bridges["memory"]["load"][1] == {
        "file": "/node1",
        "format": "raw",
        "address": 0x801F0000,
    }
    assert bridges["autocounter"]["trigger"] == {
        "kind": "instruction",
        "start": {"mask": 0xFFFFFFFF, "value": 0x8013},
        "end": {"mask": 0xFFFFFFFF, "value": 0x10013},
    }


def test_a_blade_without_a_bridge_gets_no_settings_for_it() -> None:
    loaded = load_text(RTL)
    plan = resolve(loaded)
    plain = NodeFiles(["memory"], [], [Path("/e")], 1, Path("/m"), Path("/j"))
    value = description(plan, dict.fromkeys(["node0", "node1"], plain), Path("/r"), 1)
    instruments = {"autocounter", "assert", "prints"}
    assert set(value["nodes"][0]["bridges"]) == {"memory", *instruments}


def test_the_resolved_configuration_can_be_run_again() -> None:
    loaded = load_text(RTL)
    text = yaml.safe_dump(loaded.config.model_dump(mode="json", exclude_none=True))
    again = load_text(text)
    assert again.config == loaded.config
    assert resolve(again) == resolve(loaded)


def test_all_errors_of_a_file_are_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        load_text("system:\n  topology: two_nodes\n  link: {latency_cycles: 0}\nsimulaton: {}\n")
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [
        "run.yaml:3",
        "run.yaml:4",
    ]


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("system.node.bridges.uartt.log=x", 'system.node.bridges.uartt: found "uartt"'),
        ("system.nodes.node0.bridges.uartt.a.b=1", "system.nodes.node0.bridges.uartt"),
        ("system.nods.node0.memory.size_mib=16", 'system: found "nods".*mean "nodes"'),
        ("simulation.autocouner.enabled=true", 'simulation: .*mean "autocounter"'),
    ],
)
def test_an_override_through_a_wrong_key_is_named_itself(override: str, expected: str) -> None:
    with pytest.raises(InputError, match=rf"^-x {override}: {expected}"):
        check(load_text(RTL, [override]))


def test_a_time_between_two_cycles_names_both(load: Callable[..., Loaded]) -> None:
    with pytest.raises(InputError, match="3200 cycles = 1us or 3201 cycles = 1.0003125us"):
        resolve(load("two_nodes", "system.link.latency=1.0001us"))


def test_a_whole_number_may_have_an_exponent(load: Callable[..., Loaded]) -> None:
    assert resolve(load("two_nodes", "simulation.max_cycles=2.5e6")).run.max_cycles == 2_500_000
    with pytest.raises(InputError, match="found 2.0, expected a whole number"):
        load("two_nodes", "simulation.max_cycles=2.0")
