# SPDX-License-Identifier: BSD-3-Clause
"""Plots of the pointer chase, with what Three-Chains (2022) claims beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regression.published.chase.measure import Incremented, Measured
from regression.published.chase.reference import FETCHES
from regression.support.experiment import Experiment
from regression.support.plotting import COLOURS, PUBLISHED, legend_below, new_figure, save_figure

LABELS = {
    "read": "RDMA READ of each entry",
    "get": "GET of each entry (software)",
    "active": "active message",
    "fat": "injected code",
}
PUBLISHED_LEADS = {16: 1.75, 32: 1.2}
"""Injected code over GET: Xeon servers, BlueField-2 servers. (A64FX, 64 servers: 1.3.)"""
PUBLISHED_XEON = {
    "active message": (1.55, 0.01),
    "cached": (1.51, 0.02),
    "uncached, code of 5,159 bytes": (3.58, 0.01),
}
"""Transmission, and lookup with execution, in microseconds (table III)."""
Swept = Mapping[tuple[int, str], Measured]


def plot_depths(experiment: Experiment, swept: Swept, servers: int) -> None:
    """Draw chases in a second against depth, as figures 5 to 7."""
    figure, axes = new_figure()
    for mode, label in LABELS.items():
        if (servers, mode) in swept:
            found = swept[servers, mode]
            depths = sorted(found.ticks)
            axes.plot(depths, [found.chases_per_s(depth) for depth in depths], "o-", label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("depth (entries a chase reads)")
    axes.set_ylabel("chases per second of target time")
    axes.set_title(f"Pointer chases against depth, {servers} servers")
    legend_below(axes, columns=2)
    experiment.note_file(save_figure(figure, experiment.folder, "chase-depth"))


def plot_scale(experiment: Experiment, swept: Swept, depth: int) -> None:
    """Draw chases in a second against servers, as figures 9 to 11."""
    figure, axes = new_figure()
    servers = sorted({count for count, _ in swept})
    modes = [mode for mode in LABELS if (servers[0], mode) in swept]
    for mode in modes:
        rates = [swept[count, mode].chases_per_s(depth) for count in servers]
        axes.plot(servers, rates, "o-", label=LABELS[mode])
    for index, (count, lead) in enumerate(PUBLISHED_LEADS.items()):
        if count in servers:
            get = swept[count, modes[0]].chases_per_s(depth)
            axes.plot(
                [count, count],
                [get, lead * get],
                "_-",
                color=PUBLISHED["color"],
                linewidth=1.4,
                label="published lead over GET (ratio, from our fastest fetch)"
                if index == 0
                else None,
            )
    axes.set_xscale("log", base=2)
    axes.set_xticks(servers, [str(count) for count in servers])
    axes.set_yscale("log")
    axes.set_xlabel("servers")
    axes.set_ylabel("chases per second of target time")
    axes.set_title(f"Pointer chases of depth {depth:,} against servers")
    legend_below(axes, columns=2)
    experiment.note_file(save_figure(figure, experiment.folder, "chase-servers"))


def plot_ratios(
    experiment: Experiment,
    times: Mapping[str, Sequence[float]],
    latencies_us: Sequence[float],
    limit: float,
) -> None:
    """Draw the lead over fetches against latency, with its limit and the published leads."""
    figure, axes = new_figure()
    for fetch in (mode for mode in FETCHES if mode in times):
        for mode, style in (("active", "o--"), ("fat", "o-")):
            leads = [slow / fast for slow, fast in zip(times[fetch], times[mode], strict=True)]
            over = f"{LABELS[mode]} over {fetch.upper()}"
            axes.plot(latencies_us, leads, style, label=over)
    axes.axhline(
        limit, color=COLOURS[-1], linewidth=1, label=f"2 servers, latency alone: {limit:.2f}"
    )
    for index, lead in enumerate((1.2, 1.3, 1.75)):
        label = "published: up to 1.2, 1.3 and 1.75, more servers" if index == 0 else None
        axes.axhline(lead, **PUBLISHED, label=label)
    axes.set_xscale("log")
    axes.set_xticks(latencies_us, [f"{latency:g}" for latency in latencies_us])
    axes.set_ylim(bottom=1)
    axes.set_xlabel("latency from node to node (µs)")
    axes.set_ylabel("time of fetches / time of chase")
    axes.set_title("Lead over GET and READ against latency, 2 servers")
    legend_below(axes, columns=2)
    experiment.note_file(save_figure(figure, experiment.folder, "chase-latency"))


def plot_breakdown(experiment: Experiment, increments: Mapping[str, Incremented]) -> None:
    """Draw where the time of an increment goes, as tables I to III."""
    figure, axes = new_figure(width=7.4)
    ways = list(increments)
    for index, way in enumerate(ways):
        found = increments[way]
        stages = (found.transmission_us, found.lookup_us, found.execution_us)
        left = 0.0
        for stage, (name, colour) in enumerate(
            zip(("transmission", "lookup", "execution"), COLOURS, strict=False)
        ):
            label = f"{name} (measured)" if index == 0 else None
            axes.barh(index + 0.18, stages[stage], 0.34, left=left, color=colour, label=label)
            left += stages[stage]
        if way in PUBLISHED_XEON:
            label = "published total, Xeon (shape only)" if index == 0 else None
            total = sum(PUBLISHED_XEON[way])
            axes.barh(index - 0.2, total, 0.3, color="#cbd5e1", label=label)
    axes.set_yticks(range(len(ways)), ways)
    axes.set_xlabel("µs of target time")
    axes.set_title("One increment on another node")
    legend_below(axes, columns=2)
    experiment.note_file(save_figure(figure, experiment.folder, "chase-increment"))
