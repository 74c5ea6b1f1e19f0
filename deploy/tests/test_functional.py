# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of functional nodes end to end: bare-metal programs and Linux, exact to the token."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from firesim.pipeline.load import load_file, load_text
from firesim.pipeline.run import run
from firesim.report.console import round_trips
from firesim.results.outcome import Outcome
from firesim.topology.plan import Plan
from firesim_common.paths import ROOT

BARE_METAL = """\
name: functional
system: {topology: two_nodes, node: {memory: {size_mib: 16}}}
workload: quickstart
simulation: {engine: functional, max_cycles: 100000000, status_interval_s: 0.05}
"""
BARE_METAL_HASH = "b79643426619b78e"
SERVICE_HASH = "b83b480f9798aa48"
LINUX = """\
name: linux
system: {topology: two_nodes}
workload: {node: {linux: linux-hello}}
simulation: {engine: functional, max_cycles: 1000000000}
"""


@pytest.fixture
def no_rtl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuses to elaborate or compile RTL."""

    def refuse(design: object, *_: object, **__: object) -> Path:
        raise AssertionError(f"the RTL of {design} was asked for")

    monkeypatch.setattr("firesim.prepare.models.design_model", refuse)


def console(outcome: Outcome, node: str) -> str:
    """Return what a node printed."""
    return (outcome.folder / node / "uart.log").read_text().replace("\r", "")


@pytest.mark.parametrize(
    "overrides",
    [
        ["simulation.threads=1"],
        ["simulation.threads=2"],
        ["simulation.batch_cycles=7"],
        ["simulation.random_batch_seed=11"],
        ["simulation.captures=true"],
        ["simulation.tracing.enabled=true"],
        ["simulation.timeline.enabled=true"],
    ],
    ids=lambda overrides: overrides[0].removeprefix("simulation."),
)
def test_bare_metal_programs_have_one_hash(
    overrides: list[str], results_root: Path, no_rtl: None
) -> None:
    outcome = run(load_text(BARE_METAL, overrides))
    assert (outcome.exit_status, outcome.result["token_hash"]) == (0, BARE_METAL_HASH)
    assert len(round_trips(console(outcome, "node0"))) == 10


def test_each_core_of_a_service_answers(results_root: Path, no_rtl: None) -> None:
    """Two cores take requests from one NIC, each of them some."""
    steps = ("decompress", "deserialise", "serialise", "compress")
    server = ["role=server", "cores=2", *(f"{step}=software" for step in steps)]
    client = ["role=client", "peer=${node0.mac}", "requests=12", "items=4", "gap=2000"]
    outcome = run(
        load_text(
            BARE_METAL,
            [
                "system.nodes={node0: {blade: rocket-2}}",
                f"workload={{node: {{program: hyperscale}}, nodes: {{node0: {{args: {server}}}, "
                f"node1: {{args: {client}}}}}}}",
            ],
        )
    )
    assert outcome.exit_status == 0
    by_core = re.findall(r"^core hart=\d answered=(\d+) refused=0", console(outcome, "node0"), re.M)
    assert len(by_core) == 2 and sum(map(int, by_core)) == 12 and min(map(int, by_core)) > 0
    assert "client replies=12 lost=0 refused=0 wrong=0" in console(outcome, "node1")
    assert outcome.result["token_hash"] == SERVICE_HASH


def test_training_ends_well_with_its_defaults(results_root: Path, no_rtl: None) -> None:
    outcome = run(load_text(BARE_METAL, ["workload={node: {program: training}}"]))
    assert (outcome.exit_status, console(outcome, "node0").count("training sum=")) == (0, 2)


@pytest.mark.parametrize("key", ["cycles_per_instruction=2", "quantum_cycles=512"])
def test_the_timing_rule_is_part_of_the_result(key: str, results_root: Path, no_rtl: None) -> None:
    outcome = run(load_text(BARE_METAL, [f"simulation.functional.{key}"]))
    assert outcome.exit_status == 0
    assert outcome.result["token_hash"] != BARE_METAL_HASH


def test_a_quantum_later_is_a_quantum_later(results_root: Path, no_rtl: None) -> None:
    """Each way takes the links, the switch and the sender's quantum; the rest is software."""
    trips = {}
    for quantum in (256, 1024):
        key = f"simulation.functional.quantum_cycles={quantum}"
        trips[quantum] = round_trips(console(run(load_text(BARE_METAL, [key])), "node0"))[0][1]
    assert abs(trips[1024] - trips[256] - 2 * (1024 - 256)) < 100


