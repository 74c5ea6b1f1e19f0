# SPDX-License-Identifier: BSD-3-Clause
"""How fast clusters are simulated: against their number of nodes, and against link latency.

Figures 2.8 and 2.9 of the dissertation, for the engines of one computer. As there, all nodes boot
Linux at the same time; functional ones to their power-off, those in RTL for their first cycles.
Rates are target cycles in a second of processor time, which other work on the computer changes
little. The runs of a figure follow each other, and that again, so that slow changes of the computer
meet all of them; the best of each counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regression.support.cluster import Cluster
from regression.support.experiment import Experiment, ExperimentError
from regression.support.linux import linux_config
from regression.support.plotting import PUBLISHED, new_figure, save_figure
from regression.support.simulate import Run, simulate

PUBLISHED_MHZ = {8: 37.8, 1024: 3.42}
"""Figure 2.8: nodes on FPGAs of a cloud, links of 2 us."""
TOPOLOGIES = {
    1: "rack_1",
    2: "rack_2",
    4: "rack_4",
    8: "rack_8",
    32: "tree_4_8",
    128: "tree_4_4_8",
}
NODES = {"functional": (1, 8, 32, 128), "rtl": (1, 2, 4, 8)}
LATENCIES_NS = {"functional": (5, 20, 50, 200, 2_000, 8_000), "rtl": (5, 20, 50, 200, 2_000)}
USUAL_LATENCY_NS = 2_000
LATENCY_NODES = {"functional": 8, "rtl": 2}
"""Nodes of the clusters whose link latency changes."""
QUICK_NODES = {"functional": (1, 4)}
QUICK_LATENCIES_NS = {"functional": (5, 2_000)}
RTL_CYCLES = 300_000
"""For which nodes in RTL boot."""
LABELS = {
    "functional": "functional, Linux boots and powers off",
    "rtl": f"RTL, the first {RTL_CYCLES:,} cycles of the boot",
}


@dataclass(frozen=True)
class Booted:
    """A cluster that boots."""

    engine: str
    nodes: int
    latency_ns: int

    @property
    def name(self) -> str:
        """The folder of its runs."""
        return f"rate-{self.engine}-{self.nodes}-{self.latency_ns}ns"


@dataclass(frozen=True)
class Rate:
    """What its runs showed; times are those of the quickest in seconds."""

    cluster: Booted
    cycles: int
    cpu_s: float
    wall_s: float
    token_hash: str

    @property
    def mhz(self) -> float:
        """Millions of target cycles of the whole cluster in a second of processor time."""
        return self.cycles / self.cpu_s / 1e6


def by_nodes(quick: bool) -> list[Booted]:
    """Return the clusters of figure 2.8."""
    numbers = QUICK_NODES if quick else NODES
    return [
        Booted(engine, nodes, USUAL_LATENCY_NS) for engine, row in numbers.items() for nodes in row
    ]


def by_latency(quick: bool) -> list[Booted]:
    """Return the clusters of figure 2.9."""
    numbers = QUICK_LATENCIES_NS if quick else LATENCIES_NS
    return [
        Booted(engine, LATENCY_NODES[engine], latency_ns)
        for engine, row in numbers.items()
        for latency_ns in row
    ]


def _described(experiment: Experiment, cluster: Booted) -> dict[str, Any]:
    node = {"blade": "rocket-1", "memory": {"size_mib": 64}}
    limited = {"max_cycles": RTL_CYCLES} if cluster.engine == "rtl" else {}
    config = linux_config(
        TOPOLOGIES[cluster.nodes],
        "linux-hello",
        {
            "system": {"link": {"latency": f"{cluster.latency_ns}ns"}, "node": node},
            "simulation": {"engine": cluster.engine, **limited},
        },
    )
    return Cluster(experiment, config).description(experiment.folder / cluster.name)


def _rate(cluster: Booted, runs: list[Run]) -> Rate:
    hashes = {run.token_hash for run in runs}
    if len(hashes) != 1:
        raise ExperimentError(f"{cluster.name}: token hashes {', '.join(hashes)}, expected one.")
    return Rate(
        cluster,
        runs[0].end_cycle,
        min(float(run.result["cpu_s"]) for run in runs),
        min(run.wall_s for run in runs),
        runs[0].token_hash,
    )


def measure_rates(experiment: Experiment) -> list[Rate]:
    """Simulate all clusters, each with 1 and with 2 threads, and print the table.

    Raises:
        ExperimentError: a cluster had two token hashes.
    """
    quick = experiment.quick
    clusters = list(dict.fromkeys([*by_nodes(quick), *by_latency(quick)]))
    runs: dict[Booted, list[Run]] = {cluster: [] for cluster in clusters}
    described = {cluster: _described(experiment, cluster) for cluster in clusters}
    for threads in (1, 2):
        for cluster in clusters:
            folder = experiment.folder / f"{cluster.name}-{threads}"
            run = simulate({**described[cluster], "threads": threads}, folder, expect=(0, 1))
            if run.result["reason"] != ("max_cycles" if cluster.engine == "rtl" else "ended"):
                raise ExperimentError(f"{folder}: the run ended with {run.result['reason']}.")
            runs[cluster].append(run)
    rates = [_rate(cluster, found) for cluster, found in runs.items()]
    experiment.table(
        "Clusters that boot Linux (processor time, the better of 1 and 2 threads)",
        ["engine", "nodes", "link (ns)", "cycles", "CPU (s)", "rate (MHz)", "hash"],
        [
            [
                rate.cluster.engine,
                f"{rate.cluster.nodes}",
                f"{rate.cluster.latency_ns:,}",
                f"{rate.cycles:,}",
                f"{rate.cpu_s:.2f}",
                f"{rate.mhz:.3f}",
                rate.token_hash,
            ]
            for rate in rates
        ],
    )
    return rates


def _of(rates: list[Rate], clusters: list[Booted], engine: str) -> list[Rate]:
    found = {rate.cluster: rate for rate in rates}
    return [found[cluster] for cluster in clusters if cluster.engine == engine]


def gains(rates: list[Rate], quick: bool) -> dict[str, float]:
    """Return by engine how much faster the longest links are simulated than the shortest."""
    found = {}
    for engine in QUICK_NODES if quick else NODES:
        row = _of(rates, by_latency(quick), engine)
        found[engine] = row[-1].mhz / row[0].mhz
    return found


def _style(axes: Any, label: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(label)
    axes.set_ylabel("target MHz of the whole cluster")
    axes.legend(fontsize=8)


def plot_rates(experiment: Experiment, rates: list[Rate]) -> Path:
    """Plot both figures; where numbers are published, beside them."""
    figure, (left, right) = new_figure(2, width=5.6, height=4.2)
    for engine in QUICK_NODES if experiment.quick else NODES:
        row = _of(rates, by_nodes(experiment.quick), engine)
        label = LABELS[engine]
        left.plot([one.cluster.nodes for one in row], [one.mhz for one in row], "o-", label=label)
        row = _of(rates, by_latency(experiment.quick), engine)
        label = f"{engine}, {LATENCY_NODES[engine]} nodes"
        right.plot(
            [one.cluster.latency_ns for one in row], [one.mhz for one in row], "o-", label=label
        )
    published = dict(PUBLISHED, marker="D", markersize=4)
    left.plot(
        [*PUBLISHED_MHZ],
        [*PUBLISHED_MHZ.values()],
        label="published, FPGAs (wall time)",
        **published,
    )
    left.set_title("Figure 2.8: rate against nodes")
    right.set_title("Figure 2.9: rate against link latency")
    _style(left, f"nodes, links of {USUAL_LATENCY_NS:,} ns\n(ours: one core's processor time)")
    _style(right, "link latency (ns of target time)\n(published: rises with latency)")
    return save_figure(figure, experiment.folder, "rates")
