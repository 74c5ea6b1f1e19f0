# SPDX-License-Identifier: BSD-3-Clause
"""256 Linux nodes, all clones of one, ping each other through a two-level tree, and power off.

One functional node boots Linux and is saved at its shell's prompt. It is cloned 256 times into a
tree of 16 racks of 16: every clone takes on an identity of its own, pings all others in one
process, waits until all have pinged it, and powers off. Then it is cloned as often as asked (1,024
times by default), and each clone pings 16 others, spread over all racks. Memory and time are those
of the whole process. The large ones are given the MAC addresses of the others; 16 clones find them
by ARP, and are run with every worker thread and with one: both give the same token hash.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from firesim.topology.describe import Restart

from regression.support.clones import BOOTED_CYCLE, PEERS, Reached, booted, clones_config, reached
from regression.support.cluster import Cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.linux import ENGINE
from regression.support.simulate import Run, simulate

SMALL, MIDDLE, LARGE = 16, 256, 1024


def tree_of(nodes: int) -> str:
    """Return the two-level tree of the given number of nodes that is nearest to a square.

    Raises:
        ExperimentError: it would have one level.
    """
    racks = next(width for width in range(math.isqrt(nodes), 0, -1) if nodes % width == 0)
    if racks == 1:
        raise ExperimentError(
            f"found {nodes} nodes, expected a number that is a product, as {LARGE}."
        )
    return f"tree_{racks}_{nodes // racks}"


def clones(experiment: Experiment, snapshot: Path, nodes: int, command: str, threads: int) -> Run:
    """Run the given number of clones to their power-off."""
    cluster = Cluster(experiment, clones_config(tree_of(nodes), command))
    folder = experiment.folder / f"clones-{nodes}-{threads}"
    sources = {node.name: "node0" for node in cluster.plan.nodes}
    description = cluster.description(folder, Restart(snapshot, BOOTED_CYCLE, sources))
    return simulate({**description, "threads": threads}, folder, expect=(0, 1))


def _row(nodes: int, run: Run, said: Reached) -> list[object]:
    target_ms = (run.end_cycle - BOOTED_CYCLE) / 3.2e6
    return [
        f"{nodes:,}",
        f"{said.reached:,} of {said.pairs:,}",
        f"{said.least_us:.1f} / {said.mean_us:.1f} / {said.most_us:.1f}",
        f"{target_ms:.1f}",
        f"{run.process_wall_s:.1f}",
        f"{run.process_cpu_s:.1f}",
        f"{run.peak_bytes / 2**20 / nodes:.1f}",
        f"{run.peak_bytes / 2**30:.2f}",
        run.token_hash,
    ]


def _check_threads(experiment: Experiment, snapshot: Path) -> Run:
    """Run the small cluster twice; return one of the runs.

    Raises:
        ExperimentError: their token hashes differ.
    """
    runs = [
        clones(experiment, snapshot, SMALL, "pings neighbours=arp", threads)
        for threads in (experiment.threads, 1)
    ]
    if runs[0].token_hash != runs[1].token_hash:
        raise ExperimentError(
            f"{SMALL} clones: token hash {runs[1].token_hash} with 1 thread, "
            f"expected {runs[0].token_hash}."
        )
    experiment.say(
        f"{SMALL} clones: token hash {runs[0].token_hash} with {experiment.threads} threads, and "
        "with 1"
    )
    return runs[0]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--nodes", type=int, default=0, help=f"nodes of the largest cluster (default: {LARGE:,})"
    )


@experiment_named("linux-256", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every clone reaches every other one."""
    snapshot, boot = booted(experiment)
    experiment.say(f"one node booted and saved: {boot.process_wall_s:.1f} s")
    runs = {SMALL: _check_threads(experiment, snapshot)}
    largest = experiment.arguments.nodes or LARGE
    sizes = {} if experiment.quick else {MIDDLE: "", largest: f" peers={PEERS}"}
    for nodes, peers in sizes.items():
        command = f"pings neighbours=known{peers}"
        runs[nodes] = clones(experiment, snapshot, nodes, command, experiment.threads)
    said = {nodes: reached(run) for nodes, run in runs.items()}
    experiment.table(
        f"Clones of one Linux node ({ENGINE})",
        [
            "nodes",
            "pairs reached",
            "round trip, least / mean / most (us)",
            "target time (ms)",
            "wall (s)",
            "processor (s)",
            "memory a node (MiB)",
            "memory (GiB)",
            "token hash",
        ],
        [_row(nodes, run, said[nodes]) for nodes, run in runs.items()],
    )
    kept: dict[str, Any] = {
        str(nodes): {
            "reached": said[nodes].reached,
            "pairs": said[nodes].pairs,
            "wall_s": run.process_wall_s,
            "cpu_s": run.process_cpu_s,
            "peak_bytes": run.peak_bytes,
            "token_hash": run.token_hash,
        }
        for nodes, run in runs.items()
    }
    experiment.keep(clones=kept)
    whole = all(
        run.exit_status == 0 and said[nodes].reached == said[nodes].pairs
        for nodes, run in runs.items()
    )
    figures = [
        f"{nodes:,} nodes: {said[nodes].reached:,} of {said[nodes].pairs:,} pairs, "
        f"{run.peak_bytes / 2**20 / nodes:.1f} MiB a node, {run.process_wall_s:.1f} s"
        for nodes, run in runs.items()
        if nodes != SMALL or experiment.quick
    ]
    return Verdict(whole, "; ".join(figures) + ",", "all pairs of all")
