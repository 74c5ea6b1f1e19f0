# SPDX-License-Identifier: BSD-3-Clause
"""The counters of an interval: the last row that each node has written."""

from __future__ import annotations

import csv

from firesim.results.outcome import Outcome

CYCLES = "active_cycles"


def last_row(outcome: Outcome, node: str) -> dict[str, int]:
    """Return the last row of a node's counters; all are 0 where there is none."""
    file = outcome.folder / node / "counters.csv"
    with file.open(encoding="utf-8", newline="") as text:
        names, *rows = list(csv.reader(text))
    values = [int(value) for value in rows[-1]] if rows else [0] * len(names)
    return dict(zip(names, values, strict=True))
