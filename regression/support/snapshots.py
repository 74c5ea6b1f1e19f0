# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions that save and restore, and what runs that went on must have in common."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from regression.support.cluster import Cluster
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run, simulate

Description = dict[str, Any]

NO_SNAPSHOTS: dict[str, Any] = {"directory": "snapshots"}


def pair_config(engine: str, pings: int, bytes_streamed: int) -> dict[str, Any]:
    """Return two bare-metal nodes of which the first pings and then streams to the second."""
    client = ["role=client", "peer=${node1.mac}", f"count={pings}", f"bytes={bytes_streamed}"]
    return {
        "system": {"topology": "two_nodes", "node": {"memory": {"size_mib": 16}}},
        "workload": {
            "node": {"program": "quickstart"},
            "nodes": {"node0": {"args": client}, "node1": {"args": ["role=server"]}},
        },
        "simulation": {"engine": engine, "captures": False, "throughput_interval_cycles": 0},
    }


class Simulated:
    """One system that is run whole, saved and restored, each time in a folder of its own."""

    def __init__(self, experiment: Experiment, config: dict[str, Any], name: str) -> None:
        """Check the configuration and build what it needs."""
        self.folder = experiment.folder / name
        self.description = Cluster(experiment, config).description(self.folder / "base")

    def run(
        self,
        name: str,
        *,
        snapshots: dict[str, Any] | None = None,
        restore: Path | None = None,
        max_cycles: int | None = None,
    ) -> Run:
        """Run it to its end, or to `max_cycles`."""
        over: Description = {"snapshots": snapshots or NO_SNAPSHOTS}
        if restore is not None:
            over["restore"] = {"snapshot": str(restore)}
        if max_cycles is not None:
            over["max_cycles"] = max_cycles
        description = {**self.description, **over}
        run = simulate(description, self.folder / name, expect=(0, 1))
        wanted = "ended" if max_cycles is None else "max_cycles"
        if run.result["reason"] != wanted:
            message = run.result.get("message", "")
            raise ExperimentError(
                f"{run.folder}: the run ended with {run.result['reason']}, "
                f"expected {wanted}. {message}"
            )
        return run


def outcome(run: Run) -> dict[str, Any]:
    """Return all of a result that must not depend on whether the run was ever stopped."""
    times = ("cpu_s", "advances")
    result = {key: run.result[key] for key in ("reason", "end_cycle", "token_hash", "links")}
    for group in ("nodes", "switches"):
        result[group] = [
            {key: value for key, value in model.items() if key not in times}
            for model in run.result[group]
        ]
    return result


def equal_from_snapshots(
    experiment: Experiment,
    config: dict[str, Any],
    count: int,
    span_of: Callable[[Run], range] = lambda whole: range(1, whole.end_cycle),
    name: str = "snapshots",
) -> int:
    """Return how many of the runs that go on from `count` random cycles equal one never stopped.

    `span_of` says which cycles of that one they may be; all are, unless it is given. `name` is that
    of the folder.
    """
    system = Simulated(experiment, config, name)
    whole = system.run("whole")
    cycles = sorted(random.Random(experiment.seed).sample(span_of(whole), count))
    saved = system.run("saved", snapshots={"directory": "snapshots", "at_cycles": cycles})
    again = [
        system.run(f"from-{folder.name}", restore=folder) for folder in saved_folders(saved.folder)
    ]
    equal = sum(outcome(run) == outcome(whole) for run in again)
    experiment.say(f"snapshots at cycles {cycles}: {equal} of {count} equal to the end")
    return equal


def saved_folders(run_folder: Path) -> list[Path]:
    """Return the complete snapshots of a run, by cycle."""
    files = run_folder.glob("snapshots/*-*/snapshot.json")
    folders = (file.parent for file in files if file.parent.suffix != ".partial")
    return sorted(folders, key=lambda folder: int(folder.name.rpartition("-")[2]))


def bytes_on_disk(folder: Path) -> int:
    """Return the disk space of a folder; holes take none."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())
