# SPDX-License-Identifier: BSD-3-Clause
"""What a run measured, in a few numbers that can stand in a table with those of other runs."""

from __future__ import annotations

from firesim.report.console import records, round_trips
from firesim.report.results import read_text
from firesim.report.tables import bandwidth_of
from firesim.results.measurements import STREAMS
from firesim.results.node_summary import node_summaries, percentile
from firesim.results.outcome import Outcome
from firesim.topology.describe import CONSOLE_LOG

FIGURES = {
    "round_trip_cycles": "median round trip (cycles)",
    "round_trip_p99_cycles": "99 % of round trips (cycles)",
    "stream_gbps": "streams, together (Gb/s)",
    "ipc": "instructions a cycle of a core",
}
"""What each figure is; a run has those that its software or its counters measured."""


def figures(outcome: Outcome) -> dict[str, float]:
    """Return the figures of a run, by the keys of FIGURES: over all its nodes."""
    trips: list[float] = []
    streams: list[float] = []
    for node in outcome.plan.nodes:
        log = outcome.folder / node.name / CONSOLE_LOG
        text = read_text(log) if log.is_file() else ""
        trips += [cycles for _, cycles in round_trips(text)]
        said = [one for one in records(text) if one.kind in STREAMS]
        rates = [bandwidth_of(one, outcome.plan.clock_hz) for one in said]
        streams += [rate for rate in rates if rate is not None]
    found = {}
    if trips:
        found["round_trip_cycles"] = percentile(trips, 0.5)
        found["round_trip_p99_cycles"] = percentile(trips, 0.99)
    if streams:
        found["stream_gbps"] = sum(streams)
    if nodes := node_summaries(outcome):
        found["ipc"] = sum(node.ipc for node in nodes.values()) / len(nodes)
    return found
