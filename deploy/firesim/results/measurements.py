# SPDX-License-Identifier: BSD-3-Clause
"""What the simulated software measured, printed at the end of a run."""

from __future__ import annotations

import json

from rich.console import Console
from rich.table import Table

from firesim.report.console import Record, records
from firesim.report.network import Network
from firesim.report.results import read_peers, read_text
from firesim.report.round_trips import RoundTrips, measured_round_trips
from firesim.report.tables import bandwidth_of
from firesim.results.node_summary import percentile
from firesim.results.outcome import Outcome
from firesim.topology.describe import CONSOLE_LOG
from firesim.units import target_time

LEAST_FOR_PERCENTILES = 20
"""Round trips, for their percentiles to say anything."""
STREAMS = {"stream": "stream", "tcp": "TCP stream"}
"""What lines of the consoles are about, by their first word."""


def print_measurements(outcome: Outcome, console: Console) -> None:
    """Print each node's round trips beside the ideal 4 x latency + 2 x switching, and its streams.

    Nothing is printed for nodes whose software measured nothing.
    """
    description = json.loads((outcome.folder / "description.json").read_text())
    network = Network(description, read_peers(outcome.folder))
    streams: list[str] = []
    for node in outcome.plan.nodes:
        log = outcome.folder / node.name / CONSOLE_LOG
        text = read_text(log) if log.is_file() else ""
        measured = measured_round_trips(network, node.name, text)
        if measured.trips:
            print_round_trips(node.name, measured, outcome.plan.clock_hz, console)
        said = [stream_sentence(node.name, r, outcome.plan.clock_hz) for r in records(text)]
        streams += [sentence for sentence in said if sentence]
    for sentence in streams:
        console.print(sentence, highlight=False, soft_wrap=True)


def stream_sentence(name: str, record: Record, clock_hz: int) -> str:
    """Say how fast a node's stream was, as the program measured it; nothing for another line."""
    size, cycles = record.number("bytes"), record.number("cycles")
    gbps = bandwidth_of(record, clock_hz)
    if record.kind not in STREAMS or size is None or not cycles or gbps is None:
        return ""
    errors = record.number("errors")
    checked = "" if errors is None else f", {errors:,.0f} errors"
    took = f"{size:,.0f} bytes in {cycles:,.0f} cycles, {gbps:.1f} Gb/s"
    return f"{STREAMS[record.kind]} of {name}: {took}{checked}"


def print_round_trips(name: str, measured: RoundTrips, clock_hz: int, console: Console) -> None:
    """Print one node's round trips and how far they are above the ideal, which is one token's."""
    console.print(
        f"round trips of {name}; ideal 4 x latency + 2 x switching = {measured.ideal_text} cycles",
        highlight=False,
    )
    table = Table()
    for heading in ("ping", "cycles", "time", "over the ideal"):
        table.add_column(heading, justify="right")
    for number, cycles in measured.trips:
        above = measured.above(cycles)
        over = "–" if above is None else f"{above:+,.0f} cycles"
        table.add_row(str(number), f"{cycles:,.0f}", target_time(int(cycles), clock_hz), over)
    console.print(table)
    if len(measured.trips) >= LEAST_FOR_PERCENTILES:
        values = [cycles for _, cycles in measured.trips]
        shares = ", ".join(f"{100 * x:.0f} % {percentile(values, x):,.0f}" for x in (0.95, 0.99))
        median = f"median {percentile(values, 0.5):,.0f} cycles"
        console.print(f"{len(values)} round trips: {median}, {shares}", highlight=False)
