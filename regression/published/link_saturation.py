# SPDX-License-Identifier: BSD-3-Clause
"""The published saturation experiment (figure 2.6): senders fill the root of a 16-node tree.

16 Rocket nodes, 8 on each of two top-of-rack switches under one root. Each node of the first rack
streams to one of the second, through the root; they start one after another. Every sender is held
to 1, 10, 40 or 100 Gb/s by the rate limiter of its NIC. The root link saturates at 200 Gb/s after
the 2nd sender of 100 Gb/s and the 5th of 40 Gb/s, and tops out at 80 and 8 Gb/s for 10 and 1. The
comparison claims the absolute values of these plateaus.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.report.results import read_table
from firesim.units import rate

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.plotting import COLOURS, PUBLISHED, legend_below, new_figure, save_figure
from regression.support.simulate import Run

SENDERS = 8
RATES_GBPS = (1, 10, 40, 100)
QUICK_RATES_GBPS = (40, 100)
FRAME_BYTES = {1: 64, 10: 512, 40: 1_504, 100: 1_504}
"""Small frames for slow senders: a frame must take a small part of a step."""
LATENCY_CYCLES = 6_400
WAY_IN_CYCLES = 2 * LATENCY_CYCLES + 3_000
"""From a sender to the root and out again, its first frame and two switches included."""
LINK_GBPS = 204.8
PUBLISHED_LINK_GBPS = 200.0
CLOCK_HZ = 3.2e9
INTERVAL_CYCLES = 1_000
SMOOTHED = 4
"""Intervals of which the plot shows the mean; the table uses whole steps."""
TOLERANCE = 0.05
"""How far a plateau may be from senders x rate, or from the link's bandwidth if that is less."""


@dataclass(frozen=True)
class Ramp:
    """The throughput of the root link over time at one sender rate."""

    rate_gbps: int
    cycles: list[float]
    gbps: list[float]
    entries: list[float]
    step_cycles: int

    def plateau(self, senders: int) -> float:
        """Return the mean throughput while `senders` send, in Gb/s, without the way in."""
        begin = self.entries[senders - 1] + WAY_IN_CYCLES
        end = self.entries[senders - 1] + self.step_cycles + 2 * LATENCY_CYCLES
        inside = [g for c, g in zip(self.cycles, self.gbps, strict=True) if begin <= c < end]
        if not inside:
            raise ExperimentError(f"{self.rate_gbps} Gb/s: no throughput from cycle {begin:.0f}.")
        return sum(inside) / len(inside)


def ramp_config(rate_gbps: int, first_cycle: int, step_cycles: int) -> dict[str, Any]:
    """Return 16 nodes of which 8 start to send `step_cycles` after each other."""
    end = first_cycle + SENDERS * step_cycles
    jobs: dict[str, Any] = {}
    for index in range(SENDERS):
        other = index + SENDERS
        jobs[f"node{index}"] = {
            "args": [
                "role=sender",
                f"peer=${{node{other}.mac}}",
                f"start={first_cycle + index * step_cycles}",
                f"end={end}",
                f"size={FRAME_BYTES[rate_gbps]}",
            ]
        }
        jobs[f"node{other}"] = {"args": ["role=receiver", f"end={end}"]}
    return {
        "system": {
            "topology": f"tree_2_{SENDERS}",
            "nodes": {f"node{i}": {"nic_bandwidth_gbps": rate_gbps} for i in range(SENDERS)},
        },
        "workload": {"node": {"program": "saturate"}, "nodes": jobs},
        "simulation": {
            "throughput_interval_cycles": INTERVAL_CYCLES,
            "max_cycles": end + WAY_IN_CYCLES,
        },
    }


def limited_gbps(rate_gbps: int) -> float:
    """Return what the rate limiter is set to let through, in Gb/s.

    Rates are parts of a link called 200 Gb/s, which carries 204.8: 100 Gb/s is every second flit.
    """
    increment, period = rate(rate_gbps)
    return LINK_GBPS * increment / period


