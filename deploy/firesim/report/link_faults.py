# SPDX-License-Identifier: BSD-3-Clause
"""The table of a report that counts the faults of links."""

from __future__ import annotations

from firesim.report.network import Network
from firesim.report.results import Results
from firesim.report.tables import MEASURED, Column, View
from firesim.units import grouped

WAYS = ("a_to_b", "b_to_a")
COUNTS = (
    "frames",
    "dropped",
    "dropped_buffer_full",
    "duplicated",
    "delayed",
    "corrupted",
    "bits_flipped",
    "cut",
    "held",
)
"""What firesim-sim counts for each direction (docs/reference/interfaces/results.md)."""


def fault_table(results: Results, network: Network) -> View | None:
    """Return one row a direction with faults; None where no link has any.

    What never happened on any link has no column.
    """
    said = {str(one.get("name")): one for one in (results.result or {}).get("links", [])}
    rows = []
    for link in network.links:
        for way, ends in zip(WAYS, ((link.a, link.b), (link.b, link.a)), strict=True):
            counts = (said.get(link.name, {}).get(way) or {}).get("faults")
            if counts is not None:
                rows.append((*ends, counts))
    if not rows:
        return None
    keys = [key for key in COUNTS if key == "frames" or any(row[2].get(key) for row in rows)]
    columns = [
        Column(key.replace("_", " "), "bits" if key == "bits_flipped" else "frames", MEASURED)
        for key in keys
    ]
    columns[0] = Column("sent", "frames", MEASURED)
    view = View([Column("from", text=True), Column("to", text=True), *columns])
    for sender, receiver, counts in rows:
        view.add(sender, receiver, *(grouped(counts.get(key)) for key in keys))
    return view
