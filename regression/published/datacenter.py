# SPDX-License-Identifier: BSD-3-Clause
"""Table 2.3: pairs of memcached servers and loads in a datacenter, near and far from each other.

One Linux node of four cores boots and is cloned into three levels of switches: racks, aggregation
switches, a root. Half of the nodes serve, half load one server each, over a rack's switch, an
aggregation switch or the root. Each level adds four link latencies to a request and its answer,
8 us at 2 us a link; published are 7.8 and 6.7. The functional engine gives each instruction one
cycle, so that only these differences are compared, and not the latencies. The 95th percentile is
not, since it does not grow with the level in the published table.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from firesim.topology.describe import Restart

from regression.support.cluster import Cluster, Config
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.linux import CLOCK_HZ, ENGINE, Load, linux_config, loads
from regression.support.plotting import COLOURS, new_figure, save_figure
from regression.support.simulate import Run, simulate

WORKLOAD = "linux-datacenter"
BOOTED_CYCLE = 48_000_000
"""Where the first node is saved: 15 ms after reset it has been at its prompt for long."""
TREES = {16: (2, 2, 4), 32: (2, 2, 8), 128: (4, 4, 8), 256: (4, 4, 16), 1024: (4, 8, 32)}
"""By the number of nodes: aggregation switches, racks below each, nodes in each."""
QUICK_NODES, NODES = 16, 1024
QUICK_MS, MILLISECONDS = 10, 100
RATE_PER_S, THREADS, CONNECTIONS = 9_000, 4, 4
UNSPREAD_NODES, SPREAD_US = 128, 5
"""Clones that begin at once ask for an address at once, all by broadcast. Where there are more,
each begins so much later than the one before: NICs would drop requests, repeated after a second.
"""
LEVEL_US, GOAL_US = 8.0, 1.0
"""Four links of 2 us, and how far a median may be from that."""


@dataclass(frozen=True)
class Pairing:
    """Which server a load asks, and what is published of it."""

    name: str
    level: int
    published_p50_us: float
    published_p95_us: float
    published_per_s: float


PAIRINGS = (
    Pairing("cross-ToR", 0, 79.26, 128.15, 4_691_888),
    Pairing("cross-aggregation", 1, 87.10, 111.25, 4_492_745.6),
    Pairing("cross-datacenter", 2, 93.82, 119.50, 4_077_369.6),
)


@dataclass(frozen=True)
class Point:
    """All loads of a pairing: median of their medians, mean of their 95th percentiles, sums."""

    name: str
    p50_us: float
    p95_us: float
    answered_per_s: float
    failures: int
    run: Run

    def sentence(self, nodes: int) -> str:
        """Return what is said as soon as the pairing is done: others may take long."""
        return (
            f"{self.name}: median {self.p50_us:.2f} us, 95 % {self.p95_us:.2f} us, "
            f"{self.answered_per_s:,.0f} requests/s, {self.failures} failures, "
            f"{self.run.process_wall_s:.0f} s, {self.run.process_cpu_s:.0f} s of processor time, "
            f"{self.run.private_bytes / 2**20 / nodes:.1f} MiB a node, {self.run.token_hash}"
        )

    def row(self, pairing: Pairing, nodes: int) -> list[object]:
        """Return the row of the table."""
        return [
            self.name,
            f"{self.p50_us:.2f}",
            f"{pairing.published_p50_us:.2f}",
            f"{self.p95_us:.2f}",
            f"{pairing.published_p95_us:.2f}",
            f"{self.answered_per_s:,.0f}",
            f"{pairing.published_per_s:,.0f}",
            str(self.failures),
            f"{self.run.process_wall_s:.0f} / {self.run.process_cpu_s:.0f}",
            f"{self.run.private_bytes / 2**20 / nodes:.1f}",
            self.run.token_hash,
        ]


def _config(topology: str, command: str | None) -> Config:
    job = {"linux": WORKLOAD, **({"command": command} if command else {})}
    over: Config = {
        "system": {"node": {"blade": "rocket-4"}},
        "workload": {"node": job},
    }
    return linux_config(topology, WORKLOAD, over)


def _booted(experiment: Experiment) -> tuple[Path, Run]:
    """Boot one node and save it at its prompt."""
    folder = experiment.folder / "boot"
    description = Cluster(experiment, _config("rack_1", None)).description(folder)
    description["snapshots"] = {"directory": "snapshots", "at_cycles": [BOOTED_CYCLE]}
    description["max_cycles"] = BOOTED_CYCLE + 1
    run = simulate(description, folder, expect=(0, 1))
    if "# " not in run.console("node0").rpartition("\n")[2]:
        raise ExperimentError(f"{folder}: found no prompt at cycle {BOOTED_CYCLE:,}, expected one.")
    return folder / "snapshots" / f"cycle-{BOOTED_CYCLE}", run


def command_of(pairing: Pairing, tree: tuple[int, int, int], seed: int, milliseconds: int) -> str:
    """Return what each node is told: with whom, how fast and for how long."""
    _, racks, width = tree
    # A rack away, within an aggregation switch; or an aggregation switch away, within all.
    apart = (0, width, racks * width)[pairing.level]
    nodes = tree[0] * racks * width
    group = (width, racks * width, nodes)[pairing.level]
    wait = f"usleep $((FIRESIM_INDEX * {SPREAD_US})); " if nodes > UNSPREAD_NODES else ""
    return (
        f"{wait}APART={apart} GROUP={group} RATE={RATE_PER_S} MILLISECONDS={milliseconds} "
        f"SEED={seed} THREADS={THREADS} CONNECTIONS={CONNECTIONS} sh /etc/firesim/datacenter"
    )


def _clones(
    experiment: Experiment,
    snapshot: Path,
    tree: tuple[int, int, int],
    command: str,
    name: str,
    threads: int,
) -> Run:
    cluster = Cluster(experiment, _config("tree_" + "_".join(map(str, tree)), command))
    folder = experiment.folder / name
    sources = {node.name: "node0" for node in cluster.plan.nodes}
    description = cluster.description(folder, Restart(snapshot, BOOTED_CYCLE, sources))
    run = simulate({**description, "threads": threads}, folder, expect=(0, 1))
    if run.result["reason"] != "ended":
        raise ExperimentError(
            f"{folder}: the run ended with {run.result['reason']}, expected the nodes to end it."
        )
    return run


def _point(pairing: Pairing, run: Run) -> Point:
    names = [str(node["name"]) for node in run.result["nodes"]]
    found: list[Load] = []
    for name in names[1::2]:
        found += loads(run.console(name), name, 1)
    return Point(
        pairing.name,
        median(load.p50_us for load in found),
        mean(load.p95_us for load in found),
        sum(load.answered_per_s for load in found),
        sum(load.failures for load in found),
        run,
    )


def _plot(experiment: Experiment, points: list[Point], nodes: int) -> Path:
    figure, axes = new_figure(width=6.4, height=4.2)
    places = range(len(PAIRINGS))
    bars = (
        ("median", [point.p50_us for point in points]),
        ("95 %", [point.p95_us for point in points]),
        ("median, published", [pairing.published_p50_us for pairing in PAIRINGS]),
        ("95 %, published", [pairing.published_p95_us for pairing in PAIRINGS]),
    )
    for number, (label, values) in enumerate(bars):
        at = [place + 0.2 * number - 0.3 for place in places]
        axes.bar(at, values, width=0.19, color=COLOURS[number], label=label)
    axes.set_xticks(list(places), [pairing.name for pairing in PAIRINGS])
    axes.set_ylabel("latency (µs of target time)")
    axes.set_title(f"{nodes:,} nodes, half serve, half load: {ENGINE}", fontsize=9)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=4, fontsize=8)
    return save_figure(figure, experiment.folder, "datacenter")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--nodes", type=int, choices=tuple(TREES), help=f"nodes of all (default: {NODES:,})"
    )
    parser.add_argument(
        "--milliseconds", type=int, help="target time of the loads, of each pairing"
    )


def _check_one_thread(experiment: Experiment, point: Point, again: Run) -> None:
    if again.token_hash != point.run.token_hash:
        raise ExperimentError(
            f"{again.folder}: token hash {again.token_hash} with 1 thread, expected "
            f"{point.run.token_hash}."
        )
    experiment.say(f"{point.name}: token hash {again.token_hash} with 1 thread, too")


@experiment_named("datacenter", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when each level of switches adds four link latencies to the median."""
    nodes: int = experiment.arguments.nodes or (QUICK_NODES if experiment.quick else NODES)
    default_ms = QUICK_MS if experiment.quick else MILLISECONDS
    milliseconds: int = experiment.arguments.milliseconds or default_ms
    tree = TREES[nodes]
    snapshot, boot = _booted(experiment)
    experiment.say(f"one node booted and saved: {boot.process_wall_s:.1f} s")
    points: list[Point] = []
    for pairing in PAIRINGS:
        command = command_of(pairing, tree, experiment.seed, milliseconds)
        made = _clones(experiment, snapshot, tree, command, pairing.name, experiment.threads)
        points.append(_point(pairing, made))
        experiment.say(points[-1].sentence(nodes))
        if experiment.quick and pairing == PAIRINGS[-1]:
            one = _clones(experiment, snapshot, tree, command, f"{pairing.name}-1-thread", 1)
            _check_one_thread(experiment, points[-1], one)
    experiment.table(
        f"{nodes:,} nodes of 4 cores ({ENGINE}), {nodes // 2:,} servers, {nodes // 2:,} loads of "
        f"{RATE_PER_S:,} requests a second for {milliseconds} ms; p50: median of the loads, p95: "
        "mean; MiB a node: without pages of the snapshot, which all clones share; published: 1,024 "
        "nodes in RTL on FPGAs",
        [
            *("pairing", "p50 (us)", "published", "p95 (us)", "published", "requests (1/s)"),
            *("published", "failures", "wall / processor (s)", "MiB a node", "token hash"),
        ],
        [point.row(pairing, nodes) for point, pairing in zip(points, PAIRINGS, strict=True)],
    )
    experiment.note_file(_plot(experiment, points, nodes))
    steps = [far.p50_us - near.p50_us for near, far in pairwise(points)]
    failures = sum(point.failures for point in points)
    kept = {point.name: {**vars(point), "run": point.run.token_hash} for point in points}
    experiment.keep(points=kept, steps_us=steps, nodes=nodes, target_s=milliseconds / 1e3)
    whole = failures == 0 and all(abs(step - LEVEL_US) <= GOAL_US for step in steps)
    cycles = points[-1].run.end_cycle - BOOTED_CYCLE
    return Verdict(
        whole,
        f"{nodes:,} nodes: medians {', '.join(f'{point.p50_us:.2f}' for point in points)} us, "
        f"a level adds {' and '.join(f'{step:.2f}' for step in steps)} us, {failures} failures, "
        f"{cycles / CLOCK_HZ * 1e3:.0f} ms a pairing,",
        f"{LEVEL_US - GOAL_US:.0f} to {LEVEL_US + GOAL_US:.0f} us a level (7.84, 6.72 published)",
    )
