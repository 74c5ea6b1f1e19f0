# SPDX-License-Identifier: BSD-3-Clause
"""Exactness of time: ping round trips over link latencies, and one token through a switch.

Part 1: a bare-metal program on one Rocket node pings another through a top-of-rack switch, for
several link latencies. Differences between rows are exactly 4 x the latency difference, up to the
period in which the two programs poll their NICs (printed). Part 2: a one-token packet put in at
cycle m leaves two links of l cycles and a switch of n cycles at 2l + m + n, to the cycle.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.report.console import NUMBER, round_trips
from firesim.report.network import Network

from regression.published.ping_latency.one_token import one_token_table
from regression.support.cluster import Cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.plotting import COLOURS, PUBLISHED, legend_below, new_figure, save_figure
from regression.support.simulate import simulate

LATENCIES_CYCLES = (1, 7, 100, 6_400, 64_000)
PUBLISHED_OFFSET_S = 34e-6
"""Figure 2.5: the published offset above 4 x latency + 2 x switching, of Linux' network stack."""
CLOCK_HZ = 3.2e9


@dataclass(frozen=True)
class Row:
    """The pings at one link latency; times in cycles."""

    latency: int
    trips: list[float]
    polling_period: float
    ideal: int

    @property
    def offsets(self) -> list[float]:
        """What each round trip takes beyond 4 x latency."""
        return [trip - 4 * self.latency for trip in self.trips]


def ping_config(latency_cycles: int, pings: int) -> dict[str, Any]:
    """Return the configuration of two nodes, the first of which pings the second."""
    return {
        "system": {"topology": "two_nodes", "link": {"latency_cycles": latency_cycles}},
        "workload": {
            "node": {"program": "ping"},
            "nodes": {
                "node0": {"args": ["role=client", "peer=${node1.mac}", f"count={pings}"]},
                "node1": {"args": ["role=server"]},
            },
        },
        "simulation": {"throughput_interval_cycles": 0},
    }


def polling_period(console: str) -> float | None:
    """Return the polling period in cycles that a program printed."""
    found = re.search(rf"polling_period_cycles=({NUMBER})\s", console)
    return float(found[1]) if found else None


def measure(experiment: Experiment, latency: int, pings: int) -> Row:
    """Run the pings at one link latency."""
    folder = experiment.folder / f"latency-{latency}"
    description = Cluster(experiment, ping_config(latency, pings)).description(folder)
    run = simulate(description, folder)
    trips = round_trips(run.console("node0"))
    if len(trips) != pings:
        raise ExperimentError(f"{folder}: found {len(trips)} round trips, expected {pings}.")
    periods = [polling_period(run.console(node)) for node in ("node0", "node1")]
    if None in periods:
        raise ExperimentError(f"{folder}: a console does not name its polling_period_cycles.")
    # The first ping warms the caches, as in the published experiment.
    return Row(
        latency,
        [cycles for _, cycles in trips[1:]],
        sum(period for period in periods if period is not None),
        Network(description).ideal_round_trips("node0")[0],
    )


def _plot(experiment: Experiment, rows: list[Row]) -> Path:
    figure, axes = new_figure()
    nanoseconds = 1e9 / CLOCK_HZ
    latency = [row.latency * nanoseconds for row in rows]
    means = [sum(row.trips) / len(row.trips) * nanoseconds for row in rows]
    switching = (rows[0].ideal - 4 * rows[0].latency) * nanoseconds
    exponents = [index / 20 - 1 for index in range(121)]
    steady = [10**exponent for exponent in exponents if 10**exponent <= 1.5 * latency[-1]]
    ideal = [4 * x + switching for x in steady]
    axes.plot(latency, means, "o", label="measured: bare-metal ping, Rocket RTL")
    axes.plot(
        steady, ideal, color=COLOURS[1], label="ideal: 4 · latency + 2 · switching (configured)"
    )
    axes.plot(
        steady,
        [y + PUBLISHED_OFFSET_S * 1e9 for y in ideal],
        **PUBLISHED,
        label="published: Linux ping, offset 34 µs (shape only)",
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("link latency (ns of target time)")
    axes.set_ylabel("round trip (ns of target time)")
    axes.set_title("Ping round trip against link latency")
    legend_below(axes, columns=1)
    return save_figure(figure, experiment.folder, "ping-latency")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pings", type=int, default=0, help="pings a latency, first ignored")


@experiment_named("ping-latency", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when time is exact."""
    pings: int = experiment.arguments.pings or (3 if experiment.quick else 10)
    exact = one_token_table(experiment)
    rows = [measure(experiment, latency, pings) for latency in LATENCIES_CYCLES]
    base = sum(rows[0].offsets) / len(rows[0].offsets)
    table = []
    for row in rows:
        mean = sum(row.trips) / len(row.trips)
        low, high = min(row.offsets), max(row.offsets)
        table.append(
            [
                f"{row.latency:,}",
                f"{row.ideal:,}",
                f"{mean:,.1f}",
                f"{mean - row.ideal:,.1f}",
                f"{low:,.0f} … {high:,.0f}",
                f"{sum(row.offsets) / len(row.offsets) - base:+,.1f}",
                f"{row.polling_period:,.0f}",
            ]
        )
    experiment.table(
        "Ping round trips",
        [
            "link latency (cycles, configured)",
            "ideal 4l+2n (cycles)",
            "mean round trip (cycles, measured)",
            "above ideal (cycles)",
            "round trip - 4l (cycles, least … most)",
            "against first row - 4Δl (cycles)",
            "polling period (cycles, printed)",
        ],
        table,
    )
    experiment.note_file(_plot(experiment, rows))
    offsets = [offset for row in rows for offset in row.offsets]
    spread = max(offsets) - min(offsets)
    period = max(row.polling_period for row in rows)
    experiment.keep(spread_cycles=spread, polling_period_cycles=period, one_token_exact=exact)
    figure = (
        f"round trips follow 4l over {len(rows)} latencies within {spread:,.0f} cycles "
        f"(polling period {period:,.0f}), "
        f"{exact[0]} of {exact[1]} tokens leave at 2l+m+n,"
    )
    holds = spread <= period and exact[0] == exact[1]
    return Verdict(holds, figure, "exact up to the polling period, and every token on its cycle")
