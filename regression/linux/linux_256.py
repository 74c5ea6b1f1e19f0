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
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.report.console import NUMBER, WHOLE_NUMBER
from firesim.topology.describe import Restart

from regression.support.cluster import Cluster, Config
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.linux import ENGINE, linux_config
from regression.support.simulate import Run, simulate

SMALL, MIDDLE, LARGE = 16, 256, 1024
LARGE_PEERS = 16
"""How many others each of the largest cluster pings: all pairs of 1,024 are a million."""
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


def tree_of(nodes: int) -> str:
    """Return the two-level tree of so many nodes that is nearest to a square.

    Raises:
        ExperimentError: it would have one level.
    """
    racks = next(width for width in range(math.isqrt(nodes), 0, -1) if nodes % width == 0)
    if racks == 1:
        raise ExperimentError(
            f"found {nodes} nodes, expected a number that is a product, as {LARGE}."
        )
    return f"tree_{racks}_{nodes // racks}"


def _config(topology: str, command: str | None) -> Config:
    node = {"linux": "linux-pings", **({"command": command} if command else {})}
    return linux_config(topology, "linux-pings", {"workload": {"node": node}})


def booted(experiment: Experiment) -> tuple[Path, Run]:
    """Boot one node and save it; return the snapshot and the run.

    Raises:
        ExperimentError: it does not offer a prompt.
    """
    folder = experiment.folder / "boot"
    description = Cluster(experiment, _config("rack_1", None)).description(folder)
    description["snapshots"] = {"directory": "snapshots", "at_cycles": [BOOTED_CYCLE]}
    description["max_cycles"] = BOOTED_CYCLE + 1
    run = simulate(description, folder, expect=(0, 1))
    if PROMPT not in run.console("node0").rpartition("\n")[2]:
        raise ExperimentError(f"{folder}: found no prompt at cycle {BOOTED_CYCLE:,}, expected one.")
    return folder / "snapshots" / f"cycle-{BOOTED_CYCLE}", run


def clones(experiment: Experiment, snapshot: Path, nodes: int, command: str, threads: int) -> Run:
    """Run so many clones to their power-off."""
    cluster = Cluster(experiment, _config(tree_of(nodes), command))
    folder = experiment.folder / f"clones-{nodes}-{threads}"
    sources = {node.name: "node0" for node in cluster.plan.nodes}
    description = cluster.description(folder, Restart(snapshot, BOOTED_CYCLE, sources))
    return simulate({**description, "threads": threads}, folder, expect=(0, 1))


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
    sizes = {} if experiment.quick else {MIDDLE: "", largest: f" peers={LARGE_PEERS}"}
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
