# SPDX-License-Identifier: BSD-3-Clause
"""The plots of a report: throughput of links, and flame graphs."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from firesim.report.charts import MOST_POINTS, Series, line_chart
from firesim.report.flamegraph import FlameGraphError, flame_data, merge_folded
from firesim.report.network import Network
from firesim.report.results import JsonObject, Results, SwitchFiles, Table

MOST_LINK_CHARTS = 36
MOST_BINS = MOST_POINTS
MANY = 8
"""More equal plots than these are shown as one first, each by itself in a fold below it."""


@dataclass(frozen=True)
class Figure:
    """A titled chart."""

    title: str
    svg: Markup
    weight: float = 0.0


@dataclass(frozen=True)
class Flame:
    """A flame graph of one node or of all, or why there is none."""

    title: str
    data: Markup
    """JSON for `flame.js`, as it may stand in a <script>."""
    folded: list[str]
    problem: str = ""


@dataclass(frozen=True)
class _LinkTraffic:
    """What one link carried each way, in bytes a cycle, from each of the start cycles on."""

    title: str
    ends: tuple[str, str]
    """The model beside the switch, and the switch."""
    starts: list[float]
    ways: tuple[list[float], list[float]]
    total_bytes: float


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
    cycles: list[float], values: list[float], interval: float, start: float, end: float
) -> tuple[list[float], list[float]]:
    """Return (start cycle, bytes per cycle) of at most MOST_BINS equal stretches from `start` on.

    A switch writes no row for an interval in which a port was silent; here silence is zero.
    """
    first = start // interval * interval
    last = max(end, max(cycles) + interval if cycles else 0.0, first + interval)
    width = interval * math.ceil((last - first) / interval / MOST_BINS)
    sums = [0.0] * math.ceil((last - first) / width)
    for cycle, value in zip(cycles, values, strict=True):
        sums[max(0, min(len(sums) - 1, int((cycle - first) // width)))] += value
    starts = [first + index * width for index in range(len(sums))]
    # The last stretch may be cut short by the end of the run.
    lengths = [min(width, last - start) for start in starts]
    return starts, [total / length for total, length in zip(sums, lengths, strict=True)]


def _switch_traffic(
    results: Results, network: Network, switch: SwitchFiles, seen: set[str]
) -> list[_LinkTraffic]:
    if switch.throughput is None:
        return []
    settings: JsonObject = next(
        (s for s in results.description.get("switches", []) if s.get("name") == switch.name), {}
    )
    interval = float(settings.get("throughput_interval_cycles") or 1000)
    start = float(results.start_cycle)
    end = float((results.result or {}).get("end_cycle", 0))
    series = _port_series(switch.throughput)
    found: list[_LinkTraffic] = []
    for port in sorted({*range(len(settings.get("ports", []))), *series}):
        cycles, received, sent = series.get(port, ([], [], []))
        link = network.link_of_port(switch.name, port)
        title = link.name if link else f"{switch.name} port {port}"
        if title in seen:
            continue
        seen.add(title)
        other = (link.b if link.a == switch.name else link.a) if link else "outside"
        starts, ins = _binned(cycles, received, interval, start, end)
        _, outs = _binned(cycles, sent, interval, start, end)
        total = sum(received) + sum(sent)
        found.append(_LinkTraffic(title, (other, switch.name), starts, (ins, outs), total))
    return found


def _link_chart(starts: list[float], lines: list[Series], clock_hz: float) -> Markup:
    """Draw lines given in bytes a cycle over target time."""
    per_unit, unit = time_unit(starts[-1], clock_hz)
    to_gbps = 8 * clock_hz / 1e9
    return line_chart(
        [start / per_unit for start in starts],
        [Series(line.name, [value * to_gbps for value in line.values]) for line in lines],
        x_label=f"target time ({unit})",
        y_label="throughput (Gb/s)",
    )


def _link_figure(traffic: _LinkTraffic, clock_hz: float) -> Figure:
    other, switch = traffic.ends
    names = (f"{other} → {switch}", f"{switch} → {other}")
    lines = [Series(name, way) for name, way in zip(names, traffic.ways, strict=True)]
    return Figure(traffic.title, _link_chart(traffic.starts, lines, clock_hz))


def spread(ways: Sequence[Sequence[float]]) -> list[Series]:
    """Return the largest, the mean and the smallest of equally long lines at each point."""
    columns = list(zip(*ways, strict=True))
    return [
        Series("largest", [max(column) for column in columns]),
        Series("mean", [sum(column) / len(column) for column in columns]),
        Series("smallest", [min(column) for column in columns]),
    ]


@dataclass(frozen=True)
class LinkPlots:
    """The plots of the links: of all in one, when there are many, and of the busiest."""

    together: Figure | None
    figures: list[Figure]
    left_out: int
    """How many links have no plot of their own."""


def link_plots(results: Results, network: Network) -> LinkPlots:
    """Return the throughput plots of a run."""
    seen: set[str] = set()
    links = [
        t for switch in results.switches for t in _switch_traffic(results, network, switch, seen)
    ]
    together = None
    if len(links) > MANY:
        # Switches may count in intervals of different lengths: only equal ones can be compared.
        equal = [link for link in links if link.starts == links[0].starts]
        lines = spread([way for link in equal for way in link.ways])
        title = f"{len(equal)} links, both directions"
        together = Figure(title, _link_chart(links[0].starts, lines, results.clock_hz))
        links = sorted(links, key=lambda link: -link.total_bytes)
    figures = [_link_figure(link, results.clock_hz) for link in links[:MOST_LINK_CHARTS]]
    return LinkPlots(together, figures, max(0, len(links) - MOST_LINK_CHARTS))


def _flame(title: str, files: list[Path], folder: Path) -> Flame:
    links = [os.path.relpath(path, folder) for path in files]
    try:
        # JSON in a <script> ends with the script: no name may close it.
        data = Markup(flame_data(merge_folded(files)).replace("<", "\\u003c"))
    except FlameGraphError as error:
        return Flame(title, Markup(""), links, str(error))
    return Flame(title, data, links)


def flames(results: Results) -> list[Flame]:
    """Return the flame graph of every node that was traced; of many nodes first one of all."""
    traced = [node for node in results.nodes if node.folded]
    made = [_flame(node.name, node.folded, results.folder) for node in traced]
    if len(traced) > MANY:
        files = [path for node in traced for path in node.folded]
        made.insert(0, _flame(f"All {len(traced)} nodes", files, results.folder))
    return made
