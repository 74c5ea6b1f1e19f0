# SPDX-License-Identifier: BSD-3-Clause
"""Percentiles of a run: latencies of memory, waits and queues in switches, round trips, vectors."""

from __future__ import annotations

from collections.abc import Iterator

from firesim.metrics.counted import Counted
from firesim.metrics.histograms import Percentiles, of_bins, of_values, read_histograms
from firesim.metrics.percentiles import SHARES, Bounds, bins_of
from firesim.report.console import round_trips
from firesim.report.network import Network
from firesim.report.results import Results
from firesim.report.tables import MEASURED, Column, View
from firesim.units import grouped, significant


def percentiles(results: Results) -> Iterator[Percentiles]:
    """Yield all that a run counted single values of."""
    for node in results.nodes:
        yield from read_histograms(results.folder, node.name)
        trips = [cycles for _, cycles in round_trips(node.console or "")]
        if found := of_values(node.name, "round trip", "cycles", trips):
            yield found
        if node.counters is None or not node.counters.rows:
            continue
        counted = Counted(node.counters.columns, results.start_cycle)
        before, after = counted.base(node.counters.rows), node.counters.rows[-1]
        for vector, places in counted.vectors().items():
            counts = [after[at] - before[at] for at in places]
            if found := of_bins(node.name, vector, "value", bins_of(counts)):
                yield found
    for switch in results.switches:
        yield from read_histograms(results.folder, switch.name)


def shown_bounds(bounds: Bounds) -> str:
    """Return a percentile as people read it: a value, or the values that it lies between."""
    low = grouped(bounds.low)
    return low if bounds.is_exact else f"{low} to {grouped(bounds.high)}"


def percentile_table(results: Results, network: Network) -> View | None:
    """Return a row for each; None where nothing was counted so."""
    view = View(
        [
            Column("part", text=True),
            Column("what", text=True),
            Column("unit", text=True),
            Column("counted", source=MEASURED),
            Column("mean", source=MEASURED),
            *(Column(f"{name[1:]} %", source=MEASURED) for name in SHARES),
            Column("largest", source=MEASURED),
        ]
    )
    for one in percentiles(results):
        shown = [shown_bounds(one.at[name]) for name in SHARES]
        what = _with_peer(one, network)
        mean, largest = significant(one.mean, 4), grouped(one.largest)
        view.add(one.part, what, one.unit, grouped(one.count), mean, *shown, largest)
    return view if view.rows else None


def _with_peer(one: Percentiles, network: Network) -> str:
    """Return what was counted; of a switch's port with the model that it leads to."""
    words = one.what.split(" ")
    if words[0] != "port" or not words[1:2] or not words[1].isdecimal():
        return one.what
    link = network.link_of_port(one.part, int(words[1]))
    if link is None:
        return one.what
    return f"{one.what}, to {link.b if link.a == one.part else link.a}"
