# SPDX-License-Identifier: BSD-3-Clause
"""What a page is told of its run: the difference to what it knows, a console, counters."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from firesim_common.printable import printable

from firesim.metrics.counted import Counted
from firesim.topology.describe import CONSOLE_LOG
from firesim.units import grouped, significant
from firesim.view.consoles import piece, raw_piece
from firesim.view.counters import Counters, read_counters, read_series
from firesim.view.flames import flame
from firesim.view.viewed import State, ViewedRun

_PLACE = re.compile(r"[0-9]{1,18}")


class Teller:
    """Tells one page of a run; it knows what the page was told before."""

    def __init__(self, run: ViewedRun) -> None:
        """Begin with a page that knows nothing."""
        self.run = run
        self.told: State | None = None

    def news(self) -> dict[str, Any] | None:
        """Return what has changed, None when nothing has."""
        state, before = self.run.state(), self.told
        if state == before:
            return None
        self.told = state
        known = {} if before is None else before.models
        told: dict[str, Any] = {
            "run": state.run,
            "models": {name: row for name, row in state.models.items() if known.get(name) != row},
        }
        for key in ("boxes", "lines", "queues", "pulls", "waits", "hosts", "links"):
            if before is None or getattr(before, key) != getattr(state, key):
                told[key] = getattr(state, key)
        if before is None:
            told["history"] = self.run.history()
        return told

    @property
    def is_over(self) -> bool:
        """Whether the page has been told the end."""
        return self.told is not None and bool(self.told.run["over"])


def console(run: ViewedRun, node: str, place: str) -> dict[str, Any] | None:
    """Return what a node's console said from a place of its log on, None without such a node.

    What is no place is the beginning.
    """
    log = _log(run, node)
    return None if log is None else asdict(piece(log, _start(place)))


def terminal(run: ViewedRun, node: str, place: str) -> dict[str, Any] | None:
    """Return the same as `console` for a terminal: the bytes as the guest sent them."""
    log = _log(run, node)
    return None if log is None else asdict(raw_piece(log, _start(place)))


def _start(place: str) -> int:
    return int(place) if _PLACE.fullmatch(place) else 0


def _log(run: ViewedRun, node: str) -> Path | None:
    """Return the file of a node's console, None without such a node."""
    if node not in run.nodes_with("uart"):
        return None
    return run.file_of(node, "uart", "log") or run.folder / node / CONSOLE_LOG


def series(run: ViewedRun, node: str, index: str) -> dict[str, Any] | None:
    """Return how fast a node's counter has grown, by its number; None without such a node."""
    path = run.file_of(node, "autocounter", "file")
    if path is None or not _PLACE.fullmatch(index):
        return None
    return {"points": read_series(path, int(index))}


def stacks(run: ViewedRun, node: str, seen: str) -> dict[str, Any] | None:
    """Return a node's flame graph, None without such a node."""
    if node not in run.nodes_with("tracerv"):
        return None
    directory = run.file_of(node, "tracerv", "directory")
    return flame(directory, run.folder, seen)


def counters(run: ViewedRun, node: str) -> dict[str, Any] | None:
    """Return a node's metrics and counters as texts, None without such a node."""
    if node not in run.nodes_with("autocounter"):
        return None
    path = run.file_of(node, "autocounter", "file")
    found = None if path is None else read_counters(path)
    if found is None:
        return {"cycle": "", "metrics": [], "rows": []}
    rows = [
        [
            printable(one.name),
            grouped(one.total),
            "" if one.rate is None else significant(one.rate, 3),
        ]
        for one in found.counters
    ]
    return {
        "cycle": f"cycle {grouped(found.cycle)}",
        "metrics": _metrics(run, found),
        "rows": rows,
    }


def _metrics(run: ViewedRun, found: Counters) -> list[list[str]]:
    """Return what is worked out of a node's counters: over the run so far, and of late."""
    counted = Counted(found.columns, run.start_cycle)
    rows = []
    for metric in counted.metrics(run.metrics):
        if counted.is_of_links(metric):
            continue
        so_far = None
        if counted.first_row_counts:
            so_far = counted.value(metric, counted.zero(), found.rows[-1])
        late = None
        if len(found.rows) > 1 and found.rows[-1][0] > found.rows[0][0]:
            late = counted.value(metric, found.rows[0], found.rows[-1])
        rows.append(
            [metric.name, *("" if v is None else significant(v, 3) for v in (so_far, late))]
        )
    return rows