def root_throughput(run: Run, end: int) -> tuple[list[float], list[float]]:
    """Return (start cycle, Gb/s) of each interval of the root's port to the second rack."""
    table = read_table(run.folder / "root/throughput.csv")
    sums = [0.0] * (end // INTERVAL_CYCLES)
    for row in table.rows:
        cycle, port, _, sent = row
        if int(port) == 1 and int(cycle) // INTERVAL_CYCLES < len(sums):
            sums[int(cycle) // INTERVAL_CYCLES] += sent
    to_gbps = 8 * CLOCK_HZ / INTERVAL_CYCLES / 1e9
    return [float(i * INTERVAL_CYCLES) for i in range(len(sums))], [v * to_gbps for v in sums]


def measure(experiment: Experiment, rate_gbps: int) -> Ramp:
    """Run the ramp at one sender rate."""
    first: int = experiment.arguments.first_cycle
    step: int = experiment.arguments.step_cycles or (16_000 if experiment.quick else 64_000)
    run = run_cluster(experiment, f"rate-{rate_gbps}", ramp_config(rate_gbps, first, step))
    end = first + SENDERS * step + WAY_IN_CYCLES
    cycles, gbps = root_throughput(run, end)
    return Ramp(rate_gbps, cycles, gbps, [float(first + i * step) for i in range(SENDERS)], step)


def _plot(experiment: Experiment, ramps: list[Ramp]) -> Path:
    figure, axes = new_figure(width=7.4, height=4.2)
    for index, ramp in enumerate(ramps):
        # Time at the root: two links after the senders.
        start, step = ramp.entries[0] + 2 * LATENCY_CYCLES, ramp.step_cycles
        x = [(cycle + SMOOTHED / 2 * INTERVAL_CYCLES - start) / step for cycle in ramp.cycles]
        smooth = [sum(ramp.gbps[i : i + SMOOTHED]) / SMOOTHED for i in range(len(x) - SMOOTHED)]
        label = f"measured, {ramp.rate_gbps:g} Gb/s a sender"
        axes.plot(x[: len(smooth)], smooth, color=COLOURS[index], linewidth=1.5, label=label)
        shape = [min(PUBLISHED_LINK_GBPS, (n + 1) * ramp.rate_gbps) for n in range(SENDERS)]
        axes.step(
            range(SENDERS + 1),
            [*shape, shape[-1]],
            where="post",
            **PUBLISHED,
            label="published plateaus (figure 2.6)" if index == 0 else None,
        )
    axes.set_xlim(-0.3, SENDERS)
    axes.set_xlabel("time at the root, in steps from the first sender to the next")
    axes.set_ylabel("root link (Gb/s)")
    axes.set_title("Senders enter one after another: bandwidth at the root")
    legend_below(axes)
    return save_figure(figure, experiment.folder, "link-saturation")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--step-cycles", type=int, default=0, help="cycles between two senders")
    parser.add_argument("--first-cycle", type=int, default=60_000, help="when the first one starts")


@experiment_named("link-saturation", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the root's plateaus are the published ones."""
    rates = QUICK_RATES_GBPS if experiment.quick else RATES_GBPS
    ramps = [measure(experiment, rate) for rate in rates]
    rows, worst = [], 0.0
    plateaus: dict[str, list[float]] = {}
    for ramp in ramps:
        measured = [ramp.plateau(n) for n in range(1, SENDERS + 1)]
        plateaus[str(ramp.rate_gbps)] = measured
        wanted = [min(LINK_GBPS, n * limited_gbps(ramp.rate_gbps)) for n in range(1, SENDERS + 1)]
        pairs = list(zip(measured, wanted, strict=True))
        worst = max(worst, *(abs(got - want) / want for got, want in pairs))
        saturated = next((n for n, g in enumerate(measured, 1) if g >= 0.95 * LINK_GBPS), None)
        published = next(
            (n for n in range(1, SENDERS + 1) if n * ramp.rate_gbps >= PUBLISHED_LINK_GBPS), None
        )
        rows.append(
            [
                f"{ramp.rate_gbps:g} ({limited_gbps(ramp.rate_gbps):g})",
                *(f"{g:.1f}" for g in measured),
                saturated or "never",
                f"{published or 'never'}, {min(200, SENDERS * ramp.rate_gbps):g}",
            ]
        )
    experiment.table(
        "Bandwidth at the root",
        [
            "a sender (Gb/s, configured; limiter set to)",
            *(f"{n} (Gb/s)" for n in range(1, SENDERS + 1)),
            "saturated after (senders, measured)",
            "published (senders, Gb/s)",
        ],
        rows,
    )
    experiment.note_file(_plot(experiment, ramps))
    experiment.keep(plateaus_gbps=plateaus, worst_deviation=worst)
    tops = ", ".join(f"{max(p):.1f}" for p in plateaus.values())
    rate_text = ", ".join(f"{rate:g}" for rate in rates)
    figure = (
        f"root tops out at {tops} Gb/s for senders of {rate_text} Gb/s, {worst:.1%} off the steps"
    )
    return Verdict(worst <= TOLERANCE, figure + ",", f"{TOLERANCE:.0%}")
