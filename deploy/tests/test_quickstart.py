# SPDX-License-Identifier: BSD-3-Clause
"""`firesim quickstart` and its recipes, on the functional engine; what consoles said last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from firesim.cli.main import app
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.report.console import records, round_trips
from firesim.results.outcome import Outcome
from firesim.run.ahead import building_ahead
from firesim.watch.consoles import MOST_CONSOLES, MOST_SHOWN, Consoles, ConsoleTail
from firesim.work.process_tree import descendants
from firesim_common.paths import ROOT
from typer.testing import CliRunner

RUNNER = CliRunner()
FUNCTIONAL = "simulation.engine=functional"
BARE_METAL_HASH = "b79643426619b78e"
LINUX_MOST_CYCLES = 16_000_000
"""Far more than Linux needs, far less than one tick of its clock more."""


def linux_run(*overrides: str) -> Outcome:
    """Run the recipe linux_quickstart on functional nodes."""
    return run(load_file(ROOT / "deploy/recipes/linux_quickstart.yaml", [FUNCTIONAL, *overrides]))


def console(outcome: Outcome, node: str) -> str:
    """Return what a node printed."""
    return (outcome.folder / node / "uart.log").read_text()


def test_linux_nodes_ping_and_stream_exactly_and_never_idle(results_root: Path) -> None:
    ends = set()
    for overrides in (["threads=1"], ["threads=2", "random_batch_seed=5", "captures=false"]):
        outcome = linux_run(*(f"simulation.{key}" for key in overrides))
        assert outcome.exit_status == 0, console(outcome, "node0")
        ends.add((outcome.result["token_hash"], outcome.result["end_cycle"]))
    assert len(ends) == 1
    assert outcome.result["end_cycle"] < LINUX_MOST_CYCLES
    for node in ("node0", "node1"):
        text = console(outcome, node)
        assert "Linux version 6." in text and "reboot: Power down" in text
        assert [number for number, _ in round_trips(text)] == [1, 2, 3, 4, 5]
        assert all(cycles > 4 * 6400 + 2 * 10 for _, cycles in round_trips(text))
    streams = [record for record in records(console(outcome, "node1")) if record.kind == "tcp"]
    assert [stream.fields["bytes"] for stream in streams] == ["131072"]
    assert streams[0].fields["errors"] == "0"


def test_a_node_without_a_shell_says_so(results_root: Path) -> None:
    outcome = linux_run("workload.nodes.node0.command=ls -l", "simulation.end_when=first")
    codes = [node["exit_code"] for node in outcome.result["nodes"]]
    assert (outcome.exit_status, codes) == (1, [127, None])
    assert "sh: cannot run ls; this node has no shell" in console(outcome, "node0")


def test_a_command_may_be_a_path(results_root: Path) -> None:
    outcome = linux_run("workload.nodes.node1.command=/usr/bin/exchange pings=2")
    assert outcome.exit_status == 0
    assert len(round_trips(console(outcome, "node1"))) == 2


def test_quickstart_shows_both_parts(results_root: Path, tmp_path: Path) -> None:
    results = tmp_path / "out"
    done = RUNNER.invoke(app, ["quickstart", "-x", FUNCTIONAL, "--results", str(results)])
    assert done.exit_code == 0, done.output
    assert done.stdout.count(f"token hash {BARE_METAL_HASH}") == 1
    assert "\nstream of node0: 267,264 bytes in " in done.stdout
    assert "\nTCP stream of node1: 131,072 bytes in " in done.stdout
    for part in ("bare-metal", "linux"):
        report = (results / part / "report.html").read_text()
        assert f"{part}: {results / part / 'report.html'}\n" in done.stdout
        assert "Missing from this report" not in report
    # What was published of RTL does not stand beside functional nodes.
    assert '<td class="text">tcp</td>' in report and "iperf3" not in report


@pytest.mark.parametrize(("option", "recipe"), [("--bare-metal", "quickstart")])
def test_quickstart_leaves_a_part_out(option: str, recipe: str, results_root: Path) -> None:
    done = RUNNER.invoke(app, ["quickstart", option, "-x", FUNCTIONAL])
    assert done.exit_code == 0, done.output
    folders = [path.name for path in results_root.iterdir()]
    assert len(folders) == 1 and folders[0].endswith(f"-{recipe}")


def test_what_is_wrong_for_the_second_part_is_said_before_the_first(results_root: Path) -> None:
    done = RUNNER.invoke(app, ["quickstart", "-x", "system.node.memory.size_mib=16"])
    assert done.exit_code == 2
    assert 'expected at least 32 MiB for the Linux workload "linux-quickstart"' in done.stderr
    assert not results_root.exists()


def test_the_last_whole_line_of_a_console_is_followed(tmp_path: Path) -> None:
    log = tmp_path / "uart.log"
    tail = ConsoleTail(log)
    assert tail.update() == ""
    log.write_bytes(b"first\r\n\x1b[1;31msecond \x1b[0m\xff\x07\r\n\r\nthi")
    assert tail.update() == "second \ufffd\\x07"
    with log.open("ab") as stream:
        stream.write(b"rd\n")
    assert tail.update() == "third"
    assert tail.update() == "third"
    with log.open("ab") as stream:
        stream.write(("o" + "\u0301" * 100_000 + "\n").encode())  # in one place of the terminal
    assert tail.update() == "o" + "\u0301" * (MOST_SHOWN - 1)


def test_only_some_consoles_are_followed(tmp_path: Path) -> None:
    logs = {f"node{index}": tmp_path / f"{index}.log" for index in range(100)}
    for path in logs.values():
        path.write_text(f"hello from {path.stem}\n")
    last = Consoles(logs).last_lines()
    assert len(last) == MOST_CONSOLES
    assert last["node7"] == "hello from 7"


def test_what_a_later_part_needs_is_built_meanwhile_and_ends_with_the_first() -> None:
    plan = resolve(load_file(ROOT / "deploy/recipes/linux_quickstart.yaml", [FUNCTIONAL]))
    before = set(descendants(os.getpid()))
    with building_ahead([plan]) as ahead:
        assert ahead.names == ["linux-quickstart"]
        (group,) = ahead.groups
        assert group in {record.pid for record in set(descendants(os.getpid())) - before}
        assert os.getpriority(os.PRIO_PGRP, group) == 19
        ahead.hurry()
        nice = os.getpriority(os.PRIO_PGRP, group)
        assert nice == (0 if os.geteuid() == 0 else 19)
    assert set(descendants(os.getpid())) <= before
