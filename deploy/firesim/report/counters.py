# SPDX-License-Identifier: BSD-3-Clause
"""The event counters of a report: totals and plots of each node and, of many nodes, of all."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from firesim.metrics.stock import with_own
from firesim.report.charts import Series, line_chart
from firesim.report.metrics import metric_figures
from firesim.report.results import NodeFiles, Results, Table
from firesim.report.sections import MANY, Figure, spread, time_unit
from firesim.report.tables import MEASURED, Column, View
from firesim.units import grouped, significant

MOST_COUNTER_CHARTS = 24
MOST_NODES = 64
"""Nodes whose counters are in the page one by one; the files hold those of all."""


@dataclass(frozen=True)
class CounterSection:
    """The counters of one node, or of all that count the same."""

    id: str
    title: str
    view: View
    figures: list[Figure]


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


def histograms(names: list[str]) -> dict[str, list[str]]:
    """Return the counters `NAME[0]`, `NAME[1]` … of each vector whose values were counted."""
    found: dict[str, list[str]] = {}
    for name in names:
        match = re.fullmatch(r"(.+)\[(\d+)\]", name)
        if match and int(match[2]) == len(found.get(match[1], [])):
            found.setdefault(match[1], []).append(name)
    return {name: values for name, values in found.items() if len(values) > 1}


def _quantile(counts: list[float], part: float) -> int:
    """Return the smallest value that the vector had or was below in that part of the cycles."""
    reached = 0.0
    for value, count in enumerate(counts):
        reached += count
        if reached >= part * sum(counts):
            return value
    return len(counts) - 1


def _histogram(title: str, counts: list[float]) -> Figure:
    """Return the share of cycles in which a vector had each value, and what that comes to."""
    cycles = sum(counts)
    mean = sum(value * count for value, count in enumerate(counts)) / cycles
    most = max(value for value, count in enumerate(counts) if count)
    svg = line_chart(
        [float(value) for value in range(len(counts))],
        [Series(title, [100 * count / cycles for count in counts])],
        x_label="value",
        y_label="% of cycles",
    )
    said = (
        f"{title}: mean {significant(mean, 3)}, median {_quantile(counts, 0.5)}, "
        f"95 % {_quantile(counts, 0.95)}, largest {most}"
    )
    return Figure(said, svg)


def _rates(table: Table, name: str) -> list[float]:
    """Return the events of each interval, in events per 1,000 cycles."""
    cycles, values = table.column(table.columns[0]), table.column(name)
    widths = [max(1.0, b - a) for a, b in pairwise(cycles)]
    return [1000 * (b - a) / w for (a, b), w in zip(pairwise(values), widths, strict=True)]


def _figures(tables: list[Table], clock_hz: float) -> list[Figure]:
    """Return one plot a counter that moved; of several tables the spread over the nodes."""
    first = tables[0]
    if len(first.rows) < 2:
        return []
    cycles = first.column(first.columns[0])
    per_unit, unit = time_unit(cycles[-1], clock_hz)
    shown = short_names(first.columns)
    vectors = histograms(first.columns)
    vectors_shown = short_names(list(vectors))
    figures: list[Figure] = []
    for vector, values in vectors.items():
        counts = [sum(table.column(name)[-1] for table in tables) for name in values]
        if min(counts) >= 0 and 0 < sum(counts) < math.inf:  # Of files that anybody wrote.
            figures.append(_histogram(vectors_shown[vector], counts))
    binned = {name for values in vectors.values() for name in values}
    for name in first.columns[1:]:
        if name in binned:
            continue
        rates = [_rates(table, name) for table in tables]
        if not any(any(line) for line in rates):
            continue
        svg = line_chart(
            [cycle / per_unit for cycle in cycles[1:]],
            [Series(shown[name], rates[0])] if len(rates) == 1 else spread(rates),
            x_label=f"target time ({unit})",
            y_label="per 1,000 cycles",
        )
        figures.append(Figure(shown[name], svg))
        if len(figures) == MOST_COUNTER_CHARTS:
            break
    return figures


def _of_node(results: Results, node: NodeFiles, table: Table, plots: bool) -> CounterSection:
    view = View(
        [
            Column("counter", text=True),
            Column("total", "events", MEASURED),
            Column("rate", "per 1,000 cycles", MEASURED),
        ]
    )
    cycles = table.rows[-1][0] if table.rows else 0
    shown = short_names(table.columns)
    for name, total in counter_totals(table):
        rate = f"{1000 * total / cycles:,.3f}" if cycles else "–"
        view.add(shown[name], grouped(total), rate)
    figures: list[Figure] = []
    if plots:
        figures = metric_figures(table, with_own(results.own_metrics), results)
        figures += _figures([table], results.clock_hz)
    return CounterSection(f"counters-{node.name}", node.name, view, figures)


def _of_all(results: Results, counted: list[tuple[NodeFiles, Table]]) -> CounterSection:
    """Return the spread of each counter over the nodes that have the counters of the first one."""
    columns = counted[0][1].columns
    equal = [(node, table) for node, table in counted if table.columns == columns and table.rows]
    view = View(
        [
            Column("counter", text=True),
            Column("all nodes", "events", MEASURED),
            Column("mean", "events a node", MEASURED),
            Column("smallest", "events", MEASURED),
            Column("of", text=True),
            Column("largest", "events", MEASURED),
            Column("of", text=True),
        ]
    )
    shown = short_names(columns)
    for name in columns[1:] if equal else []:
        totals = [(table.column(name)[-1], node.name) for node, table in equal]
        values = [total for total, _ in totals]
        least, most = min(totals, key=lambda t: t[0]), max(totals, key=lambda t: t[0])
        mean = significant(sum(values) / len(values), 6)
        ends = (grouped(least[0]), least[1], grouped(most[0]), most[1])
        view.add(shown[name], grouped(sum(values)), mean, *ends)
    # Nodes end at different cycles: plotted is the time in which all of them count.
    rows = min((len(table.rows) for _, table in equal), default=0)
    cut = [Table(columns, table.rows[: max(0, rows - 1)]) for _, table in equal]
    figures = _figures(cut, results.clock_hz) if cut else []
    return CounterSection("counters-of-all", f"All {len(equal)} nodes", view, figures)


def counter_sections(results: Results) -> list[CounterSection]:
    """Return the counters of every node that kept some; of many nodes first those of all."""
    counted = [(node, node.counters) for node in results.nodes if node.counters is not None]
    many = len(counted) > MANY
    made = [_of_node(results, node, table, not many) for node, table in counted[:MOST_NODES]]
    return [_of_all(results, counted), *made] if many else made
