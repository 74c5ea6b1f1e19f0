# SPDX-License-Identifier: BSD-3-Clause
"""The cost of links between two processes, beside the bare engine below and links inside a process.

Pairs of traffic generators, each with one link of 6,400 cycles, idle or sending at line rate. Half
of them are simulated by one process and half by another, so all links are cut, and every 2,133
cycles (a third of the latency) each process sends the other one message: a round. The same target
in one process says what the generators themselves take, and must have the same hash. In the same
run a bare ZeroMQ PAIR socket passes messages of the same sizes to and fro.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.build.simulator import configure_and_build

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

LATENCY_CYCLES = 6_400
WIRE_CYCLES = LATENCY_CYCLES // 3
LINKS = (1, 32, 256)
IDLE_BYTES = 17
"""Of a message without a flit."""
FLIT_BYTES = 8
PACKET_FLITS = 190
"""Of a packet of 1,514 bytes and its padding."""
GOAL_RATIO = 1.5
LIMIT_S = 300


@dataclass(frozen=True)
class Case:
    """One target: so many links, idle or at line rate in both directions, for so many rounds."""

    links: int
    loaded: bool
    rounds: int

    @property
    def cycles(self) -> int:
        """Return the cycle in which the generators end."""
        return self.rounds * WIRE_CYCLES

    @property
    def message_bytes(self) -> int:
        """Return the size of a message of a round, nearly."""
        return IDLE_BYTES + (self.links * WIRE_CYCLES * FLIT_BYTES if self.loaded else 0)


def _free_port() -> int:
    """Return a port of the loopback interface at which nobody listened just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _mac(index: int) -> str:
    return f"00:12:6D:00:{index // 256:02X}:{index % 256:02X}"


def _describe(case: Case, folder: Path) -> None:
    """Write the description of a case and its traffic files."""
    folder.mkdir(parents=True)
    nodes, links = [], []
    for index in range(2 * case.links):
        name, partner = f"node{index}", index ^ 1
        packets = max(case.cycles // PACKET_FLITS, 1)
        series = f"1 {_mac(partner)} 1514 repeat {packets} 0\n" if case.loaded else ""
        (folder / f"{name}.traffic").write_text(series)
        nodes.append(
            {
                "name": name,
                "kind": "traffic",
                "mac": _mac(index),
                "file": f"{name}.traffic",
                "end_cycle": case.cycles,
                "process": "ab"[index % 2],
            }
        )
    for index in range(case.links):
        links.append(
            {
                "name": f"link{index}",
                "a": {"model": f"node{2 * index}", "port": 0},
                "b": {"model": f"node{2 * index + 1}", "port": 0},
                "latency_cycles": LATENCY_CYCLES,
            }
        )
    description = {
        "version": 1,
        "results": "results",
        "status_interval_s": 0,
        "processes": [
            {"name": "a", "host": "127.0.0.1", "port": _free_port() - 1},
            {"name": "b", "host": "127.0.0.1", "port": 1},
        ],
        "nodes": nodes,
        "links": links,
    }
    (folder / "simulation.json").write_text(json.dumps(description))


def _run(simulator: Path, folder: Path, processes: tuple[str, ...]) -> dict[str, Any]:
    """Simulate in these processes, or in one; return the result.

    Raises:
        ExperimentError: a process failed.
    """
    options = [["--process", name] for name in processes] or [[]]
    commands = [[str(simulator), *each, str(folder / "simulation.json")] for each in options]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for command in commands]
    try:
        for command, one in zip(commands, running, strict=True):
            _, errors = one.communicate(timeout=LIMIT_S)
            if one.returncode != 0:
                said = errors.decode(errors="replace").strip()
                raise ExperimentError(f"{' '.join(command)}: exit status {one.returncode}: {said}")
    finally:
        for one in running:
            if one.poll() is None:
                one.kill()
                one.wait()
    result: dict[str, Any] = json.loads((folder / "results" / "result.json").read_text())
    return result


def _round_trip_us(program: Path, rounds: int, size_bytes: int) -> float:
    """Return the median round trip of the bare engine."""
    command = [str(program), str(rounds), str(size_bytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    return float(json.loads(done.stdout)["median_us"])


def _cases(quick: bool) -> list[Case]:
    scale = 1 if quick else 8
    return [
        Case(links, loaded, max(scale * (4_000 if not loaded else 2_000) // max(links // 8, 1), 64))
        for loaded in (False, True)
        for links in LINKS
    ]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the fastest counts")


@experiment_named("hosts-transport", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the hash never moves; the ratios are reported, and fall short only in time."""
    binaries = configure_and_build("release", ("firesim-sim", "pair-bench")) / "bin"
    rows, worst, same = [], 0.0, True
    ratios: dict[str, float] = {}
    for case in _cases(experiment.quick):
        state = "loaded" if case.loaded else "idle"
        folder = experiment.folder / f"{state}-{case.links}"
        _describe(case, folder)
        times: dict[int, list[float]] = {1: [], 2: []}
        trips, hashes = [], set()
        for _ in range(experiment.arguments.repeat):
            trips.append(_round_trip_us(binaries / "pair-bench", 500, case.message_bytes))
            for processes in ((), ("a", "b")):
                result = _run(binaries / "firesim-sim", folder, processes)
                hashes.add(result["token_hash"])
                rounds = result["end_cycle"] / WIRE_CYCLES
                times[max(len(processes), 1)].append(result["wall_s"] / rounds * 1e6)
        trip, inside, across = min(trips), min(times[1]), min(times[2])
        same = same and len(hashes) == 1
        worst = max(worst, across / trip)
        ratios[f"{state} {case.links}"] = round(across / trip, 3)
        rows.append(
            [
                f"{case.links} {state}",
                f"{case.message_bytes:,}",
                f"{trip:.1f}",
                f"{inside:.1f}",
                f"{across:.1f}",
                f"{across / trip:.2f}",
                "same" if len(hashes) == 1 else "different",
            ]
        )
    experiment.table(
        "A round of all links between two processes",
        [
            "links",
            "message (bytes)",
            "bare round trip (us)",
            "in one process (us)",
            "in two (us)",
            "two / bare",
            "hash",
        ],
        rows,
    )
    experiment.keep(round_over_bare_round_trip=ratios, same_hash=same)
    return Verdict(
        same and worst <= GOAL_RATIO,
        f"a round of all links at most {worst:.2f} x the bare engine's round trip, "
        f"hashes {'all equal' if same else 'differ'},",
        f"{GOAL_RATIO} x and equal hashes",
        timed_only=same,
    )
