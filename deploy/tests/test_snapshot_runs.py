# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots of real runs: going on from one ends as if the run had never been stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from firesim.cli.main import app
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.run.control import ask
from firesim.run.restart import resumed
from firesim.snapshots.files import snapshots_of
from firesim.snapshots.restart import restart_from
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from firesim.work.folder import load_simulator
from typer.testing import CliRunner

from regression.support.waiting import simulating, until

RUNNER = CliRunner()
COMMAND = [sys.executable, "-m", "firesim.cli.main"]
LIMIT_S = 120.0
CONFIG = """\
name: saved
system: {topology: two_nodes, node: {memory: {size_mib: 16}}}
workload: quickstart
simulation: {engine: functional, max_cycles: 100000000, status_interval_s: 0.05}
"""
LINUX = """\
name: linux
system: {topology: TOPOLOGY}
workload: {node: {linux: linux-base}}
simulation: {engine: functional, status_interval_s: 0.05}
"""
BOOTED_CYCLE = 30_000_000


@contextmanager
def running(config: Path, results: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a run by the command line; end it by Ctrl-C when the body is done."""
    words = [*COMMAND, "runworkload", "-c", str(config), "--results", str(results)]
    manager = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        simulating(results, LIMIT_S)
        yield manager
        if manager.poll() is None:
            manager.send_signal(signal.SIGINT)
        manager.communicate(timeout=LIMIT_S)
    finally:
        manager.kill()
        manager.communicate()


def hash_of(outcome: Outcome) -> tuple[object, object]:
    """Return what two equal runs have in common."""
    assert outcome.exit_status == 0, outcome.message
    return outcome.result["token_hash"], outcome.result["end_cycle"]


def going_on_from(snapshot: Path) -> Callable[[Plan], Restart]:
    """Return what `run` asks for the snapshot to start from."""
    return lambda plan: restart_from(str(snapshot), plan, None)


def test_going_on_is_never_having_stopped(results_root: Path) -> None:
    whole = hash_of(run(load_text(CONFIG)))
    saved = run(load_text(CONFIG, ["simulation.snapshots.at_cycles=[100000, 333333, 600001]"]))
    assert hash_of(saved) == whole
    found = snapshots_of(saved.folder)
    assert [each.name for each in found] == ["cycle-100000", "cycle-333333", "cycle-600001"]
    for each in found:
        again = run(load_text(CONFIG), restart=going_on_from(each.path))
        assert hash_of(again) == whole
        assert again.start_cycle == each.cycle


def test_a_run_that_lost_its_process_goes_on(tmp_path: Path, results_root: Path) -> None:
    longer = CONFIG.replace(
        "workload: quickstart",
        "workload: {base: quickstart, nodes: {node0: {args: ['role=client', "
        "'peer=${node1.mac}', 'count=1000', 'bytes=262144']}}}",
    )
    whole = hash_of(run(load_text(longer)))
    config, results = tmp_path / "run.yaml", tmp_path / "out"
    config.write_text(longer.replace("status_", "snapshots: {interval_cycles: 200000}, status_"))
    with running(config, results) as manager:
        until(lambda: len(snapshots_of(results)) > 0, "an automatic snapshot", LIMIT_S)
        record = load_simulator(results)
        assert record is not None
        os.kill(record.pid, signal.SIGKILL)
        manager.communicate(timeout=LIMIT_S)
    assert len(snapshots_of(results)) <= 3
    loaded, restart = resumed(results, ["simulation.threads=1"], pytest.fail)
    assert restart.snapshot == snapshots_of(results)[-1].path
    assert loaded.config.simulation.threads == 1
    again = run(loaded, restart=lambda plan: restart)
    assert hash_of(again) == whole


def cut(file: Path) -> None:
    """Take the end of a file away."""
    os.truncate(file, file.stat().st_size // 2)


def change(file: Path) -> None:
    """Change a byte in the middle of a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("name", "spoil", "said"),
    [
        ("snapshot.json", cut, "snapshot.json: found a damaged file"),
        ("node0.state", cut, "the file node0.state has "),
        ("node1.memory.region", change, "the file node1.memory.region has been changed"),
        ("links.state", Path.unlink, "the file links.state is missing"),
        ("snapshot.json", Path.unlink, "found no snapshot.json, expected a complete snapshot"),
    ],
)
def test_a_damaged_snapshot_costs_one_interval(
    results_root: Path, name: str, spoil: Callable[[Path], None], said: str
) -> None:
    at = "simulation.snapshots.at_cycles=[100000, 333333]"
    lost = run(load_text(CONFIG, [at, "simulation.max_cycles=400000"]))
    first, second = snapshots_of(lost.folder)
    spoil(second.path / name)
    heard: list[str] = []
    loaded, restart = resumed(lost.folder, ["simulation.max_cycles=100000000"], heard.append)
    assert restart.snapshot == first.path
    assert len(heard) == 1 and said in heard[0]
    assert heard[0].endswith("; going on from cycle-100000, cycle 100,000")
    assert hash_of(run(loaded, restart=lambda plan: restart)) == ("b79643426619b78e", 651_153)


def test_a_snapshot_that_was_being_removed_is_not_missed(results_root: Path) -> None:
    at = "simulation.snapshots.at_cycles=[100000, 333333]"
    lost = run(load_text(CONFIG, [at, "simulation.max_cycles=400000"]))
    first, second = snapshots_of(lost.folder)
    (first.path / "snapshot.json").unlink()
    heard: list[str] = []
    _, restart = resumed(lost.folder, ["simulation.max_cycles=100000000"], heard.append)
    assert (restart.snapshot, heard) == (second.path, [])


def test_a_running_cluster_is_saved_on_request(tmp_path: Path, results_root: Path) -> None:
    config, results = tmp_path / "run.yaml", results_root / "live"
    config.write_text(LINUX.replace("TOPOLOGY", "two_nodes"))
    with running(config, results):
        until(lambda: ask(results, {"command": "status"})["ok"], "an answer", LIMIT_S)
        done = RUNNER.invoke(app, ["snapshot", "save", "booted"])
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith("saved booted at cycle ")
        twice = RUNNER.invoke(app, ["snapshot", "save", "booted"])
        assert twice.exit_code == 2 and 'found "booted"' in twice.stderr
    assert "booted" in RUNNER.invoke(app, ["snapshot", "list"]).stdout
    assert not (results / "control.sock").exists()


def test_one_booted_node_becomes_four(results_root: Path) -> None:
    limit = f"simulation.max_cycles={BOOTED_CYCLE + 1}"
    at = f"simulation.snapshots.at_cycles=[{BOOTED_CYCLE}]"
    run(load_text(LINUX.replace("TOPOLOGY", "rack_1"), [limit, at]))
    clones = load_text(
        LINUX.replace("TOPOLOGY", "rack_4"), [f"simulation.max_cycles={BOOTED_CYCLE * 2}"]
    )
    name = f"cycle-{BOOTED_CYCLE}"
    outcome = run(clones, restart=lambda plan: restart_from(name, plan, 4))
    nodes = json.loads((outcome.folder / "description.json").read_text())["nodes"]
    assert [node["restore_from"] for node in nodes] == ["node0"] * 4
    for node in outcome.plan.nodes:
        log = (outcome.folder / node.name / "uart.log").read_text()
        assert f"firesim-agent: this is {node.name}" in log, outcome.message
