# SPDX-License-Identifier: BSD-3-Clause
"""Runs with the real simulator: results, and every way in which a run can be cut short."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.summary import pace
from firesim.work.folder import ProcessRecord, is_alive, load_simulator

from regression.support.waiting import simulating, until

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"
LIMIT_S = 60.0
COMMAND = [sys.executable, "-m", "firesim.cli.main"]


@contextmanager
def running(config: Path, results: Path) -> Iterator[tuple[subprocess.Popen[str], ProcessRecord]]:
    """Start an endless run by the command line; yield the manager and the simulator's record."""
    words = [*COMMAND, "runworkload", "-c", str(config), "--results", str(results)]
    manager = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        record = simulating(results, LIMIT_S)
        assert is_alive(record)
        yield manager, record
        until(lambda: not is_alive(record), "the end of the simulator", LIMIT_S)
    finally:
        manager.kill()
        manager.communicate()


def result_of(results: Path) -> dict[str, object]:
    """Return result.json."""
    value: dict[str, object] = json.loads((results / "result.json").read_text())
    return value


def test_a_run_leaves_all_promised_files(traffic: MakeTraffic, results_root: Path) -> None:
    loaded = load_file(traffic(SHORT), ["simulation.captures=true"])
    outcome = run(loaded)
    assert (outcome.exit_status, outcome.reason) == (0, "ended")
    assert outcome.folder.parent == results_root
    found = {str(p.relative_to(outcome.folder)) for p in outcome.folder.rglob("*") if p.is_file()}
    assert found >= {
        "config.yaml",
        "description.json",
        "versions.json",
        "status.jsonl",
        "result.json",
        "run.log",
        "tor0/ports.json",
        "tor0/throughput.csv",
        "tor0/capture.pcapng",
    }
    assert ".reserve" not in found
    assert outcome.result["links"][0]["a_to_b"]["packets"] == 10


def test_the_same_run_twice_has_one_hash(traffic: MakeTraffic, results_root: Path) -> None:
    config = traffic(SHORT)
    hashes = set()
    for overrides in ([], ["simulation.threads=2"], ["simulation.batch_cycles=7"]):
        hashes.add(run(load_file(config, overrides)).result["token_hash"])
    assert len(hashes) == 1
    again = next(iter(results_root.iterdir())) / "config.yaml"
    assert {run(load_file(again)).result["token_hash"]} == hashes


def test_a_cycle_limit_ends_the_run(traffic: MakeTraffic, results_root: Path) -> None:
    outcome = run(load_file(traffic(ENDLESS), ["simulation.max_cycles=5000"]))
    assert outcome.reason == "max_cycles"
    assert outcome.result["end_cycle"] == 5000


@pytest.mark.parametrize(
    "numbers", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGTERM, signal.SIGTERM, signal.SIGHUP]]
)
def test_a_signal_ends_the_run_with_results(
    numbers: list[signal.Signals], traffic: MakeTraffic, tmp_path: Path
) -> None:
    results = tmp_path / "out"
    with running(traffic(ENDLESS), results) as (manager, _):
        for number in numbers:
            manager.send_signal(number)
            time.sleep(0.01)  # Else one of two equal signals is lost.
        output, _ = manager.communicate(timeout=LIMIT_S)
    assert manager.returncode == 130, output
    assert result_of(results)["reason"] == "interrupted"
    assert (results / "report.html").is_file()


def test_a_killed_simulator_is_reported(traffic: MakeTraffic, tmp_path: Path) -> None:
    results = tmp_path / "out"
    with running(traffic(ENDLESS), results) as (manager, record):
        os.kill(record.pid, signal.SIGKILL)
        output, _ = manager.communicate(timeout=LIMIT_S)
    assert manager.returncode == 3, output
    assert "firesim-sim ended with signal 9 (SIGKILL) before it wrote its results" in output
    assert result_of(results)["reason"] == "error"
    assert (results / "report.html").is_file()


def test_a_killed_manager_leaves_no_simulator(traffic: MakeTraffic, tmp_path: Path) -> None:
    results = tmp_path / "out"
    with running(traffic(ENDLESS), results) as (manager, record):
        manager.kill()
        until(lambda: not is_alive(record), "the end of the simulator", LIMIT_S)
    assert result_of(results)["reason"] == "interrupted"


def test_kill_ends_exactly_this_run(traffic: MakeTraffic, tmp_path: Path) -> None:
    config = traffic(ENDLESS)
    with running(config, tmp_path / "other") as (other_manager, other):
        with running(config, tmp_path / "out") as (manager, _):
            done = subprocess.run(
                [*COMMAND, "kill", str(tmp_path / "out")],
                capture_output=True,
                text=True,
                check=True,
            )
            output, _ = manager.communicate(timeout=LIMIT_S)
        assert done.stdout == f"ended {tmp_path / 'out'}\n"
        assert manager.returncode == 130, output
        assert is_alive(other)
        other_manager.send_signal(signal.SIGINT)


def test_a_full_disk_leaves_results(traffic: MakeTraffic, tmp_path: Path) -> None:
    config, disk = traffic(ENDLESS), tmp_path / "disk"
    disk.mkdir()
    command = [*COMMAND, "runworkload", "-c", str(config), "--results", str(disk / "out")]
    command += ["-x", "simulation.captures=true"]
    # The small disk exists only in a name space, so its results are copied out before it goes.
    script = 'mount -t tmpfs -o size=8m tmpfs "$0" || exit 77; "$@"; status=$?; '
    script += 'cp -r "$0/out" "$0/../copy"; exit $status'
    words = ["unshare", "-Urm", "sh", "-c", script, str(disk), *command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("this host allows no mount name spaces")
    assert done.returncode == 3, done.stdout + done.stderr
    copy = tmp_path / "copy"
    result = result_of(copy)
    assert result["reason"] == "error"
    message = str(result["message"])
    assert "No space left on device" in message or "is full" in message
    record = load_simulator(copy)
    assert record is not None and not is_alive(record)


def test_a_run_may_outrun_real_time() -> None:
    assert pace(0.5) == "2.0 times faster"
    assert pace(1.26) == "1.3 times slower"
    assert pace(1234.4) == "1,234 times slower"
