# SPDX-License-Identifier: BSD-3-Clause
"""Latency of memcached with as many threads as cores, with these pinned, and with one more.

Figure 2.7: a server of 4 cores runs memcached with 4 threads, 4 pinned threads and 5 threads; all
other nodes of the rack load it, at random times and with rising rates, and check every value.
Published is that a fifth thread makes the 95th percentile much worse and leaves the median. Only
this shape can be compared: the functional engine gives every instruction one cycle.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, Verdict, run_experiment
from regression.support.linux import ENGINE, Load, check_one_thread, linux_config, loads
from regression.support.plotting import new_figure, save_figure

RATES = (10_000, 20_000, 30_000, 40_000, 50_000)
"""Requests a second of each load."""
QUICK_RATES = (5_000, 20_000)
GOAL_P95_RATIO = 1.2
GOAL_MEDIAN_CHANGE = 0.1


@dataclass(frozen=True)
class Server:
    """How the server's threads are run."""

    name: str
    words: str


SERVERS = (
    Server("4 threads", "THREADS=4"),
    Server("4 pinned", "THREADS=4 PINNED=1"),
    Server("5 threads", "THREADS=5"),
)


@dataclass(frozen=True)
class Point:
    """All loads at one rate: sum of rates, median of their medians, means of their percentiles."""

    server: str
    answered_per_s: float
    p50_us: float
    p95_us: float
    p99_us: float
    failures: int


def _point(server: Server, found: list[Load]) -> Point:
    return Point(
        server.name,
        sum(load.answered_per_s for load in found),
        median(load.p50_us for load in found),
        mean(load.p95_us for load in found),
        mean(load.p99_us for load in found),
        sum(load.failures for load in found),
    )


def measure(experiment: Experiment, server: Server, nodes: int, check: bool) -> list[Point]:
    """Run all rates against one server; with `check`, also with one worker thread."""
    rates = QUICK_RATES if experiment.quick else RATES
    milliseconds: int = experiment.arguments.milliseconds or (10 if experiment.quick else 20)
    shown = " ".join(map(str, rates))
    load = f"RATES='{shown}' MILLISECONDS={milliseconds} exec sh /etc/firesim/command"
    config = linux_config(
        f"rack_{nodes}",
        "linux-memcached",
        {
            "system": {"nodes": {"node0": {"blade": "rocket-4"}}},
            "workload": {
                "node": {"command": load},
                "nodes": {"node0": {"command": f"{server.words} exec sh /etc/firesim/command"}},
            },
        },
    )
    name = server.name.replace(" ", "-")
    run = run_cluster(experiment, name, config)
    if check:
        check_one_thread(experiment, name, config, run)
    names = [f"node{index}" for index in range(1, nodes)]
    found = [loads(run.console(node), node, len(rates)) for node in names]
    return [_point(server, [one[at] for one in found]) for at in range(len(rates))]


def _plot(experiment: Experiment, points: dict[str, list[Point]], nodes: int) -> Path:
    figure, axes = new_figure(width=6.8)
    for number, (name, row) in enumerate(points.items()):
        rate = [point.answered_per_s / 1e3 for point in row]
        colour = f"C{number}"
        axes.plot(rate, [point.p95_us for point in row], "o-", color=colour, label=f"{name}: 95 %")
        axes.plot(
            rate,
            [point.p50_us for point in row],
            "s--",
            color=colour,
            markersize=4,
            label=f"{name}: median",
        )
    axes.set_ylim(bottom=0)
    axes.set_xlabel(
        f"answers of the server (thousand a second), {nodes - 1} loads\n"
        "published (figure 2.7): 5 threads, 95 % much worse, median unchanged"
    )
    axes.set_ylabel("latency (µs of target time)")
    axes.set_title(f"memcached on 4 cores: {ENGINE}")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=3, fontsize=8)
    return save_figure(figure, experiment.folder, "memcached")


def _table(experiment: Experiment, points: dict[str, list[Point]]) -> None:
    experiment.table(
        f"memcached on 4 cores ({ENGINE}); p50: median of the loads, p95, p99: mean",
        ["server", "answers (1/s)", "p50 (us)", "p95 (us)", "p99 (us)", "misses and overflows"],
        [
            [
                point.server,
                f"{point.answered_per_s:,.0f}",
                f"{point.p50_us:.1f}",
                f"{point.p95_us:.1f}",
                f"{point.p99_us:.1f}",
                str(point.failures),
            ]
            for row in points.values()
            for point in row
        ],
    )


def _measure(experiment: Experiment) -> Verdict:
    nodes: int = experiment.arguments.nodes or (3 if experiment.quick else 8)
    servers = (SERVERS[0], SERVERS[2]) if experiment.quick else SERVERS
    points = {
        server.name: measure(experiment, server, nodes, experiment.quick and server == servers[0])
        for server in servers
    }
    _table(experiment, points)
    experiment.note_file(_plot(experiment, points, nodes))
    failures = sum(point.failures for row in points.values() for point in row)
    four, five = points["4 threads"][-1], points["5 threads"][-1]
    worse, change = five.p95_us / four.p95_us, abs(five.p50_us / four.p50_us - 1)
    experiment.keep(
        points={name: [vars(point) for point in row] for name, row in points.items()},
        p95_ratio=worse,
        median_change=change,
    )
    # With two loads for a hundredth of a second, the quick form has too few requests for a shape.
    shape = experiment.quick or (worse >= GOAL_P95_RATIO and change <= GOAL_MEDIAN_CHANGE)
    return Verdict(
        failures == 0 and shape,
        f"at {four.answered_per_s:,.0f} answers a second p95 {four.p95_us:.0f} us with 4 threads, "
        f"{five.p95_us:.0f} us with 5: {worse:.2f} times; median {four.p50_us:.0f} and "
        f"{five.p50_us:.0f} us, functional engine,",
        f"no failure, p95 {GOAL_P95_RATIO} times with 5 threads, median within "
        f"{GOAL_MEDIAN_CHANGE:.0%}",
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, default=0, help="nodes of the rack (default: 8)")
    parser.add_argument("--milliseconds", type=int, default=0, help="target time of each rate")


def run(argv: list[str]) -> int:
    """Run the experiment; return 0 when a fifth thread shows as published."""
    return run_experiment("memcached", __doc__, argv, _measure, _arguments)
