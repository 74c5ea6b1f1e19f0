# SPDX-License-Identifier: BSD-3-Clause
"""Clones of one booted Linux node that ping each other: where they begin, what they say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from firesim.report.console import NUMBER, WHOLE_NUMBER

from regression.support.cluster import Cluster, Config
from regression.support.experiment import Experiment, ExperimentError
from regression.support.linux import linux_config
from regression.support.simulate import Run, simulate

PEERS = 16
"""How many others each of a large cluster pings: all pairs of 1,024 are a million."""
BOOTED_CYCLE = 32_000_000
"""Where the first node is saved: 10 ms after reset it has been at its prompt for long."""
PROMPT = "# "
ANSWER = re.compile(
    rf"^pinged reached=({WHOLE_NUMBER}) of=({WHOLE_NUMBER}) asked_by=({WHOLE_NUMBER}) "
    rf"least_us=({NUMBER}) mean_us=({NUMBER}) most_us=({NUMBER}) took_ms=",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Reached:
    """What clones report: how many pairs were to be reached, how many were, and round trips."""

    pairs: int
    reached: int
    least_us: float
    mean_us: float
    most_us: float


def clones_config(topology: str, command: str | None) -> Config:
    """Return Linux nodes that are at their prompt, or with a command run it and power off."""
    node = {"linux": "linux-pings", **({"command": command} if command else {})}
    return linux_config(topology, "linux-pings", {"workload": {"node": node}})


def booted(experiment: Experiment) -> tuple[Path, Run]:
    """Boot one node and save it; return the snapshot and the run.

    Raises:
        ExperimentError: it does not offer a prompt.
    """
    folder = experiment.folder / "boot"
    description = Cluster(experiment, clones_config("rack_1", None)).description(folder)
    description["snapshots"] = {"directory": "snapshots", "at_cycles": [BOOTED_CYCLE]}
    description["max_cycles"] = BOOTED_CYCLE + 1
    run = simulate(description, folder, expect=(0, 1))
    if PROMPT not in run.console("node0").rpartition("\n")[2]:
        raise ExperimentError(f"{folder}: found no prompt at cycle {BOOTED_CYCLE:,}, expected one.")
    return folder / "snapshots" / f"cycle-{BOOTED_CYCLE}", run


def reached(run: Run) -> Reached:
    """Return what the clones of a run say.

    Raises:
        ExperimentError: one says nothing.
    """
    found: list[tuple[str, ...]] = []
    for node in run.result["nodes"]:
        match = ANSWER.search(run.console(node["name"]).replace("\r", ""))
        if match is None:
            raise ExperimentError(
                f"{run.folder}: found no line `pinged reached=...` of {node['name']}."
            )
        found.append(match.groups())
    return Reached(
        pairs=sum(int(each[1]) for each in found),
        reached=sum(min(int(each[0]), int(each[2])) for each in found),
        least_us=min(float(each[3]) for each in found),
        mean_us=sum(float(each[4]) for each in found) / len(found),
        most_us=max(float(each[5]) for each in found),
    )
