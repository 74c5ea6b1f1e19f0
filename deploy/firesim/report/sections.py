# SPDX-License-Identifier: BSD-3-Clause
"""The plots of a report: link throughput, counters and flame graphs."""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from firesim.report.charts import MOST_POINTS, Series, line_chart
from firesim.report.flamegraph import (
    FlameGraphError,
    as_data_uri,
    flame_graph_svg,
    merge_folded,
    svg_height_px,
)
from firesim.report.network import Network
from firesim.report.results import JsonObject, Results, SwitchFiles, Table

MOST_LINK_CHARTS = 36
MOST_COUNTER_CHARTS = 24
MOST_BINS = MOST_POINTS


@dataclass(frozen=True)
class Figure:
    """A titled chart."""

    title: str
    svg: Markup
    weight: float = 0.0


@dataclass(frozen=True)
class Flame:
    """A flame graph of one node, or why there is none."""

    node: str
    data_uri: str
    folded: list[str]
    problem: str = ""
    height_px: int = 0


def time_unit(cycles: float, clock_hz: float) -> tuple[float, str]:
    """Return (cycles per unit, unit name) that suits an axis reaching `cycles`."""
    span = cycles / clock_hz
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if span >= 2 * scale:
            return clock_hz * scale, unit
    return clock_hz * 1e-9, "ns"


def _port_series(table: Table) -> dict[int, tuple[list[float], list[float], list[float]]]:
    """Split a throughput table by port: (cycles, bytes in, bytes out) of each interval."""
    names = {name.lower(): index for index, name in enumerate(table.columns)}
    try:
        cycle, port = names["cycle"], names["port"]
        received, sent = names["bytes_in"], names["bytes_out"]
    except KeyError:
        return {}
    ports: dict[int, tuple[list[float], list[float], list[float]]] = {}
    for row in table.rows:
        xs, ins, outs = ports.setdefault(int(row[port]), ([], [], []))
        xs.append(row[cycle])
        ins.append(row[received])
        outs.append(row[sent])
    return ports


def _binned(
    cycles: list[float], values: list[float], interval: float, end: float
) -> tuple[list[float], list[float]]:
    """Return (start cycle, bytes per cycle) of at most MOST_BINS equal stretches of time.

    A switch writes no row for an interval in which a port was silent; here silence is zero.
    """
    last = max(end, cycles[-1] + interval if cycles else 0.0, interval)
    width = interval * math.ceil(last / interval / MOST_BINS)
    sums = [0.0] * math.ceil(last / width)
    for cycle, value in zip(cycles, values, strict=True):
        sums[int(cycle // width)] += value
    starts = [index * width for index in range(len(sums))]
    # The last stretch may be cut short by the end of the run.
    lengths = [min(width, last - start) for start in starts]
    return starts, [total / length for total, length in zip(sums, lengths, strict=True)]


def _switch_figures(
    results: Results, network: Network, switch: SwitchFiles, drawn: set[str]
) -> list[Figure]:
    if switch.throughput is None:
        return []
    settings: JsonObject = next(
        (s for s in results.description.get("switches", []) if s.get("name") == switch.name), {}
    )
    interval = float(settings.get("throughput_interval_cycles") or 1000)
    end = float((results.result or {}).get("end_cycle", 0))
    series = _port_series(switch.throughput)
    figures: list[Figure] = []
    for port in range(max(len(settings.get("ports", [])), max(series, default=-1) + 1)):
        cycles, received, sent = series.get(port, ([], [], []))
        link = network.link_of_port(switch.name, port)
        title = link.name if link else f"{switch.name} port {port}"
        if title in drawn:
            continue
        drawn.add(title)
        other = (link.b if link.a == switch.name else link.a) if link else "outside"
        xs, ins = _binned(cycles, received, interval, end)
        _, outs = _binned(cycles, sent, interval, end)
        to_gbps = 8 * results.clock_hz / 1e9
        per_unit, unit = time_unit(xs[-1], results.clock_hz)
        svg = line_chart(
            [x / per_unit for x in xs],
            [
                Series(f"{other} → {switch.name}", [v * to_gbps for v in ins]),
                Series(f"{switch.name} → {other}", [v * to_gbps for v in outs]),
            ],
            x_label=f"target time ({unit})",
            y_label="throughput (Gb/s)",
        )
        figures.append(Figure(title, svg, sum(received) + sum(sent)))
    return figures


def link_figures(results: Results, network: Network) -> tuple[list[Figure], int]:
    """Return throughput plots of the busiest links, and how many links were left out."""
    drawn: set[str] = set()
    figures = [
        figure
        for switch in results.switches
        for figure in _switch_figures(results, network, switch, drawn)
    ]
    if len(figures) <= MOST_LINK_CHARTS:
        return figures, 0
    busiest = sorted(figures, key=lambda figure: -figure.weight)[:MOST_LINK_CHARTS]
    return busiest, len(figures) - MOST_LINK_CHARTS


def counter_totals(table: Table) -> list[tuple[str, float]]:
    """Return the last value of each counter; counters count up from reset."""
    if not table.rows:
        return []
    return [(name, table.column(name)[-1]) for name in table.columns[1:]]


def short_names(names: list[str]) -> dict[str, str]:
    """Return each counter's name without its place in the hierarchy, where that stays unique."""
    last = {name: name.rpartition(".")[2] for name in names}
    counts = Counter(last.values())
    return {name: short if counts[short] == 1 else name for name, short in last.items()}


def counter_figures(results: Results, table: Table) -> list[Figure]:
    """Return one plot a counter that moved: events per 1,000 cycles over target time."""
    if len(table.rows) < 2:
        return []
    cycles = table.column(table.columns[0])
    per_unit, unit = time_unit(cycles[-1], results.clock_hz)
    figures = []
    shown = short_names(table.columns)
    for name, total in counter_totals(table):
        values = table.column(name)
        steps = [(b - a) for a, b in pairwise(values)]
        widths = [max(1.0, b - a) for a, b in pairwise(cycles)]
        if total == 0 or not any(steps):
            continue
        rates = [1000 * s / w for s, w in zip(steps, widths, strict=True)]
        svg = line_chart(
            [c / per_unit for c in cycles[1:]],
            [Series(shown[name], rates)],
            x_label=f"target time ({unit})",
            y_label="per 1,000 cycles",
        )
        figures.append(Figure(shown[name], svg, total))
    return figures[:MOST_COUNTER_CHARTS]


def flames(results: Results) -> list[Flame]:
    """Return the flame graph of every node that was traced."""
    made = []
    for node in results.nodes:
        if not node.folded:
            continue
        links = [os.path.relpath(path, results.folder) for path in node.folded]
        try:
            svg = flame_graph_svg(merge_folded(node.folded), f"{node.name}: target cycles")
        except FlameGraphError as error:
            made.append(Flame(node.name, "", links, str(error)))
            continue
        made.append(Flame(node.name, as_data_uri(svg), links, height_px=svg_height_px(svg)))
    return made
