# SPDX-License-Identifier: BSD-3-Clause
"""Ping round trips of Linux over link latencies: figure 2.5.

Functional nodes on one top-of-rack switch boot Linux; the first one pings the second with busybox'
ping, as users do, for several link latencies. With `--engine rtl` they are saved when the pings
begin, and go on in RTL (warm start). The first ping of a run is ignored (ARP), in RTL the first
four (cold caches). Round trips rise by 4 x the link latency; what is above 4 x latency +
2 x switching is Linux' network stack, and two quanta of the functional engine, which RTL does not
have.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression, mean

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.linux import (
    CLOCK_HZ,
    LABELS,
    add_engine,
    check_one_thread,
    linux_config,
    ping_times_us,
)
from regression.support.plotting import COLOURS, PUBLISHED, legend_below, new_figure, save_figure
from regression.support.simulate import Run
from regression.support.warm import region_in_rtl

LATENCIES_CYCLES = (640, 3_200, 6_400, 12_800, 19_200, 25_600, 32_000)
QUICK_LATENCIES_CYCLES = (640, 32_000)
SWITCHING_CYCLES = 10
QUANTUM_CYCLES = 1024
PUBLISHED_OFFSET_US = 34.0
"""Figure 2.5: the published offset above 4 x latency + 2 x switching."""
GOAL_SLOPE_ERROR = {"functional": 0.01, "rtl": 0.05}
"""In RTL one ping differs from the next, and there are few of them."""
IGNORED_PINGS = {"functional": 1, "rtl": 4}
RTL_INTERVAL_CYCLES = 640_000
"""Between pings, longer than any round trip; on functional nodes a millisecond."""
PAUSE = "until ping -c 1 -W 1 node1 >/dev/null; do :; done"
"""Nobody measures before the other node is there."""


@dataclass(frozen=True)
class Row:
    """The pings at one link latency."""

    latency_cycles: int
    trips_us: list[float]
    token_hash: str

    @property
    def latency_us(self) -> float:
        """The link latency in microseconds."""
        return self.latency_cycles * 1e6 / CLOCK_HZ

    @property
    def ideal_us(self) -> float:
        """4 x latency + 2 x switching."""
        return (4 * self.latency_cycles + 2 * SWITCHING_CYCLES) * 1e6 / CLOCK_HZ

    @property
    def mean_us(self) -> float:
        """The mean round trip."""
        return mean(self.trips_us)


def _config(nodes: int, latency: int, command: str) -> Config:
    over: Config = {
        "system": {"link": {"latency": None, "latency_cycles": latency}},
        "workload": {
            "node": {"command": "nc -l -p 1 >/dev/null"},
            "nodes": {"node0": {"command": f"{PAUSE}; {command}"}},
        },
    }
    return linux_config(f"rack_{nodes}", "linux-base", over)


def measure(experiment: Experiment, nodes: int, latency: int, pings: int) -> Row:
    """Run the pings at one link latency on functional nodes."""
    others = " ".join(str(index) for index in range(1, nodes))
    release = f"for n in {others}; do until echo|nc node$n 1; do :; done; done"
    config = _config(nodes, latency, f"ping -c {pings} -i 0.001 node1; {release}")
    run = run_cluster(experiment, f"latency-{latency}", config)
    if latency == LATENCIES_CYCLES[0]:
        check_one_thread(experiment, f"latency-{latency}", config, run)
    return _row(run, latency, pings, IGNORED_PINGS["functional"])


def measure_rtl(experiment: Experiment, nodes: int, latency: int, pings: int) -> Row:
    """Run the pings at one link latency in RTL; on functional nodes, ping has begun to run."""
    interval_s = RTL_INTERVAL_CYCLES / CLOCK_HZ
    ping = f"ping -c 1000000 -i {interval_s:g} node1 & usleep 3000; firesim-start-roi; wait"
    # ping begins to wait for the next one when it has printed the last.
    cycles = (pings + 2) * RTL_INTERVAL_CYCLES * 5 // 4
    run = region_in_rtl(
        experiment,
        f"latency-{latency}",
        _config(nodes, latency, ping),
        cycles=cycles,
        check=latency == LATENCIES_CYCLES[0],
    )
    return _row(run, latency, pings, IGNORED_PINGS["rtl"])


def _row(run: Run, latency: int, pings: int, ignored: int) -> Row:
    trips = ping_times_us(run.console("node0"))
    if len(trips) < pings:
        raise ExperimentError(f"{run.folder}: found {len(trips)} round trips, expected {pings}.")
    return Row(latency, trips[ignored:pings], run.token_hash)


def _plot(experiment: Experiment, rows: list[Row], slope: float, offset_us: float) -> Path:
    label = LABELS[experiment.arguments.engine]
    figure, axes = new_figure()
    latency = [row.latency_us for row in rows]
    steady = [0.0, 1.05 * latency[-1]]
    switching_us = 2 * SWITCHING_CYCLES * 1e6 / CLOCK_HZ
    ideal = [4 * x + switching_us for x in steady]
    axes.plot(latency, [row.mean_us for row in rows], "o", label=f"measured: Linux, {label}")
    axes.plot(
        steady,
        [y + offset_us for y in ideal],
        color=COLOURS[0],
        linewidth=1,
        label=f"4 · latency + 2 · switching + {offset_us:.1f} µs (offset measured)",
    )
    axes.plot(
        steady, ideal, color=COLOURS[1], label="ideal: 4 · latency + 2 · switching (configured)"
    )
    axes.plot(
        steady,
        [y + PUBLISHED_OFFSET_US for y in ideal],
        **PUBLISHED,
        label="published: Linux, Rocket RTL on FPGA, offset 34 µs (shape only)",
    )
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("link latency (µs of target time)")
    axes.set_ylabel("round trip (µs of target time)")
    axes.set_title(f"Linux ping against link latency: slope {slope:.3f}")
    legend_below(axes, columns=1)
    return save_figure(figure, experiment.folder, "ping-linux")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pings", type=int, default=0, help="pings a latency, first ones ignored")
    parser.add_argument(
        "--nodes", type=int, default=0, help="nodes of the rack (default: 8, RTL 2)"
    )
    add_engine(parser)


@experiment_named("ping-linux", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when round trips rise by 4 x the link latency."""
    engine: str = experiment.arguments.engine
    small = experiment.quick or engine == "rtl"
    pings: int = experiment.arguments.pings or (8 if experiment.quick else 20 if small else 100)
    nodes: int = experiment.arguments.nodes or (2 if small else 8)
    latencies = QUICK_LATENCIES_CYCLES if experiment.quick else LATENCIES_CYCLES
    ignored = IGNORED_PINGS[engine]
    if pings <= ignored:
        raise ExperimentError(f"--pings: found {pings}, expected more than the {ignored} ignored.")
    one_row = measure_rtl if engine == "rtl" else measure
    rows = [one_row(experiment, nodes, latency, pings) for latency in latencies]
    slope, _ = linear_regression([r.latency_us for r in rows], [r.mean_us for r in rows])
    offset_us = mean(row.mean_us - row.ideal_us for row in rows)
    quanta_us = 2 * QUANTUM_CYCLES * 1e6 / CLOCK_HZ if engine == "functional" else 0.0
    experiment.table(
        f"Linux ping between 2 of {nodes} nodes, {pings - ignored} round trips each "
        f"({LABELS[engine]})",
        [
            "link latency (cycles, configured)",
            "ideal 4l+2n (us)",
            "mean round trip (us, measured)",
            "least … most (us)",
            "above ideal (us)",
            "token hash",
        ],
        [
            [
                f"{row.latency_cycles:,}",
                f"{row.ideal_us:.2f}",
                f"{row.mean_us:.2f}",
                f"{min(row.trips_us):.0f} … {max(row.trips_us):.0f}",
                f"{row.mean_us - row.ideal_us:.2f}",
                row.token_hash,
            ]
            for row in rows
        ],
    )
    experiment.say(
        f"offset {offset_us:.2f} us above 4l+2n, of which {quanta_us:.2f} us are quanta of the "
        f"functional engine; published {PUBLISHED_OFFSET_US:.0f} us. The slope is compared, not "
        "the offset."
    )
    experiment.note_file(_plot(experiment, rows, slope, offset_us))
    experiment.keep(
        slope=slope,
        offset_us=offset_us,
        published_offset_us=PUBLISHED_OFFSET_US,
        hashes={row.latency_cycles: row.token_hash for row in rows},
    )
    return Verdict(
        abs(slope / 4 - 1) <= GOAL_SLOPE_ERROR[engine],
        f"slope {slope:.3f} over {len(rows)} latencies, offset {offset_us:.1f} us "
        f"(published 34), {engine} engine,",
        f"a slope of 4 within {GOAL_SLOPE_ERROR[engine]:.0%}",
    )
