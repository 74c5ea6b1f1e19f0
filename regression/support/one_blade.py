# SPDX-License-Identifier: BSD-3-Clause
"""One blade, one thread, on both RTL engines: equal cycles, and how many in a CPU second."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import simulate

ENGINES = ("verilator", "generated")


def one_blade(blade: str, workload: dict[str, Any], simulation: dict[str, Any]) -> Config:
    """Return a blade behind a switch that has nobody else on it, one thread."""
    base: Config = {
        "system": {
            "topology": "rack_1",
            "link": {"latency_cycles": 100_000},
            "node": {"blade": blade, "memory": {"size_mib": 64}},
        },
        "workload": workload,
        "simulation": {"threads": 1, "throughput_interval_cycles": 0},
    }
    return merged(base, {"simulation": simulation})


def kilohertz(
    experiment: Experiment, name: str, config: Config, models: dict[str, Path], repeats: int
) -> dict[str, list[float]]:
    """Run a blade on each model of `models` (by engine), alternately; return kHz of CPU time.

    A run that `max_cycles` ends is as good as one that ends by itself.

    Raises:
        ExperimentError: the engines' token hashes differ.
    """
    description = Cluster(experiment, config).description(experiment.folder / name)
    expect = (0, 1) if description["max_cycles"] else (0,)
    found: dict[str, list[float]] = {engine: [] for engine in models}
    hashes = set()
    for index in range(repeats):
        for engine, model in models.items():
            for node in description["nodes"]:
                node["model"] = str(model / "model.so")
            folder = experiment.folder / f"{name}-{engine}-{index}"
            run = simulate(description, folder, expect=expect)
            found[engine].append(run.node_cycles / float(run.result["cpu_s"]) / 1e3)
            hashes.add(run.token_hash)
    if len(hashes) != 1:
        raise ExperimentError(f"{name}: the engines' token hashes differ: {sorted(hashes)}.")
    return found


def medians(found: dict[str, list[float]]) -> tuple[float, float]:
    """Return the medians of Verilator and of the generated engine."""
    theirs, ours = (median(found[engine]) for engine in ENGINES)
    return theirs, ours
