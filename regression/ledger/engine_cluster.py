# SPDX-License-Identifier: BSD-3-Clause
"""Eight Rocket blades in one running cluster: the generated engine against Verilator, all cores.

Two blades ping, two stream, four compute, on one switch, with memory timing and counters on. What
is compared, alternately, is node-cycles per second of wall time, all included. The token hashes
of both sides must be equal. None of these programs trained the engine.
"""

from __future__ import annotations

import argparse
from typing import Any

from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.one_blade import ENGINES, medians

NODES = 8
GOAL_RATIO = 6.0


def config(quick: bool) -> Config:
    """Return the cluster; a quick one does less of the same."""
    times = 1 if quick else 6
    nodes: dict[str, Any] = {
        "node0": {
            "program": "ping",
            "args": ["role=client", "peer=${node1.mac}", f"count={4 * times}"],
        },
        "node1": {"program": "ping", "args": ["role=server"]},
        "node2": {
            "program": "bandwidth",
            "args": ["role=sender", "peer=${node3.mac}", f"bytes={131_072 * times}"],
        },
        "node3": {"program": "bandwidth", "args": ["role=receiver"]},
    }
    counters = {"program": "counters", "args": [f"rounds={400 * times}"]}
    return {
        "system": {
            "topology": f"rack_{NODES}",
            "link": {"latency": "2us"},
            "node": {"blade": "rocket-1", "memory": {"size_mib": 16}},
        },
        "workload": {"node": counters, "nodes": nodes},
        "simulation": {"throughput_interval_cycles": 0, "autocounter": {"enabled": True}},
    }


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=0, help="runs of each side")


@experiment_named("engine-cluster", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the cluster is as much faster as aimed for."""
    repeats: int = experiment.arguments.repeats or (1 if experiment.quick else 5)
    base = config(experiment.quick)
    rates: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    hashes, cycles = set(), 0
    for index in range(repeats):
        for engine in ENGINES:
            over: Config = {"simulation": {"rtl_engine": engine, "threads": experiment.threads}}
            run = run_cluster(experiment, f"{engine}-{index}", merged(base, over))
            cycles = run.node_cycles
            rates[engine].append(cycles / run.wall_s / 1e3)
            hashes.add(run.token_hash)
    if len(hashes) != 1:
        raise ExperimentError(f"the engines' token hashes differ: {sorted(hashes)}.")
    theirs, ours = medians(rates)
    experiment.table(
        f"{NODES} blades, thousand node-cycles per second of wall time, {experiment.threads} "
        f"threads, median of {repeats}",
        ["node-cycles", "Verilator 5.48 (kHz)", "generated (kHz)", "ratio"],
        [[f"{cycles:,}", f"{theirs:,.0f}", f"{ours:,.0f}", f"{ours / theirs:.2f}"]],
    )
    experiment.keep(rates=rates, node_cycles=cycles, token_hash=hashes.pop())
    figure = f"{ours / theirs:.2f} x of the same cluster on Verilator,"
    return Verdict(ours / theirs >= GOAL_RATIO, figure, f"{GOAL_RATIO:g} x", timed_only=True)
