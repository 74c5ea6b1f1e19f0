# SPDX-License-Identifier: BSD-3-Clause
"""Engines, Linux jobs and snapshots: from configuration to description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from firesim.build import blade_tree
from firesim.build.rtl import blade_rtl
from firesim.build.rtl_blade import blade_names, load_blade
from firesim.build.rtl_device_tree import device_tree_source
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.prepare.kernel_words import command_line
from firesim.topology.describe import NodeFiles, Restart, description
from firesim.topology.describe_load import Load
from firesim.topology.identity import identity, random_seed
from firesim.topology.plan import Plan
from firesim.units import seconds_of
from firesim_common.errors import InputError
from firesim_software.linux import LinuxImage

MIXED = """\
system: {topology: two_nodes}
workload:
  node: {linux: linux-base, command: "ping -c 3 ${node1.ip}", args: [quiet]}
  nodes: {node1: {program: hello}}
simulation:
  engine: functional
  engines: {node1: rtl}
  functional: {cycles_per_instruction: 2, quantum_cycles: 512}
  tracing: {enabled: true}
"""
KINDS = ["uart", "nic", "memory", "tracerv", "termination", "block_device"]


def described(text: str, *overrides: str, restart: Restart | None = None) -> list[Any]:
    """Return the nodes of the description, with made-up built files."""
    loaded = load_text(text, overrides)
    plan = resolve(loaded)
    load = [Load(Path("/fw.elf"), "elf"), Load(Path("/Image"), "raw", 0x80200000)]
    model, manifest = Path("/m.so"), Path("/m.json")
    files = {
        node.name: NodeFiles(
            KINDS,
            load,
            [Path("/vmlinux"), Path("/fw.elf")],
            4,
            model=model if node.engine == "rtl" else None,
            manifest=manifest if node.engine == "rtl" else None,
            physical={Path("/vmlinux"): 0x80200000},
        )
        for node in plan.nodes
    }
    value = description(plan, files, Path("/r"), 2, restart)
    nodes: list[Any] = value["nodes"]
    return nodes


def plan_of(text: str, *overrides: str) -> Plan:
    """Return the plan of a configuration text."""
    return resolve(load_text(text, overrides))


def test_a_functional_node_is_the_contract_of_the_interfaces_page() -> None:
    node = described(MIXED, "simulation.tracing.enabled=false")[0]
    assert set(node.pop("bridges")) == {"uart", "block_device", "nic", "memory"}
    assert node == {
        "name": "node0",
        "kind": "functional",
        "cores": 4,
        "cycles_per_instruction": 2,
        "check_fence_i": False,
        "quantum_cycles": 512,
    }


def test_a_functional_node_is_traced_as_one_in_rtl() -> None:
    functional, rtl = (node["bridges"]["tracerv"] for node in described(MIXED))
    assert functional == {**rtl, "directory": "node0/trace"}
    assert functional["enabled"] is True


def test_linux_is_loaded_as_its_image_says() -> None:
    for node in described(MIXED):
        assert node["bridges"]["memory"]["load"] == [
            {"file": "/fw.elf", "format": "elf"},
            {"file": "/Image", "format": "raw", "address": 0x80200000},
        ]


def test_an_rtl_node_beside_it_keeps_model_and_trace() -> None:
    node = described(MIXED)[1]
    assert (node["kind"], node["model"], node["manifest"]) == ("rtl", "/m.so", "/m.json")
    kernel = {"file": "/vmlinux", "also_at": 0x80200000}
    assert node["bridges"]["tracerv"]["elf"] == [kernel, "/fw.elf"]


def test_only_blades_of_rtl_nodes_are_built() -> None:
    assert plan_of(MIXED).blades(lambda kind: kind.compiles_rtl) == ["rocket-1"]
    assert (
        plan_of(MIXED, "simulation.engines.node1=functional").blades(lambda kind: kind.compiles_rtl)
        == []
    )


def test_an_override_chooses_the_engine_of_all_nodes() -> None:
    plan = plan_of(MIXED, "simulation.engine=rtl")
    assert [node.engine for node in plan.nodes] == ["rtl", "rtl"]


def test_linux_has_64_mib_unless_told_otherwise() -> None:
    assert [node.memory_mib for node in plan_of(MIXED).nodes] == [64, 256]
    plan = plan_of(MIXED, "system.node.memory.timing={model: fixed, latency_cycles: 9}")
    assert [node.memory_mib for node in plan.nodes] == [64, 256]
    assert [n.memory_mib for n in plan_of(MIXED, "system.node.memory.size_mib=128").nodes] == [
        128,
        128,
    ]


def image(words: str = "", *, disk: Path | None = None, has_shell: bool = True) -> LinuxImage:
    """Return an image of which only the words of the kernel's command line matter."""
    file = Path("file")
    return LinuxImage("linux", file, file, None, disk, file, words, 64, has_shell)


def test_the_kernel_is_told_who_it_is_and_what_to_run() -> None:
    plan = plan_of(MIXED)
    assert command_line(plan, plan.nodes[0], image("console=hvc0")) == (
        "console=hvc0 quiet firesim.ip=172.16.0.2/16 firesim.name=node0 firesim.index=0 "
        'firesim.nodes=2 firesim.run="ping -c 3 172.16.0.3"'
    )


def test_a_workload_with_its_own_command_gets_none() -> None:
    text = "system: {topology: two_nodes}\nworkload: {node: {linux: linux-base}}\n"
    plan = plan_of(text)
    assert command_line(plan, plan.nodes[1], image()).endswith("firesim.nodes=2")


