# SPDX-License-Identifier: BSD-3-Clause
"""How far one host scales: 32, 128 and 1,024 traffic nodes in a tree of switches.

Nodes replay traffic files. Each tree is run idle, with sparse traffic across the whole tree, and
with every node sending at full rate. Memory and time per node-cycle are measured, and what an idle
link costs: 32 nodes at full rate are run alone, and again as one rack of the largest tree whose
other nodes are silent; the difference, divided by the links added, is compared with a loaded link.
Then figures 2.8 and 2.9 for the engines of nodes with software: how fast clusters that boot Linux
are simulated, against their number of nodes and against the latency of their links.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from regression.ledger.rates import gains, measure_rates, plot_rates
from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.plotting import new_figure, save_figure
from regression.support.simulate import Run
from regression.support.traffic import LEAST_FRAME_BYTES, Packets, mac_of, traffic_config

TREES = {32: "tree_4_8", 128: "tree_4_4_8", 1024: "tree_4_8_32"}
LARGEST = 1024
RACK = 32
"""Nodes on one top-of-rack switch of the largest tree."""
LATENCY_CYCLES = 6_400
FRAME_BYTES = 1_518
SPARSE_CYCLES = 128_000
"""Cycles between two packets of a node in the sparse mode."""
IDLE_SHARE = 0.02
"""An idle link may cost at most this share of a loaded one."""
MOST_MIB_A_NODE = 4.0

Traffic = dict[int, list[Packets]]


def _until(cycles: int, node: int) -> Packets:
    """Return the packet that ends the run: one token that a switch drops, in the last cycle."""
    return Packets(cycles - 1, mac_of(node), LEAST_FRAME_BYTES)


def idle(nodes: int, cycles: int, seed: int) -> Traffic:
    """Return no traffic but the token that ends the run."""
    return {0: [_until(cycles, 0)]}


def sparse(nodes: int, cycles: int, seed: int) -> Traffic:
    """Return packets of every node to random other nodes."""
    rng = random.Random(seed)
    traffic: Traffic = {}
    for node in range(nodes):
        start = rng.randrange(20, SPARSE_CYCLES)
        targets = ((c, rng.randrange(nodes - 1)) for c in range(start, cycles - 1, SPARSE_CYCLES))
        traffic[node] = [
            Packets(cycle, mac_of(other + (other >= node)), FRAME_BYTES) for cycle, other in targets
        ]
    traffic[0].append(_until(cycles, 0))
    return traffic


def full(nodes: int, cycles: int, seed: int) -> Traffic:
    """Return back-to-back packets of every node to its neighbour on the same switch."""
    count = cycles // Packets(0, "", FRAME_BYTES).flits
    return {node: [Packets(20, mac_of(node ^ 1), FRAME_BYTES, count)] for node in range(nodes)}


MODES: dict[str, Callable[[int, int, int], Traffic]] = {
    "idle": idle,
    "sparse": sparse,
    "full rate": full,
}


@dataclass(frozen=True)
class Cost:
    """What one run cost."""

    nodes: int
    mode: str
    run: Run

    @property
    def ns_per_node_cycle(self) -> float:
        """Host nanoseconds of CPU time for each node and target cycle."""
        return float(self.run.result["cpu_s"]) * 1e9 / self.nodes / self.run.end_cycle

    @property
    def mib_per_node(self) -> float:
        """Peak memory of the whole process for each node."""
        return self.run.peak_bytes / 2**20 / self.nodes


def _run(experiment: Experiment, name: str, tree: str, traffic: Traffic, threads: int = 0) -> Run:
    config = traffic_config(tree, experiment.folder / name, traffic)
    config = merged(config, {"simulation": {"threads": threads or experiment.threads}})
    run = run_cluster(experiment, name, config)
    sent = sum(p.count for packets in traffic.values() for p in packets)
    found = sum(node["statistics"]["packets_sent"] for node in run.result["nodes"])
    if found != sent:
        raise ExperimentError(f"{name}: {found} packets were sent, expected {sent}.")
    return run


def measure_trees(experiment: Experiment) -> list[Cost]:
    """Run every tree in every mode and print the table."""
    scale = 1 if experiment.quick else experiment.arguments.scale
    costs, rows = [], []
    for nodes, tree in TREES.items():
        for mode, make in MODES.items():
            batches = 2_000_000 // nodes // (20 if mode == "full rate" else 1) // 8 + 12
            cycles = LATENCY_CYCLES * batches * scale
            traffic = make(nodes, cycles, experiment.seed)
            name = f"{nodes}-{mode.replace(' ', '-')}"
            cost = Cost(nodes, mode, _run(experiment, name, tree, traffic))
            costs.append(cost)
            run = cost.run
            rate = run.end_cycle / run.wall_s
            rows.append(
                [
                    f"{nodes:,} {mode}",
                    f"{len(run.result['switches']):,}",
                    f"{run.end_cycle:,}",
                    f"{sum(n['statistics']['packets_sent'] for n in run.result['nodes']):,}",
                    f"{run.wall_s:.2f}",
                    f"{rate / 1e3:,.0f}",
                    f"{cost.ns_per_node_cycle:.4f}",
                    f"{run.peak_bytes / 2**20:,.0f}",
                    f"{cost.mib_per_node:.2f}",
                ]
            )
    experiment.table(
        f"Trees of traffic nodes, {LATENCY_CYCLES:,}-cycle links",
        [
            "nodes",
            "switches",
            "simulated (cycles)",
            "sent (packets)",
            "wall (s)",
            "rate (target kHz)",
            "CPU (ns per node-cycle)",
            "peak (MiB)",
            "(MiB per node)",
        ],
        rows,
    )
    return costs


def measure_idle_links(experiment: Experiment) -> tuple[float, float]:
    """Return (ns per idle link and batch, ns per loaded link and batch), CPU time."""
    batches = 60 if experiment.quick else 400
    cycles, repeats = LATENCY_CYCLES * batches, 3 if experiment.quick else 5
    loaded = full(RACK, cycles, experiment.seed)
    Kept = list[tuple[float, int, int]]  # CPU seconds, cycles, links
    alone: Kept = []
    inside: Kept = []
    empty: Kept = []
    for index in range(repeats):
        for name, tree, traffic, kept in (
            ("alone", f"rack_{RACK}", loaded, alone),
            ("inside", TREES[LARGEST], loaded, inside),
            ("empty", TREES[LARGEST], idle(LARGEST, cycles, 0), empty),
        ):
            run = _run(experiment, f"idle-links-{name}-{index}", tree, traffic, threads=1)
            kept.append((float(run.result["cpu_s"]), run.end_cycle, len(run.result["links"])))
    ns = {
        name: median(cpu for cpu, _, _ in kept) * 1e9 / (kept[0][1] / LATENCY_CYCLES)
        for name, kept in (("alone", alone), ("inside", inside), ("empty", empty))
    }
    added = inside[0][2] - alone[0][2]
    loaded_ns = ns["alone"] / RACK
    idle_ns = ns["empty"] / empty[0][2]
    difference_ns = (ns["inside"] - ns["alone"]) / added
    experiment.table(
        "What an idle link costs (one thread, median of repeats)",
        ["", "links", "CPU (µs per batch of 6,400 cycles)", "CPU (ns per link and batch)"],
        [
            ["32 nodes at full rate", RACK, f"{ns['alone'] / 1e3:,.1f}", f"{loaded_ns:,.0f}"],
            [
                "the same as one rack of 1,024 nodes",
                inside[0][2],
                f"{ns['inside'] / 1e3:,.1f}",
                f"{difference_ns:,.0f} for each link added",
            ],
            ["1,024 silent nodes", empty[0][2], f"{ns['empty'] / 1e3:,.1f}", f"{idle_ns:,.0f}"],
        ],
    )
    return max(idle_ns, difference_ns), loaded_ns


def _plot(experiment: Experiment, costs: list[Cost]) -> Path:
    figure, (left, right) = new_figure(2, width=5.2)
    for mode in MODES:
        chosen = [cost for cost in costs if cost.mode == mode]
        nodes = [cost.nodes for cost in chosen]
        left.plot(nodes, [cost.ns_per_node_cycle for cost in chosen], marker="o", label=mode)
        right.plot(nodes, [cost.run.peak_bytes / 2**20 for cost in chosen], marker="o", label=mode)
    left.set_yscale("log")
    left.set_ylabel("CPU time (ns per node-cycle, measured)")
    left.set_title("Time")
    right.set_ylim(bottom=0)
    right.set_ylabel("peak memory (MiB, measured)")
    right.set_title("Memory")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(TREES), [f"{nodes:,}" for nodes in TREES])
        axes.set_xlabel("traffic nodes in a tree")
        axes.legend()
    return save_figure(figure, experiment.folder, "scale")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scale", type=int, default=8, help="makes every tree run longer")


@experiment_named("scale", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when 1,024 nodes fit, idle links cost next to nothing, and long links are quicker.

    In RTL a node costs so much more than its link that latency hardly shows.
    """
    costs = measure_trees(experiment)
    idle_ns, loaded_ns = measure_idle_links(experiment)
    experiment.note_file(_plot(experiment, costs))
    rates = measure_rates(experiment)
    experiment.note_file(plot_rates(experiment, rates))
    gained = gains(rates, experiment.quick)
    most_mib = max(cost.mib_per_node for cost in costs if cost.nodes == LARGEST)
    share = idle_ns / loaded_ns
    experiment.keep(
        ns_per_node_cycle={f"{c.nodes} {c.mode}": c.ns_per_node_cycle for c in costs},
        peak_bytes={f"{c.nodes} {c.mode}": c.run.peak_bytes for c in costs},
        idle_link_ns=idle_ns,
        loaded_link_ns=loaded_ns,
        mhz={rate.cluster.name: rate.mhz for rate in rates},
        long_links_gain=gained,
    )
    figure = (
        f"1,024 nodes in {most_mib:.2f} MiB each, an idle link costs {idle_ns:.0f} ns a batch, "
        f"{share:.1%} of a loaded one, long "
        f"links are simulated {' and '.join(f'{gain:.2f}' for gain in gained.values())} times as "
        f"fast as short ones ({' and '.join(gained)}),"
    )
    small = most_mib <= MOST_MIB_A_NODE
    return Verdict(
        small and share <= IDLE_SHARE and gained["functional"] > 1,
        figure,
        f"{IDLE_SHARE:.0%}, {MOST_MIB_A_NODE:g} MiB a node, functional nodes faster on long links",
        timed_only=small,
    )
