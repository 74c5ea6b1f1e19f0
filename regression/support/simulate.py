# SPDX-License-Identifier: BSD-3-Clause
"""Runs firesim-sim on a simulation description and collects what it left and what it cost."""

from __future__ import annotations

import json
import os
import resource
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.build.launch import start
from firesim.build.simulator import simulator

from regression.support.experiment import ExperimentError


@dataclass(frozen=True)
class Run:
    """A finished run. Times in seconds; `peak_bytes` is the simulator's largest resident size.

    That counts a page of a file once for each node that maps it, as clones do with their snapshot.
    `private_bytes` is the most that lay in no file: what more nodes need more of. 0: not watched.
    """

    folder: Path
    result: dict[str, Any]
    exit_status: int
    process_wall_s: float
    process_cpu_s: float
    peak_bytes: int
    private_bytes: int = 0

    @property
    def token_hash(self) -> str:
        """The hash over every token on every link."""
        return str(self.result["token_hash"])

    @property
    def end_cycle(self) -> int:
        """Target cycles simulated."""
        return int(self.result["end_cycle"])

    @property
    def node_cycles(self) -> int:
        """Target cycles all nodes together evaluated; those after a node's end do not count."""
        nodes = self.result["nodes"]
        return sum(int(node["statistics"]["cycles_evaluated"]) for node in nodes)

    @property
    def wall_s(self) -> float:
        """Wall time of the simulation itself, without loading the models."""
        return float(self.result["wall_s"])

    def console(self, node: str) -> str:
        """Return the console log of a node."""
        return (self.folder / node / "uart.log").read_text(errors="replace")

    def traffic(self, link: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the totals of a link: (a to b, b to a)."""
        for entry in self.result["links"]:
            if entry["name"] == link:
                return entry["a_to_b"], entry["b_to_a"]
        raise KeyError(link)


def children_cpu_s() -> float:
    """Return the processor seconds of all children of this process that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class _PeakMemory:
    """Watches the largest resident size of a process.

    The kernel's own account of a child (ru_maxrss) starts with the size of its parent.
    """

    INTERVAL_S = 0.01

    def __init__(self, pid: int) -> None:
        self.peak_bytes = self.private_bytes = 0
        self._status = Path(f"/proc/{pid}/status")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(self.INTERVAL_S):
            try:
                text = self._status.read_text()
            except OSError:
                return
            for line in text.splitlines():
                if line.startswith("VmHWM:"):
                    self.peak_bytes = max(self.peak_bytes, int(line.split()[1]) * 1024)
                elif line.startswith("RssAnon:"):
                    self.private_bytes = max(self.private_bytes, int(line.split()[1]) * 1024)

    def stop(self) -> None:
        """Stop watching."""
        self._over.set()
        self._thread.join()


@dataclass(frozen=True)
class _Ended:
    """How a process ended and what it cost; no status when its time was up."""

    status: int | None
    wall_s: float
    cpu_s: float
    peak_bytes: int
    private_bytes: int


def _run(
    description: Path, log: Path, binary: Path | None, wrapper: Sequence[str], timeout_s: float
) -> _Ended:
    """Run the simulator with its output in `log`, and stop it when its time is up."""
    binary = binary or simulator()  # not in the time it takes
    began = time.monotonic()
    with log.open("w") as output:
        process = start(description, output, binary=binary, wrapper=wrapper)
    timed_out = threading.Event()
    memory = _PeakMemory(process.pid)

    def stop() -> None:
        timed_out.set()
        process.kill()

    timer = threading.Timer(timeout_s, stop)
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        timer.cancel()
        memory.stop()
    process.returncode = os.waitstatus_to_exitcode(status)
    return _Ended(
        None if timed_out.is_set() else process.returncode,
        time.monotonic() - began,
        usage.ru_utime + usage.ru_stime,
        memory.peak_bytes,
        memory.private_bytes,
    )


def simulate(
    description: dict[str, Any],
    folder: Path,
    *,
    binary: Path | None = None,
    wrapper: Sequence[str] = (),
    timeout_s: float = 1800,
    expect: tuple[int, ...] = (0,),
) -> Run:
    """Run one simulation with its results in `folder`.

    `description` is that of docs/reference/interfaces/simulation.md; its key `results` is replaced
    by `folder`.
    `wrapper` are the words of a program that runs the simulator, and passes on its exit status.

    Raises:
        ExperimentError: the simulator's exit status is not one of `expect`, or it timed out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "description.json"
    file.write_text(json.dumps({**description, "results": str(folder)}, indent=1))
    log = folder / "run.log"
    ended = _run(file, log, binary, wrapper, timeout_s)
    if ended.status is None:
        raise ExperimentError(f"{file}: not finished after {timeout_s:g} s, stopped.")
    if ended.status not in expect:
        tail = log.read_text(errors="replace").strip().splitlines()[-8:]
        raise ExperimentError(
            f"{file}: firesim-sim exit status {ended.status}.\n" + "\n".join(tail)
        )
    result_file = folder / "result.json"
    if not result_file.is_file():
        raise ExperimentError(f"{file}: firesim-sim left no result.json.")
    return Run(
        folder=folder,
        result=json.loads(result_file.read_text()),
        exit_status=ended.status,
        process_wall_s=ended.wall_s,
        process_cpu_s=ended.cpu_s,
        peak_bytes=ended.peak_bytes,
        private_bytes=ended.private_bytes,
    )
