# SPDX-License-Identifier: BSD-3-Clause
"""Eight busy blades on two hosts of one core each, against one host of two cores.

The hosts are processes, as the cores are shared here. So what is compared is the processor time of
the same run, with all threads of all processes, alternately.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regression.support.cluster import Cluster, Config
from regression.support.experiment import Experiment
from regression.support.several_processes import places, run_processes

BLADES = 8
HOSTS = ("a", "b")
CORES = 2
"""Of the one host; each of the two has one."""
CYCLES = {"rtl": 64_000, "functional": 32_000_000}
"""Of a quick run: enough that its start costs little of it."""
TIMES = 4
"""As long is a run that is not quick."""


@dataclass
class Shared:
    """What one kind of blades showed, on one host and on two; times in seconds."""

    engine: str
    cycles: int
    cpu_s: dict[int, list[float]] = field(default_factory=lambda: {1: [], 2: []})
    wall_s: dict[int, list[float]] = field(default_factory=lambda: {1: [], 2: []})
    hashes: set[str] = field(default_factory=set)

    def rate(self, hosts: int) -> float:
        """Return million node-cycles for a second of processor time, of the best run."""
        return BLADES * self.cycles / min(self.cpu_s[hosts]) / 1e6

    @property
    def ratio(self) -> float:
        """Rate of two hosts over that of one."""
        return self.rate(2) / self.rate(1)


def _config(engine: str, cycles: int) -> Config:
    """Return eight blades that compute all the time, on a switch with links of 2 us."""
    return {
        "system": {
            "topology": f"rack_{BLADES}",
            "link": {"latency": "2us"},
            "node": {"blade": "rocket-1", "memory": {"size_mib": 16}},
        },
        "workload": {"node": {"program": "counters", "args": ["rounds=1000000000"]}},
        "simulation": {
            "engine": engine,
            "max_cycles": cycles,
            "threads": CORES,
            "status_interval_s": 3600,
            "throughput_interval_cycles": 0,
        },
    }


def _on_two_hosts(description: dict[str, Any]) -> dict[str, Any]:
    """Return the description with half of the blades on each host, the switch on the first."""
    nodes = [
        {**node, "process": HOSTS[index * len(HOSTS) // BLADES]}
        for index, node in enumerate(description["nodes"])
    ]
    switches = [{**switch, "process": HOSTS[0]} for switch in description["switches"]]
    threads = CORES // len(HOSTS)
    return description | {
        "processes": places(HOSTS, threads),
        "nodes": nodes,
        "switches": switches,
    }


def measure(experiment: Experiment, simulator: Path, engine: str, repeat: int) -> Shared:
    """Simulate the same blades on one host and on two, alternately.

    Raises:
        ExperimentError: a run failed.
    """
    cycles = CYCLES[engine] * (1 if experiment.quick else TIMES)
    shared = Shared(engine, cycles)
    for index in range(repeat):
        folder = experiment.folder / f"blades-{engine}-{index}"
        cluster = Cluster(experiment, _config(engine, cycles))
        description = _on_two_hosts(cluster.description(folder / "results"))
        file = folder / "description.json"
        for hosts in (1, 2):
            file.write_text(json.dumps({**description, "results": "results"}))
            # No blade ends: the limit does, which is exit status 1.
            result = run_processes(simulator, file, HOSTS if hosts == 2 else (), (0, 1))
            shared.cpu_s[hosts].append(float(result["cpu_s"]))
            shared.wall_s[hosts].append(float(result["wall_s"]))
            shared.hashes.add(str(result["token_hash"]))
    return shared


def row(shared: Shared) -> list[object]:
    """Return the line of a table: what `COLUMNS` says."""
    return [
        f"{BLADES} {shared.engine}",
        f"{shared.cycles:,}",
        f"{min(shared.wall_s[1]):.2f}",
        f"{min(shared.wall_s[2]):.2f}",
        f"{min(shared.cpu_s[1]):.2f}",
        f"{min(shared.cpu_s[2]):.2f}",
        f"{shared.ratio:.3f}",
        "same" if len(shared.hashes) == 1 else "different",
    ]


COLUMNS = [
    "blades",
    "cycles",
    "one host (s)",
    "two (s)",
    "CPU, one (s)",
    "CPU, two (s)",
    "rate, two / one",
    "hash",
]
