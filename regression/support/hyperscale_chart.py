# SPDX-License-Identifier: BSD-3-Clause
"""The chart of a service by units: cycles by step, and latency and answers against load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regression.support.experiment import Experiment
from regression.support.hyperscale import CLOCK_HZ, STEPS, Served
from regression.support.plotting import COLOURS, legend_below, new_figure, save_figure
from regression.support.rdma_incast import percentile

PERCENTILES = (0.5, 0.95)


@dataclass(frozen=True)
class Point:
    """One load of a curve: requests a second that are sent, and what came of them."""

    offered: float
    served: Served

    def latency_us(self, share: float) -> float:
        """Return a percentile of the latency, in microseconds of target time."""
        return percentile(self.served.latencies, share) / CLOCK_HZ * 1e6


def plot(
    experiment: Experiment, found: Mapping[str, Served], curves: Mapping[str, Sequence[Point]]
) -> None:
    """Draw steps by the way of the service, and its curves."""
    figure, (bars, latency, answered) = new_figure(3, width=5.2)
    left = [0.0] * len(found)
    names = list(found)[::-1]
    for step, colour in zip(STEPS, [*COLOURS, "#111827"], strict=True):
        values = [found[name].each(step) for name in names]
        bars.barh(names, values, left=left, color=colour, label=step)
        left = [one + value for one, value in zip(left, values, strict=True)]
    bars.set(title="A request", xlabel="cycles")
    for (name, points), colour in zip(curves.items(), COLOURS, strict=False):
        offered = [point.offered for point in points]
        for share, style in zip(PERCENTILES, ("o-", "s--"), strict=True):
            values = [point.latency_us(share) for point in points]
            label = f"{name}, p{100 * share:.0f}"
            latency.plot(offered, values, style, color=colour, label=label)
        values = [point.served.a_second for point in points]
        answered.plot(offered, values, "o-", color=colour, label=name)
    latency.set(title="Latency", ylabel="latency (µs)")
    answered.set(title="Throughput", ylabel="requests answered a second")
    for axes in (latency, answered):
        axes.set(xlabel="requests sent a second", xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter("")
    for axes in (bars, latency, answered):
        legend_below(axes, 3)
    experiment.note_file(save_figure(figure, experiment.folder, "hyperscale"))