def test_a_shell_sets_the_addresses_of_further_links_before_init() -> None:
    text = "system: {topology: planes_3_2}\nworkload: {node: {linux: linux-base}}\n"
    plan = plan_of(text)
    words = command_line(plan, plan.nodes[1], image()).partition(" rdinit=")
    assert words[0].endswith("firesim.nodes=2")
    assert words[2] == (
        '/bin/sh -- -c "i=0;while [ $i -lt 2 ];do i=$((i+1));'
        '/usr/bin/busybox ifconfig eth$i 10.$i.0.3 netmask 255.255.0.0;done;exec /init"'
    )
    on_disk = command_line(plan, plan.nodes[0], image(disk=Path("disk")))
    assert " init=/bin/sh " in on_disk and on_disk.endswith(';exec /usr/sbin/firesim-init"')
    assert command_line(plan, plan.nodes[0], image(has_shell=False)).endswith("firesim.nodes=2")


def test_a_command_line_that_the_kernel_would_cut_is_refused() -> None:
    plan = plan_of(MIXED, f"workload.node.command={'x' * 400}")
    with pytest.raises(ValueError, match="found a kernel command line of 5.. characters"):
        command_line(plan, plan.nodes[0], image("a" * 100))


def test_random_seeds_differ_between_nodes_and_not_between_runs() -> None:
    plan, again = plan_of(MIXED), plan_of(MIXED)
    seeds = [random_seed(plan, node) for node in plan.nodes]
    assert seeds == [random_seed(again, node) for node in again.nodes]
    assert len(set(seeds)) == 2 and {len(seed) for seed in seeds} == {32}


def test_a_clone_is_told_who_it_is() -> None:
    restart = Restart(Path("/s"), 5, {"node0": "node0", "node1": "node0"})
    text = MIXED.replace("  engines: {node1: rtl}\n", "")
    nodes = described(text, restart=restart)
    assert [node["restore_from"] for node in nodes] == ["node0", "node0"]
    plan = plan_of(text)
    announced = nodes[1]["bridges"]["nic"]["announce"]
    assert announced == identity(plan, plan.nodes[1])
    assert (announced["nodes"], announced["index"]) == (2, 1) and "run" not in announced
    command = nodes[0]["bridges"]["nic"]["announce"]["run"]
    assert command == plan.nodes[0].command


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("{kind: always}", {"kind": "cycle", "start": 1100, "end": 2**63 - 1}),
        ("{kind: cycle, start: 5, end: 2000}", {"kind": "cycle", "start": 1100, "end": 2000}),
        ("{kind: cycle, start: 1500, end: 2000}", {"kind": "cycle", "start": 1500, "end": 2000}),
        ("{kind: cycle, start: 5, end: 1100}", {"kind": "none"}),
        ("{kind: pc, start: 1, end: 2}", {"kind": "pc", "start": 1, "end": 2}),
    ],
)
def test_traces_begin_after_the_warm_up(trigger: str, expected: dict[str, Any]) -> None:
    text = MIXED.replace("{enabled: true}", f"{{enabled: true, trigger: {trigger}}}")
    text += "  warm_up_cycles: 100\n"
    node = described(text, restart=Restart(Path("/s"), 1000))[1]
    assert node["bridges"]["tracerv"]["trigger"] == expected
    assert described(text)[1]["bridges"]["tracerv"]["trigger"]["kind"] == trigger[7:].split(",")[
        0
    ].strip("}")


def test_a_program_replaces_the_linux_of_a_named_workload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "base.yaml").write_text("node: {linux: linux-base, command: ls}\n")
    monkeypatch.setattr("firesim.pipeline.load.WORKLOADS", tmp_path)
    text = "system: {topology: two_nodes}\nworkload: {base: base, node: {program: hello}}\n"
    node = plan_of(text).nodes[0]
    assert (node.program, node.linux, node.command) == ("hello", None, None)
    node = plan_of(
        "system: {topology: two_nodes}\nworkload: base\n", "workload.node.program=hello"
    ).nodes[0]
    assert (node.program, node.linux, node.command) == ("hello", None, None)


@pytest.mark.parametrize("named", ["/etc/passwd", "../secret", "link"])
def test_a_named_workload_reads_no_files_elsewhere(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "workloads"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to("../secret")
    (folder / "evil.yaml").write_text(f"node: {{program: hello, disk_image: {named}}}\n")
    for module in ("pipeline.load", "config.loaded"):
        monkeypatch.setattr(f"firesim.{module}.WORKLOADS", folder)
    text = "system: {topology: two_nodes}\nworkload: evil\n"
    with pytest.raises(InputError, match=f'evil.yaml:1: .*: found "{named}", expected a file in'):
        plan_of(text)
    (folder / "evil.yaml").write_text("node: {program: hello, disk_image: own.img}\n")
    assert plan_of(text).nodes[0].disk_image == folder / "own.img"
    own = "system: {topology: two_nodes}\nworkload: {base: evil, node: {disk_image: /some/image}}\n"
    assert plan_of(own).nodes[0].disk_image == Path("/some/image")


def test_the_resolved_configuration_keeps_the_memory_of_linux() -> None:
    text = yaml.safe_dump(load_text(MIXED).resolved())
    assert plan_of(text) == plan_of(MIXED)


@pytest.mark.parametrize("name", blade_names())
def test_a_device_tree_needs_no_elaboration(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the blade was elaborated")

    monkeypatch.setattr("firesim.build.rtl.run_scala", refuse)
    tree = blade_tree.blade_device_tree(name).read_text()
    assert tree == device_tree_source(load_blade(name))


def test_both_engines_have_one_device_tree() -> None:
    elaborated = blade_rtl("rocket-1") / "blade.dts"
    assert blade_tree.blade_device_tree("rocket-1").read_text() == elaborated.read_text()


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("30s", 30), ("1.5 min", 90), ("2h", 7200)]
)
def test_wall_times(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds
