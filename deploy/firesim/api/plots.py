# SPDX-License-Identifier: BSD-3-Clause
"""Plots of a run's frames. Figures are made without pyplot, which keeps a global state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from firesim_common.errors import InputError, unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from firesim.api.results import Results

BITS = 8


class Plots:
    """The plots of a run; a notebook shows a figure that is the last value of a cell."""

    def __init__(self, results: Results) -> None:
        """Take the results of a run."""
        self._results = results

    def pings(self) -> Figure:
        """Return the round trips of each node, by number, with the ideal."""
        table = self._results.pings
        ideals = table["ideal_cycles"].dropna().unique()

        def draw(panel: Any) -> None:
            for node, rows in table.groupby("node"):
                panel.plot(rows["seq"], rows["cycles"], marker="o", label=node)
            for ideal in ideals:
                panel.axhline(ideal, linestyle="--", color="grey", label=f"ideal {ideal:,.0f}")

        return _figure(draw, "ping", "round trip (cycles)")

    def throughput(self) -> Figure:
        """Return what each port of each switch sent in each interval, in Gb/s."""
        table, clock_hz = self._results.throughput, self._results.clock_hz

        def draw(panel: Any) -> None:
            for (switch, port), rows in table.groupby(["switch", "port"]):
                cycles = rows["cycle"].diff().fillna(rows["cycle"].iloc[:1].squeeze())
                gbps = rows["bytes_out"] * BITS * clock_hz / cycles / 1e9
                panel.plot(rows["cycle"], gbps, label=f"{switch} port {port}")

        return _figure(draw, "cycle", "sent (Gb/s)")

    def counters(self, events: Sequence[str] = ("hart0_instructions",)) -> Figure:
        """Return how often events happened in each interval, for each node and event.

        Raises:
            InputError: nothing counts such an event.
        """
        table = self._results.counters
        known = [name for name in table.columns if name not in ("node", "cycle")]
        for event in events:
            if event not in known:
                raise InputError(f"counters: {unknown(event, 'one of the counters', known)}")

        def draw(panel: Any) -> None:
            for node, rows in table.groupby("node"):
                for event in events:
                    happened = rows[event].diff().fillna(rows[event].iloc[:1].squeeze())
                    panel.plot(rows["cycle"], happened, label=f"{node} {event}")

        return _figure(draw, "cycle", "events in an interval")


def _figure(draw: Callable[[Any], None], x_label: str, y_label: str) -> Figure:
    """Return a figure with one panel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    panel = figure.add_subplot()
    draw(panel)
    panel.set_xlabel(x_label)
    panel.set_ylabel(y_label)
    panel.grid(alpha=0.3)
    if panel.get_legend_handles_labels()[0]:
        panel.legend(fontsize="small")
    return figure
