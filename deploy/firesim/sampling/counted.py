# SPDX-License-Identifier: BSD-3-Clause
"""What the counters of a node say at the end of a run."""

from __future__ import annotations

import csv

from firesim.results.outcome import Outcome

CYCLES = "active_cycles"
NOT_EVENTS = ("cycle", CYCLES)


def last_row(outcome: Outcome, node: str) -> dict[str, int]:
    """Return the last row of a node's counters; all are 0 where there is none."""
    file = outcome.folder / node / "counters.csv"
    with file.open(encoding="utf-8", newline="") as text:
        names, *rows = list(csv.reader(text))
    values = [int(value) for value in rows[-1]] if rows else [0] * len(names)
    return dict(zip(names, values, strict=True))


def warm_start_cycles(outcome: Outcome, key: str) -> int:
    """Return the most cycles that a node's warm start took: extra_cycles or restore_cycles."""
    facts = [node["statistics"].get("warm_start") or {} for node in outcome.result["nodes"]]
    return max(int(one.get(key, 0)) for one in facts)
