# SPDX-License-Identifier: BSD-3-Clause
"""The switch part of the speed ledger: one switch and its links, idle and at full load.

switch-bench runs a switch with 6,405-cycle links and 1,518-byte frames on one thread: the tokens of
every port are made, moved through both directions of its link, hashed and counted. What is compared
is the switch and its links; the time in which the sources make their frames is measured, shown and
left out. The incumbent's switch core, measured with the same load on a 2-core machine, is the
published side; the comparison claims the ratio.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

from firesim.build.simulator import configure_and_build

from regression.support.experiment import Experiment, ExperimentError
from regression.support.plotting import new_figure, save_figure

INCUMBENT_NS = {"idle": 11_700.0, "loaded": 40_000.0}
"""Nanoseconds per port and 6,405-cycle batch of the incumbent's switch core."""
GOAL_TIMES_LESS = {"idle": 100.0, "loaded": 5.0}
BATCHES = {"idle": 40_000, "loaded": 400}
BINARY = "switch-bench"


def bench(mode: str, ports: int, batches: int) -> dict[str, Any]:
    """Run switch-bench once in one mode and return what it printed.

    Raises:
        ExperimentError: it failed.
    """
    binary = configure_and_build(targets=(BINARY,)) / "bin" / BINARY
    command = [str(binary), "--mode", mode, "--ports", str(ports), "--batches", str(batches)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ExperimentError(f"{' '.join(command)}: exit status {done.returncode}.\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def measure_switch(experiment: Experiment) -> dict[str, dict[str, float]]:
    """Measure the switch in both modes, print the table, return the medians by mode."""
    repeats: int = experiment.arguments.repeats or (1 if experiment.quick else 9)
    ports: int = experiment.arguments.ports
    rows, medians = [], {}
    for mode, incumbent_ns in INCUMBENT_NS.items():
        batches = BATCHES[mode] // (16 if experiment.quick else 1)
        runs = [bench(mode, ports, batches) for _ in range(repeats)]
        cost = [
            run["cpu_ns_per_port_and_batch"] - run["sources_ns_per_port_and_batch"] for run in runs
        ]
        middle = {
            "cpu_ns": median(cost),
            "with_sources_ns": median(run["cpu_ns_per_port_and_batch"] for run in runs),
            "switch_ns": median(run["switch_ns_per_port_and_batch"] for run in runs),
            "cycles_per_s": runs[0]["latency_cycles"] / (ports * median(cost) * 1e-9),
            "times_less": incumbent_ns / median(cost),
        }
        medians[mode] = middle
        rows.append(
            [
                f"{ports} ports, {mode}",
                f"{middle['cycles_per_s'] / 1e6:,.1f}",
                f"{middle['cpu_ns']:,.0f}",
                f"{min(cost):,.0f} … {max(cost):,.0f}",
                f"{middle['switch_ns']:,.0f}",
                f"{middle['with_sources_ns']:,.0f}",
                f"{incumbent_ns:,.0f}",
                f"{middle['times_less']:.1f}",
                f"{GOAL_TIMES_LESS[mode]:.0f}",
            ]
        )
    experiment.table(
        f"Switch and links, one thread, median of {repeats}",
        [
            "",
            "rate (million target cycles per CPU second)",
            "switch and links (CPU ns per port and batch)",
            "(least … most)",
            "of it the switch (ns)",
            "with the sources (ns)",
            "incumbent (ns, published)",
            "times less",
            "aim (times)",
        ],
        rows,
    )
    return medians


def plot_switch(experiment: Experiment, medians: dict[str, dict[str, float]]) -> Path:
    figure, axes = new_figure(width=5.6)
    modes = list(medians)
    places = range(len(modes))
    ours = [medians[mode]["cpu_ns"] for mode in modes]
    axes.bar([p - 0.2 for p in places], ours, width=0.38, label="measured, switch and links")
    axes.bar(
        [p + 0.2 for p in places],
        [INCUMBENT_NS[mode] for mode in modes],
        width=0.38,
        color="#94a3b8",
        label="incumbent's switch core",
    )
    axes.set_yscale("log")
    axes.set_xticks(list(places), modes)
    axes.set_ylabel("CPU ns per port and 6,405-cycle batch")
    axes.set_title("Cost of a switch port")
    axes.legend()
    return save_figure(figure, experiment.folder, "speed-switch")
