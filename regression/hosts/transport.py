# SPDX-License-Identifier: BSD-3-Clause
"""The cost of links between two processes, beside the bare engine below and links inside a process.

Pairs of traffic generators, each with one link of 6,400 cycles, idle or sending at line rate. Half
of them are simulated by one process and half by another, so all links are cut, and every 2,133
cycles (a third of the latency) each process sends the other one message: a round. The same target
in one process says what the generators themselves take, and must have the same hash. In the same
run a bare ZeroMQ PAIR socket passes messages of the same sizes to and fro.

Then what compressed messages take, and what becomes of the rate of busy blades when they are on two
hosts instead of one (shared_work.py).
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from firesim.build.simulator import configure_and_build

from regression.hosts import shared_work
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.several_processes import LIMIT_S, places, run_processes

LATENCY_CYCLES = 6_400
STEP_CYCLES = LATENCY_CYCLES // 3
LINKS = (1, 32, 256)
IDLE_BYTES = 16
"""Of a message without a flit."""
FLIT_BYTES = 8
PACKET_FLITS = 190
"""Of a packet of 1,514 bytes and its padding."""
PROCESSES = ("a", "b")
GOAL_RATIO = 1.5
GOAL_RATE = 0.9
RUN_US = 400_000
"""What a quick run takes at least, about: so long that its start costs nothing."""


@dataclass(frozen=True)
class Case:
    """One target: links, idle or at line rate in both directions, for a number of rounds."""

    links: int
    loaded: bool
    rounds: int

    @property
    def cycles(self) -> int:
        """Return the cycle in which the generators end."""
        return self.rounds * STEP_CYCLES

    @property
    def message_bytes(self) -> int:
        """Return the size of a message of a round, nearly."""
        return IDLE_BYTES + (self.links * STEP_CYCLES * FLIT_BYTES if self.loaded else 0)


def _mac(index: int) -> str:
    return f"00:12:6D:00:{index // 256:02X}:{index % 256:02X}"


def _describe(case: Case, folder: Path, compression: str = "none") -> Path:
    """Write the description of a case and its traffic files; return the former."""
    folder.mkdir(parents=True, exist_ok=True)
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
                "process": PROCESSES[index % 2],
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
        "processes": places(PROCESSES),
        "compression": compression,
        "nodes": nodes,
        "links": links,
    }
    file = folder / f"{compression}.json"
    file.write_text(json.dumps(description))
    return file


def _round_trip_us(program: Path, rounds: int, size_bytes: int) -> float:
    """Return the median round trip of the bare engine."""
    command = [str(program), str(rounds), str(size_bytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    return float(json.loads(done.stdout)["median_us"])


def _cases(quick: bool) -> list[Case]:
    """Return the cases, each as many rounds as take about the same time."""
    expected_us = {(1, False): 60, (32, False): 80, (256, False): 150}
    expected_us |= {(1, True): 100, (32, True): 800, (256, True): 8_000}
    scale = 1 if quick else 4
    return [
        Case(links, loaded, scale * RUN_US // expected_us[links, loaded])
        for loaded in (False, True)
        for links in LINKS
    ]


@dataclass
class Measured:
    """What was measured of a case, in microseconds for a round, and by number of processes."""

    case: Case
    trips: list[float] = field(default_factory=list)
    rounds: dict[int, list[float]] = field(default_factory=lambda: {1: [], 2: []})
    cpu: list[float] = field(default_factory=list)
    """Processor time of two processes."""
    hashes: set[str] = field(default_factory=set)
    transport: dict[str, int] = field(default_factory=dict)

    def take(self, simulator: Path, file: Path, processes: tuple[str, ...]) -> None:
        """Simulate once."""
        result = run_processes(simulator, file, processes)
        rounds = result["end_cycle"] / STEP_CYCLES
        self.rounds[max(len(processes), 1)].append(result["wall_s"] / rounds * 1e6)
        if processes:
            self.cpu.append(result["cpu_s"] / rounds * 1e6)
        self.hashes.add(result["token_hash"])
        self.transport = result.get("transport", self.transport)

    @property
    def name(self) -> str:
        """Links and load."""
        return f"{self.case.links} {'loaded' if self.case.loaded else 'idle'}"

    @property
    def ratio(self) -> float:
        """A round of all links over the bare round trip, the fastest of each."""
        return min(self.rounds[2]) / min(self.trips)

    @property
    def same(self) -> str:
        """What a table says of the hashes."""
        return "same" if len(self.hashes) == 1 else "different"


def _measure_rounds(experiment: Experiment, binaries: Path) -> list[Measured]:
    """Measure all cases, bare and simulated alternately, and print them."""
    found, rows = [], []
    for case in _cases(experiment.quick):
        one = Measured(case)
        file = _describe(case, experiment.folder / one.name.replace(" ", "-"))
        for _ in range(experiment.arguments.repeat):
            trips = 500 if case.message_bytes < 1e6 else 60
            one.trips.append(_round_trip_us(binaries / "pair-bench", trips, case.message_bytes))
            for processes in ((), PROCESSES):
                one.take(binaries / "firesim-sim", file, processes)
        found.append(one)
        rows.append(
            [
                one.name,
                f"{case.message_bytes:,}",
                f"{min(one.trips):.1f}",
                f"{min(one.rounds[1]):.1f}",
                f"{min(one.rounds[2]):.1f}",
                f"{min(one.cpu):.1f}",
                f"{one.ratio:.2f}",
                one.same,
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
            "of CPU (us)",
            "two / bare",
            "hash",
        ],
        rows,
    )
    return found


def _measure_compression(experiment: Experiment, binaries: Path) -> Measured:
    """Measure a loaded case with its messages as they are and compressed, and print it."""
    case = Case(32, True, RUN_US // 800)
    folder = experiment.folder / "compression"
    rows = []
    whole = Measured(case)
    for compression in ("none", "lz4"):
        one = Measured(case)
        file = _describe(case, folder, compression)
        for _ in range(experiment.arguments.repeat):
            one.take(binaries / "firesim-sim", file, PROCESSES)
        whole.hashes |= one.hashes
        whole.transport |= {compression: one.transport["bytes_on_wire"]}
        rows.append(
            [
                compression,
                f"{one.transport['bytes']:,}",
                f"{one.transport['bytes_on_wire']:,}",
                f"{min(one.rounds[2]):.1f}",
                one.same,
            ]
        )
    experiment.table(
        "Compression of the messages of 32 links at line rate",
        ["compression", "sent (bytes)", "on the wire (bytes)", "a round (us)", "hash"],
        rows,
    )
    return whole


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the fastest counts")


@experiment_named("hosts-transport", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the hash never moves; the ratios are reported, and fall short only in time."""
    targets = ("firesim-sim", "pair-bench")
    binaries = configure_and_build("release", targets) / "bin"
    rounds = _measure_rounds(experiment, binaries)
    compression = _measure_compression(experiment, binaries)
    shared = [
        shared_work.measure(experiment, binaries / "firesim-sim", engine, repeat=2)
        for engine in shared_work.CYCLES
    ]
    experiment.table(
        "Busy blades behind one switch, links of 2 us: one host of 2 cores, two of one",
        shared_work.COLUMNS,
        [shared_work.row(one) for one in shared],
    )
    hashes = [one.hashes for one in (*rounds, compression)] + [one.hashes for one in shared]
    same = all(len(one) == 1 for one in hashes)
    worst = max(one.ratio for one in rounds)
    rate = shared[0].ratio
    experiment.keep(
        round_over_bare_round_trip={one.name: round(one.ratio, 3) for one in rounds},
        rate_of_two_hosts_over_one={one.engine: round(one.ratio, 3) for one in shared},
        bytes_on_wire=compression.transport,
        same_hash=same,
    )
    return Verdict(
        same and worst <= GOAL_RATIO and rate >= GOAL_RATE,
        f"a round of all links at most {worst:.2f} x the bare engine's round trip, "
        f"two hosts at {rate:.2f} x the rate of one, hashes {'all equal' if same else 'differ'},",
        f"{GOAL_RATIO} x, {GOAL_RATE} x and equal hashes",
        timed_only=same,
    )
