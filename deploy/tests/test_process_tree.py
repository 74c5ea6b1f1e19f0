# SPDX-License-Identifier: BSD-3-Clause
"""Nothing is left of what a command has started, however it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from firesim_common.paths import ROOT
from firesim_common.tools import python_command

LIMIT_S = 120.0
MARK = "FIRESIM_TEST_MARK"
WORK = """\
import subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from firesim.work.process_tree import in_session_of_its_own

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"

def sleep(_):
    subprocess.run(["sh", "-c", "sleep 1001 & sleep 1002"], check=False)

def work():
    subprocess.run(["sh", "-c", "setsid sleep 1003 & exit 0"])  # an orphan in another session
    subprocess.Popen([sys.executable, "-c", STUBBORN], start_new_session=True)
    if sys.argv[1] == "end":
        return 7
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sleep, range(100)))

sys.exit(in_session_of_its_own(work, grace_s=3))
"""


def marked(mark: str) -> dict[int, str]:
    """Return the command lines of the living processes that were started with this mark."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                    found[int(folder.name)] = b" ".join(words).decode(errors="replace")
    return found


@contextmanager
def started(words: list[str | Path], log: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start a command; yield it and its mark. Whatever it leaves is ended."""
    mark = uuid.uuid4().hex
    with log.open("wb") as stream:
        process = subprocess.Popen(
            words, cwd=ROOT, env={**os.environ, MARK: mark}, stdout=stream, stderr=stream
        )
    try:
        yield process, mark
    finally:
        for pid in marked(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def until(mark: str, holds: Callable[[dict[int, str]], bool], what: str) -> None:
    """Wait until the processes with a mark are as wanted."""
    limit = time.monotonic() + LIMIT_S
    while not holds(found := marked(mark)):
        assert time.monotonic() < limit, f"no {what} in {LIMIT_S} s: {found}"
        time.sleep(0.05)


def sleepers(found: dict[int, str]) -> int:
    """Return how many of the processes of WORK there are."""
    return sum("sleep 100" in words or "SIG_IGN" in words for words in found.values())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything_that_was_started(number: signal.Signals, tmp_path: Path) -> None:
    with started([sys.executable, "-c", WORK, "wait"], tmp_path / "log") as (process, mark):
        until(mark, lambda found: sleepers(found) >= 1 + 1 + 4 * 3, "workers")
        process.send_signal(number)
        assert process.wait(timeout=LIMIT_S) == 130
        assert marked(mark) == {}


def test_what_ended_work_leaves_is_ended(tmp_path: Path) -> None:
    with started([sys.executable, "-c", WORK, "end"], tmp_path / "log") as (process, mark):
        assert process.wait(timeout=LIMIT_S) == 7
        assert marked(mark) == {}


def test_a_killed_worker_leaves_nothing(tmp_path: Path) -> None:
    with started([sys.executable, "-c", WORK, "wait"], tmp_path / "log") as (process, mark):
        until(mark, lambda found: sleepers(found) >= 1 + 1 + 4 * 3, "workers")
        (worker,) = [pid for pid, words in marked(mark).items() if _parent(pid) == process.pid
                     and "process_tree" in words]  # fmt: skip
        os.kill(worker, signal.SIGKILL)
        assert process.wait(timeout=LIMIT_S) == 3
        assert marked(mark) == {}
    assert (tmp_path / "log").read_text().endswith("ended by SIGKILL.\n")


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


FIRESIM = python_command("-m", "firesim.cli.main")
EXPERIMENT = [*FIRESIM, "experiment", "engine-fuzz", "--quick", "--results"]
TEST = [*FIRESIM, "test", "--only", "experiment engine-fuzz"]


@pytest.mark.parametrize("command", ["experiment", "test"])
def test_an_experiment_leaves_no_compiler(command: str, tmp_path: Path) -> None:
    words = [*EXPERIMENT, tmp_path / "results"] if command == "experiment" else TEST
    with started(words, tmp_path / "log") as (process, mark):
        until(mark, lambda found: any("clang" in line for line in found.values()), "compiler")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=LIMIT_S) == 130, (tmp_path / "log").read_text()
        assert marked(mark) == {}


SLOW = """\
// {mark}
module Slow(input logic clock, input logic reset, input logic [63:0] x, output logic [63:0] y);
  logic [63:0] row [0:299];
  for (genvar i = 0; i < 300; i++) begin : each
    always_ff @(posedge clock) row[i] <= (i ? row[i - 1] : x) * (x + 64'd{odd} * i) ^ row[299];
  end
  assign y = row[299];
endmodule
"""
RECIPE = """\
system:
  topology: two_nodes
  node: {{blade: slow}}
  blades: {{slow: {{sources: [slow.sv], top: Slow}}}}
simulation: {{max_cycles: 1}}
"""


@pytest.mark.parametrize("command", ["build", "runworkload"])
def test_a_build_leaves_no_compiler(command: str, tmp_path: Path) -> None:
    source, model, recipe = (tmp_path / name for name in ("slow.sv", "model", "slow.yaml"))
    source.write_text(SLOW.format(mark=uuid.uuid4().hex, odd=2 * os.getpid() + 1))
    recipe.write_text(RECIPE.format())
    words: list[str | Path] = ["build", "verilog", "Slow", source, "-o", model]
    words += ["--engine", "generated"]
    if command == "runworkload":
        words = [command, "-c", recipe, "--results", tmp_path / "results"]
    with started([*FIRESIM, *words], tmp_path / "log") as (process, mark):
        until(mark, lambda found: any("clang" in line for line in found.values()), "compiler")
        process.send_signal(signal.SIGTERM)
        status = process.wait(timeout=LIMIT_S)
        assert marked(mark) == {}
        assert status == 130, (tmp_path / "log").read_text()
    assert not (tmp_path / "results").exists()
