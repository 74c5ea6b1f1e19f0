# SPDX-License-Identifier: BSD-3-Clause
"""What each node of a run did, in a row: instructions a cycle, misses, use of its links.

From counters (`simulation.autocounter`) over the whole run, and the flits of links since cycle 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from firesim.metrics.counted import Counted
from firesim.metrics.stock import STOCK
from firesim.report.results import read_table
from firesim.results.outcome import Outcome

MISSES = {"icache": "icache_mpki", "dcache": "dcache_mpki", "branch": "branch_mpki"}
"""Metrics that are shown, by what they are called here."""
MOST_NODES = 16
FLIT_BITS = 64


@dataclass(frozen=True)
class NodeSummary:
    """What a node did from the beginning of its run to the end."""

    ipc: float
    """Instructions a cycle of a core, on average over the node's cores."""
    mpki: dict[str, float]
    """Events in a thousand instructions, by the keys of MISSES; those that the blade counts."""
    sent_share: float
    """Of what its links can carry in the time."""
    received_share: float


def node_summaries(outcome: Outcome) -> dict[str, NodeSummary]:
    """Return what the nodes with counters did, by name."""
    found = {}
    for entry in outcome.result.get("nodes", []):
        name, cycles = str(entry["name"]), int(entry.get("cycles", 0))
        totals = _totals(outcome, name)
        ipc = totals.get("ipc")
        if not ipc:
            continue
        misses = {key: totals.get(metric) for key, metric in MISSES.items()}
        known = {key: value for key, value in misses.items() if value is not None}
        found[name] = NodeSummary(ipc, known, *_shares(outcome, name, cycles))
    return found


def _totals(outcome: Outcome, node: str) -> dict[str, float | None]:
    """Return FireSim's metrics of a node over the whole run, by name."""
    file = outcome.folder / node / "counters.csv"
    if not file.is_file():
        return {}
    table = read_table(file)
    return Counted(table.columns, outcome.start_cycle).totals(STOCK, table.rows)


def _shares(outcome: Outcome, node: str, cycles: int) -> tuple[float, float]:
    """Return which shares of its links' bandwidth a node has sent and received since cycle 0."""
    flits: dict[str, Any] = {link["name"]: link for link in outcome.result.get("links", [])}
    sent = received = room = 0.0
    for link in outcome.plan.links:
        if node not in (link.a, link.b) or link.name not in flits:
            continue
        away, back = ("a_to_b", "b_to_a") if link.a == node else ("b_to_a", "a_to_b")
        sent += (flits[link.name].get(away) or {}).get("flits", 0)
        received += (flits[link.name].get(back) or {}).get("flits", 0)
        room += link.bandwidth_gbps * 1e9 / outcome.plan.clock_hz / FLIT_BITS * cycles
    return (sent / room, received / room) if room else (0.0, 0.0)


def print_node_summary(outcome: Outcome, console: Console) -> None:
    """Print a row for each node with counters, of many the first ones."""
    found = node_summaries(outcome)
    if not found:
        return
    table = Table(title="what the nodes did", title_justify="left")
    table.add_column("node", overflow="fold")
    kinds = [key for key in MISSES if any(key in one.mpki for one in found.values())]
    headings = ["IPC", *(f"{key} MPKI" for key in kinds), "link out", "link in"]
    for heading in headings:
        table.add_column(heading, justify="right")
    for name in list(found)[:MOST_NODES]:
        one = found[name]
        misses = [f"{one.mpki[key]:.1f}" if key in one.mpki else "-" for key in kinds]
        shares = [f"{100 * share:.1f} %" for share in (one.sent_share, one.received_share)]
        table.add_row(name, f"{one.ipc:.2f}", *misses, *shares)
    if len(found) > MOST_NODES:
        table.caption = f"{len(found) - MOST_NODES} more nodes in the report"
    console.print(table)


def percentile(values: list[float], share: float) -> float:
    """Return the value that `share` (0 to 1) of the values reach, interpolated.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("found no values, expected one at least")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    at = int(place)
    following = ordered[min(at + 1, len(ordered) - 1)]
    return ordered[at] + (following - ordered[at]) * (place - at)
