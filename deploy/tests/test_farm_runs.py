# SPDX-License-Identifier: BSD-3-Clause
"""Runs on the hosts of a farm: the same results as here, found again, ended, never half fetched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.remote import record, simulators
from firesim.results.outcome import Outcome
from firesim.run.again import attached, listed_runs, start_and_leave
from firesim.run.attach import found_again, is_remote
from firesim.snapshots.files import snapshots_of
from firesim.snapshots.restart import restart_from
from firesim.work.folder import is_alive, record_of, saved_result
from firesim_common.errors import InputError
from rich.console import Console

from regression.support.waiting import until

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"
COMMAND = [sys.executable, "-P", "-m", "firesim.cli.main"]
LIMIT_S = 60.0
HOST_FIELDS = {"wall_s", "cpu_s", "nodes", "switches", "status", "lost", "transport"}


@pytest.fixture
def farm(tmp_path: Path) -> Callable[..., Path]:
    """Writes a farm of processes on this computer, with a folder of the test's own."""

    def make(processes: int = 2) -> Path:
        path = tmp_path / f"farm{processes}.yaml"
        folder = tmp_path / "hosts"
        path.write_text(f"kind: local\nprocesses: {processes}\nfolder: {folder}\n")
        return path

    return make


def on(farm: Path, config: Path, *overrides: str) -> Loaded:
    return load_file(config, [f'placement.run_farm="{farm}"', *overrides])


def same_target(outcome: Outcome) -> dict[str, Any]:
    """Return what of a result does not depend on the host."""
    return {key: value for key, value in outcome.result.items() if key not in HOST_FIELDS}


def left_on_hosts(farm: Path) -> list[Path]:
    """Return the runs that are still in the folders of the farm's hosts."""
    return sorted(farm.parent.glob("hosts/*/runs/*"))


def processes_of(farm: Path) -> list[int]:
    files = sorted(farm.parent.glob("hosts/*/runs/*/process.json"))
    return [int(json.loads(file.read_text())["pid"]) for file in files]


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_a_run_on_a_farm_is_the_run_of_one_process(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path, processes: int
) -> None:
    overrides = ["simulation.captures=true"]
    here = run(load_file(traffic(SHORT), overrides))
    there = run(on(farm(processes), traffic(SHORT), *overrides))
    assert (there.exit_status, there.reason) == (0, "ended")
    assert same_target(there) == same_target(here)
    for name in ("tor0/capture.pcapng", "tor0/ports.json", "tor0/throughput.csv"):
        assert (there.folder / name).read_bytes() == (here.folder / name).read_bytes()
    assert left_on_hosts(farm(processes)) == []
    assert not is_remote(there.folder)


def test_a_run_outlives_its_manager_and_is_attached_again(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path
) -> None:
    path, config = farm(), traffic(ENDLESS)
    limit = "simulation.max_cycles=2000000"
    words = [*COMMAND, "runworkload", "-c", str(config), "--farm", str(path), "-x", limit]
    manager = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: len(processes_of(path)) == 2, "the start of both processes", LIMIT_S)
    manager.kill()
    manager.wait()
    (found,) = listed_runs()
    assert not found.is_over and found.hosts == ("local0", "local1")
    outcome = attached(found.folder, Console(quiet=True))
    here = run(load_file(config, [limit]))
    assert outcome.result["token_hash"] == here.result["token_hash"]
    assert (outcome.folder / "report.html").is_file()
    assert left_on_hosts(path) == []
    again = attached(found.folder, Console(quiet=True))
    assert (again.result, again.exit_status) == (outcome.result, outcome.exit_status) != ({}, 0)


def test_a_detached_run_is_ended_with_its_results(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path
) -> None:
    path = farm()
    left = start_and_leave(on(path, traffic(ENDLESS)), None, Console(quiet=True))
    records = [record_of(pid) for pid in processes_of(path)]
    assert None not in records
    done = subprocess.run([*COMMAND, "kill"], capture_output=True, text=True, check=True)
    assert f"ended {left.folder}" in done.stdout
    assert [process for process in records if process and is_alive(process)] == []
    assert saved_result(left.folder)["reason"] == "interrupted"
    assert left_on_hosts(path) == []


@pytest.mark.parametrize("index", [0, 1])
def test_a_process_that_is_killed_ends_the_run_and_is_named(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path, index: int
) -> None:
    path = farm()
    never = "placement.resume=never"
    left = start_and_leave(on(path, traffic(ENDLESS), never), None, Console(quiet=True))
    os.killpg(processes_of(path)[index], signal.SIGKILL)
    outcome = attached(left.folder, Console(quiet=True))
    assert (outcome.exit_status, outcome.reason) == (3, "error")
    assert f"local{index}" in outcome.message
    assert processes_of(path) == [] and left_on_hosts(path) == []