@pytest.mark.parametrize(
    ("latency_cycles", "token_hash", "cycles"),
    [(4096, "cdac11e17798aefb", 4269), (9000, "572eb14af3693745", 9171)],
)
def test_a_disk_is_as_slow_as_the_node_says(
    latency_cycles: int, token_hash: str, cycles: int, results_root: Path, no_rtl: None
) -> None:
    """The first is the declaration's default (sim/bridges/block_device/bridge.yaml)."""
    disk = "workload={node: {program: block, args: [count=2, sector=1], disk_sectors: 16}}"
    setting = f"system.nodes.node0.bridges.block_device.latency_cycles={latency_cycles}"
    general = f"system.node.bridges.block_device.latency_cycles={latency_cycles}"
    outcome = run(load_text(BARE_METAL, [disk, general]))
    assert (outcome.exit_status, outcome.result["token_hash"]) == (0, token_hash)
    alone = run(load_text(BARE_METAL, [disk, setting]))
    for found, node, expected in (
        (outcome, "node1", cycles),
        (alone, "node0", cycles),
        (alone, "node1", 4269),
    ):
        assert f"write_cycles={expected} read_cycles={expected} " in console(found, node)


def test_linux_boots_says_who_it_is_and_powers_off(results_root: Path, no_rtl: None) -> None:
    hashes = set()
    for threads in (1, 2):
        outcome = run(load_text(LINUX, [f"simulation.threads={threads}"]))
        assert outcome.exit_status == 0, console(outcome, "node0")
        for name in ("node0", "node1"):
            assert f"\nhello from {name}, Linux 6.1." in console(outcome, name)
        hashes.add((outcome.result["token_hash"], outcome.result["end_cycle"]))
    assert len(hashes) == 1


def test_linux_is_told_another_command(results_root: Path, no_rtl: None) -> None:
    command = "workload.node.command=echo ${node.name} of ${nodes} beside ${node1.ip}"
    outcome = run(load_text(LINUX, [command, "system.topology=rack_2"]))
    assert outcome.exit_status == 0
    assert "\nnode0 of 2 beside 172.16.0.3\n" in console(outcome, "node0")
    said = json.loads((outcome.folder / "versions.json").read_text())["linux"]
    assert f"Linux version {said}\n" in console(outcome, "node0")  # One kernel on both nodes.


def test_a_failed_command_fails_the_node(results_root: Path, no_rtl: None) -> None:
    outcome = run(load_text(LINUX, ["workload.nodes={node1: {command: exit 3}}"]))
    codes = [node["exit_code"] for node in outcome.result["nodes"]]
    assert (outcome.exit_status, codes) == (1, [0, 3])


def test_nodes_of_both_engines_meet(results_root: Path) -> None:
    outcomes = []
    for threads in (1, 2):
        overrides = ["simulation.engines={node1: rtl}", f"simulation.threads={threads}"]
        overrides.append("workload=ping")
        overrides.append("workload.nodes.node0.args=[role=client,'peer=${node1.mac}',count=2]")
        outcomes.append(run(load_text(BARE_METAL, overrides)))
    assert [outcome.exit_status for outcome in outcomes] == [0, 0]
    assert len({outcome.result["token_hash"] for outcome in outcomes}) == 1
    nodes = json.loads((outcomes[0].folder / "description.json").read_text())["nodes"]
    assert [node["kind"] for node in nodes] == ["functional", "rtl"]


@pytest.mark.parametrize("recipe", ["linux_two_nodes", "rack_linux_8"])
def test_linux_recipes_ping_and_power_off(recipe: str, results_root: Path, no_rtl: None) -> None:
    outcome = run(load_file(ROOT / f"deploy/recipes/{recipe}.yaml"))
    assert outcome.exit_status == 0, console(outcome, "node0")
    assert_pings(outcome, outcome.plan)


def assert_pings(outcome: Outcome, plan: Plan) -> None:
    """Check that every node's pings all came back."""
    for node in plan.nodes:
        assert "5 packets transmitted, 5 packets received, 0% packet loss" in console(
            outcome, node.name
        )
