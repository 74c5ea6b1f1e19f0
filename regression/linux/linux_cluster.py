# SPDX-License-Identifier: BSD-3-Clause
"""A rack of functional nodes boots Linux, uses its network in three ways, and powers off.

Every node pings every other one; pairs of nodes stream TCP (nuttcp); all nodes but the first load
memcached on the first, every value that comes back being checked; then all power off. It is run
with every worker thread and with one: both give the same token hash.
"""

from __future__ import annotations

import argparse
import re

from firesim.report.console import WHOLE_NUMBER

from regression.support.cluster import run_cluster
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
    host_facts,
)
from regression.support.linux import ENGINE, Stream, check_one_thread, linux_config, loads, streams
from regression.support.simulate import Run

GOAL_WALL_S = 60.0


def reached(console: str, node: str) -> int:
    """Return how many other nodes a node says it has pinged without a loss.

    Raises:
        ExperimentError: it does not say.
    """
    found = re.search(rf"^pinged reached=({WHOLE_NUMBER}) of=\d+", console, re.MULTILINE)
    if found is None:
        raise ExperimentError(f"{node}: found no line `pinged reached=…` on its console.")
    return int(found[1])


def _rows(run: Run, nodes: int) -> tuple[list[list[str]], int, int]:
    """Return the table of the nodes, the pairs that answered, and the loads without a failure."""
    rows, pairs, served = [], 0, 0
    for index in range(nodes):
        name = f"node{index}"
        console = run.console(name)
        pairs += (answered := reached(console, name))
        sent: list[Stream] = streams(console, name, index % 2)
        load = loads(console, name, 1)[0] if index > 0 else None
        served += load is not None and load.failures == 0
        entry = run.result["nodes"][index]
        rows.append(
            [
                name,
                str(answered),
                f"{sent[0].mbps / 1e3:.2f}" if sent else "",
                str(sent[0].retransmissions) if sent else "",
                f"{load.answered_per_s:,.0f}" if load else "server",
                f"{load.p50_us:.1f}" if load else "",
                f"{load.p95_us:.1f}" if load else "",
                f"{entry['ended_at_cycle'] / 3.2e6:,.1f}",
            ]
        )
    return rows, pairs, served


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, default=0, help="how many nodes (default: 8)")


@experiment_named("linux-cluster", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every node did everything, alike with 1 thread."""
    nodes: int = experiment.arguments.nodes or (3 if experiment.quick else 8)
    config = linux_config(f"rack_{nodes}", "linux-cluster")
    run = run_cluster(experiment, "all-threads", config)
    rows, pairs, served = _rows(run, nodes)
    experiment.table(
        f"{nodes} Linux nodes ({ENGINE}), all measured in target time",
        [
            "node",
            "others that answered pings",
            "sent by TCP (Gb/s)",
            "retransmitted (segments)",
            "memcached answers (1/s)",
            "p50 (us)",
            "p95 (us)",
            "powered off at (ms)",
        ],
        rows,
    )
    check_one_thread(experiment, "all-threads", config, run)
    experiment.say(
        f"boot to power off, {experiment.threads} threads: {run.process_wall_s:.1f} s of wall "
        f"time, {run.process_cpu_s:.1f} s of processor time, {run.peak_bytes / 2**20 / nodes:.1f} "
        f"MiB a node; load of the host {host_facts()['load_1_minute']:.1f}"
    )
    experiment.keep(
        nodes=nodes,
        wall_s=run.process_wall_s,
        cpu_s=run.process_cpu_s,
        peak_bytes=run.peak_bytes,
        end_cycle=run.end_cycle,
        token_hash=run.token_hash,
    )
    whole = pairs == nodes * (nodes - 1) and served == nodes - 1
    return Verdict(
        whole and run.process_wall_s < GOAL_WALL_S,
        f"{nodes} nodes, {pairs} of {nodes * (nodes - 1)} pings, {served} of {nodes - 1} loads, "
        f"one hash, {run.process_wall_s:.1f} s "
        f"({run.process_cpu_s:.1f} s of processor time)",
        f"all of them, and less than {GOAL_WALL_S:.0f} s",
        timed_only=whole,
    )
