# SPDX-License-Identifier: BSD-3-Clause
"""Metrics worked out of counters in a report: a table of the whole run, and plots over time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from firesim.metrics.counted import Counted
from firesim.metrics.links import link_use
from firesim.metrics.stock import Metric, with_own
from firesim.report.charts import MOST_POINTS, Series, line_chart
from firesim.report.results import Results, Table
from firesim.report.sections import Figure, time_unit
from firesim.report.tables import MEASURED, Column, View
from firesim.units import significant

MOST_CHARTS = 12


def shown_value(value: float | None) -> str:
    """Return a metric as tables show it; an en dash where it has no value."""
    return "–" if value is None else significant(value, 4)


def metric_table(results: Results) -> View | None:
    """Return a row for each metric of each node and hart; None where no node counted anything."""
    every = with_own(results.own_metrics)
    units = {metric.name: metric for metric in every}
    links = link_use(results.description, results.result or {})
    view = View(
        [
            Column("node", text=True),
            Column("metric", text=True),
            Column("value", source=MEASURED),
            Column("unit", text=True),
            Column("what it says", text=True),
        ]
    )
    for node in results.nodes:
        if node.counters is None:
            continue
        counted = Counted(node.counters.columns, results.start_cycle)
        totals = counted.totals(every, node.counters.rows, links.get(node.name))
        for name, value in totals.items():
            metric = units.get(name) or units[name.partition("_")[2]]
            words = metric.description or metric.expression.text
            view.add(node.name, name, shown_value(value), metric.unit, words)
    return view if view.rows else None


def _thinned(table: Table) -> list[list[float]]:
    """Return the rows that a plot has points for, with the last one."""
    step = max(1, math.ceil(len(table.rows) / MOST_POINTS))
    return table.rows[step - 1 :: step] if len(table.rows) % step == 0 else [
        *table.rows[step - 1 :: step], table.rows[-1]
    ]  # fmt: skip


def metric_figures(table: Table, every: Sequence[Metric], results: Results) -> list[Figure]:
    """Return a plot over target time of each metric of a node that has values in intervals."""
    counted = Counted(table.columns, results.start_cycle)
    pairs = list(counted.stretches(_thinned(table)))
    if len(pairs) < 2:
        return []
    per_unit, unit = time_unit(pairs[-1][1][0], results.clock_hz)
    figures: list[Figure] = []
    for metric in counted.metrics(every):
        if counted.is_of_links(metric):
            continue
        values = [counted.value(metric, before, after) for before, after in pairs]
        points = [
            (after[0] / per_unit, value)
            for (_, after), value in zip(pairs, values, strict=True)
            if value is not None
        ]
        if len(points) < 2 or not any(value for _, value in points):
            continue
        svg = line_chart(
            [x for x, _ in points],
            [Series(metric.name, [value for _, value in points])],
            x_label=f"target time ({unit})",
            y_label=metric.unit or "value",
        )
        figures.append(Figure(metric.name, svg))
    return figures[:MOST_CHARTS]