def test_nobody_is_hurried_when_not_all_nodes_pass(
    traffic: MakeTraffic,
    farm: Callable[..., Path],
    results_root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first process puts all results together when the others have ended, with status 1."""
    monkeypatch.setattr(simulators, "OTHERS_S", -1.0)
    outcome = run(on(farm(), traffic(ENDLESS), "simulation.max_cycles=1000000"))
    assert (outcome.exit_status, outcome.reason) == (1, "max_cycles")
    assert outcome.result["token_hash"]


@pytest.mark.parametrize("interval_cycles", [0, 100_000])
def test_a_run_that_loses_a_process_goes_on_to_the_same_hash(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path, interval_cycles: int
) -> None:
    path, config = farm(), traffic(ENDLESS)
    snapshots = f"simulation.snapshots={{interval_cycles: {interval_cycles}}}"
    overrides = ["simulation.max_cycles=1000000", snapshots]
    here = run(load_file(config, overrides[:1]))
    left = start_and_leave(on(path, config, *overrides), None, Console(quiet=True))
    os.killpg(processes_of(path)[1], signal.SIGKILL)
    outcome = attached(left.folder, Console(quiet=True))
    assert outcome.result["token_hash"] == here.result["token_hash"], outcome
    assert outcome.exit_status == here.exit_status
    assert (outcome.folder / "before-loss-1/run-local0.log").is_file()
    assert left_on_hosts(path) == []


def test_a_run_from_a_snapshot_that_loses_a_process_begins_there_again(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path
) -> None:
    path, config = farm(), traffic(ENDLESS)
    limit = "simulation.max_cycles=1000000"
    here = run(load_file(config, [limit, "simulation.snapshots={at_cycles: [400000]}"]))
    (saved,) = snapshots_of(here.folder)
    left = start_and_leave(
        on(path, config, limit),
        None,
        Console(quiet=True),
        lambda plan: restart_from(str(saved.path), plan, None),
    )
    os.killpg(processes_of(path)[0], signal.SIGKILL)
    outcome = attached(left.folder, Console(quiet=True))
    assert (outcome.folder / "before-loss-1").is_dir()
    assert outcome.start_cycle == 400_000
    assert outcome.result["token_hash"] == here.result["token_hash"], outcome


def test_an_interrupted_start_leaves_nothing(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path
) -> None:
    path = farm()
    words = [*COMMAND, "runworkload", "-c", str(traffic(ENDLESS)), "--farm", str(path)]
    manager = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: len(processes_of(path)) == 2, "the start of both processes", LIMIT_S)
    manager.send_signal(signal.SIGINT)
    assert manager.wait(timeout=LIMIT_S) == 130
    assert left_on_hosts(path) == []


def test_a_farm_that_has_changed_is_refused(
    traffic: MakeTraffic, farm: Callable[..., Path], results_root: Path
) -> None:
    path = farm(3)
    left = start_and_leave(on(path, traffic(ENDLESS)), None, Console(quiet=True))
    text = path.read_text()
    path.write_text(text.replace("processes: 3", "processes: 1"))
    try:
        with pytest.raises(InputError, match="found no host local"):
            found_again(left.folder)
    finally:
        path.write_text(text)
        found_again(left.folder).stop()
    found = record.load(left.folder)
    assert found is not None and found.over


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: loacl\n", 'farm.yaml:1: found "loacl", expected kind "aws_ec2", "local"'),
        ("kind: local\nproceses: 2\n", 'found "proceses", expected one of the keys'),
        ("kind: ssh\nhosts: []\n", "expected at least 1 item"),
        ("kind: ssh\nhosts: [{address: a b}]\n", 'hosts[0].address: found "a b"'),
        ("kind: ssh\nhosts: [{address: a, network_address: b}]\n", "expected an IPv4 address"),
        ("kind: local\nfolder: here\n", 'folder: found "here"'),
    ],
)
def test_a_wrong_farm_file_is_refused_before_anything_starts(
    traffic: MakeTraffic, tmp_path: Path, results_root: Path, text: str, message: str
) -> None:
    path = tmp_path / "farm.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        run(on(path, traffic(SHORT)))
    assert message in str(caught.value)
    assert not results_root.exists()
