# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of one node from the rows of its counters: of the whole run and of each interval.

A name in an expression is a counter; or an event that every hart counts, which is their sum; or the
last part of a counter's path, where only one ends so. `cycles` are those in which was counted, and
`harts` how many harts count. `sent_flits`, `received_flits` and `link_flits`, what its links could
have carried, are known of the whole run only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from firesim.metrics.expression import Value
from firesim.metrics.stock import Metric

ACTIVE = "active_cycles"
"""The column of a window by trigger: cycles in which was counted."""
CYCLES, HARTS = "cycles", "harts"
LINK_NAMES = ("sent_flits", "received_flits", "link_flits")
_HART = re.compile(r"hart(?P<hart>\d+)_(?P<event>.+)")
_BIN = re.compile(r"(?P<vector>.+)\[(?P<value>\d+)\]")
Row = Sequence[float]
_Any = TypeVar("_Any")


@dataclass(frozen=True)
class LinkUse:
    """What went over a node's links in the whole run, in flits, and what could have."""

    sent: float
    received: float
    room: float


def _vectors(places: Sequence[tuple[int, str]]) -> dict[str, list[int]]:
    """Return the places of `NAME[0]`, `NAME[1]` … of each vector whose values were counted."""
    found: dict[str, list[int]] = {}
    for at, name in places:
        match = _BIN.fullmatch(name)
        if match and int(match["value"]) == len(found.get(match["vector"], [])):
            found.setdefault(match["vector"], []).append(at)
    return {name: values for name, values in found.items() if len(values) > 1}


def _with_short(named: Mapping[str, _Any]) -> dict[str, _Any]:
    """Return the same, and by the last parts of paths in which only one ends."""
    ends = Counter(name.rpartition(".")[2] for name in named)
    short = {
        last: what for name, what in named.items() if ends[last := name.rpartition(".")[2]] == 1
    }
    return {**short, **named}


class Counted:
    """The counters of one node: their names, and which of them a name means."""

    def __init__(self, columns: Sequence[str], start_cycle: int = 0) -> None:
        """Take the columns of counters.csv, the first of which is the cycle.

        `start_cycle` is where the run went on from a snapshot: what was counted before is known
        from the first row on only, except where a window is counted by itself.
        """
        self.columns = list(columns)
        self.is_window = ACTIVE in self.columns[1:2]
        self.first_row_counts = start_cycle == 0 or self.is_window
        places = list(enumerate(self.columns))[2 if self.is_window else 1 :]
        matches = [(_HART.fullmatch(name), at) for at, name in places]
        self.harts = sorted({int(match["hart"]) for match, _ in matches if match})
        self._vectors = _with_short(_vectors(places))
        whole: dict[str, tuple[int, ...]] = {name: (at,) for at, name in places}
        self._places = dict(whole)
        for event in {match["event"] for match, _ in matches if match}:
            every = tuple(at for match, at in matches if match and match["event"] == event)
            self._places.setdefault(event, every)
        for name, found in _with_short(whole).items():
            self._places.setdefault(name, found)

    def known(self) -> list[str]:
        """Return what an expression may name."""
        return [CYCLES, HARTS, *LINK_NAMES, *self._places, *self._vectors]

    def vectors(self) -> dict[str, list[int]]:
        """Return the columns of the values of each vector that has a histogram, by its name."""
        return {name: at for name, at in self._vectors.items() if f"{name}[0]" in self._places}

    def lacks(self, metric: Metric) -> list[str]:
        """Return the names in a metric that mean nothing here."""
        fixed = (CYCLES, HARTS, *LINK_NAMES)
        names = [n for n in metric.expression.names() if n not in fixed and n not in self._places]
        return names + [n for n in metric.expression.histograms() if n not in self._vectors]

    def is_of_links(self, metric: Metric) -> bool:
        """Return whether a metric has values of whole runs only, since it is about links."""
        return any(n in LINK_NAMES and n not in self._places for n in metric.expression.names())

    def metrics(self, every: Sequence[Metric]) -> list[Metric]:
        """Return the metrics that can be worked out here."""
        return [metric for metric in every if not self.lacks(metric)]

    def value(
        self,
        metric: Metric,
        before: Row,
        after: Row,
        links: LinkUse | None = None,
        hart: int | None = None,
    ) -> Value:
        """Return a metric of the stretch between two rows; of one hart alone where that is given.

        None where it has no value: nothing was counted that it is divided by, or the links are not
        known.
        """

        def count(name: str) -> Value:
            if name == CYCLES:
                at = 1 if self.is_window else 0
                return after[at] - before[at]
            if name == HARTS:
                return float(max(1, len(self.harts))) if hart is None else 1.0
            if name in self._places:
                return sum(after[at] - before[at] for at in self._of(name, hart))
            if links is None or hart is not None:
                return None
            return dict(zip(LINK_NAMES, (links.sent, links.received, links.room), strict=True))[
                name
            ]

        def values(name: str) -> list[float] | None:
            places = self._vectors.get(name)
            return None if places is None else [after[at] - before[at] for at in places]

        return metric.expression.value(count, values)

    def _of(self, name: str, hart: int | None) -> tuple[int, ...]:
        mine = None if hart is None else self._places.get(f"hart{hart}_{name}")
        return mine or self._places[name]

    def zero(self) -> list[float]:
        """Return the row before anything was counted."""
        return [0.0] * len(self.columns)

    def base(self, rows: Sequence[Row]) -> Row:
        """Return what a run's counters began at."""
        return self.zero() if self.first_row_counts or not rows else rows[0]

    def stretches(self, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
        """Yield the rows before and after each interval; the cycles of one are never 0."""
        every = [self.zero(), *rows] if self.first_row_counts else list(rows)
        yield from ((before, after) for before, after in pairwise(every) if after[0] > before[0])

    def totals(
        self, every: Sequence[Metric], rows: Sequence[Row], links: LinkUse | None = None
    ) -> dict[str, Value]:
        """Return each metric of the whole run by name, and of several harts each hart's own.

        A hart's are called `hart0_ipc`; those of links, and those that name no event that every
        hart counts, are the node's alone.
        """
        if not rows:
            return {}
        before, after = self.base(rows), rows[-1]
        found: dict[str, Value] = {}
        for metric in self.metrics(every):
            found[metric.name] = self.value(metric, before, after, links)
            for hart in self.harts if len(self.harts) > 1 and self._is_per_hart(metric) else ():
                found[f"hart{hart}_{metric.name}"] = self.value(metric, before, after, None, hart)
        return found

    def _is_per_hart(self, metric: Metric) -> bool:
        names = [name for name in metric.expression.names() if name not in (CYCLES, HARTS)]
        return bool(names) and all(len(self._places.get(name, ())) > 1 for name in names)
