# SPDX-License-Identifier: BSD-3-Clause
"""The event counters of a node as far as they are written: the last row of a file that grows."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from firesim_common.regular_file import opened_regular

from firesim.report.counters import short_names

MOST_BYTES = 256 * 1024
"""Of a row; a longer one is of no run."""
MOST_COUNTERS = 2000
SERIES_POINTS = 200


@dataclass(frozen=True)
class Counter:
    """One counter of a node."""

    name: str
    total: float
    rate: float | None
    """Events in 1,000 cycles between the last two rows; None while there is one row."""


@dataclass(frozen=True)
class Counters:
    """The counters of a node in the cycle of the last row."""

    cycle: float
    counters: list[Counter]
    columns: list[str]
    rows: list[list[float]]
    """The last two, or the only one."""


def read_series(path: Path, index: int) -> list[list[float]]:
    """Return how fast a counter grew: cycles, and events in 1,000 of them, at moments of the run.

    All over a file however long it is; nothing where there is no such counter.
    """
    try:
        with opened_regular(path) as stream:
            names, begin = _head(stream)
            if not 0 <= index < min(len(names) - 1, MOST_COUNTERS):
                return []
            size = stream.seek(0, 2) - begin
            points: list[list[float]] = []
            for place in range(SERIES_POINTS):
                stream.seek(begin + size * place // SERIES_POINTS)
                if place:
                    stream.readline(MOST_BYTES)
                rows = [stream.readline(MOST_BYTES) for _ in range(2)]
                before, last = (_numbers(row) if row.endswith(b"\n") else [] for row in rows)
                if len(before) != len(names) or len(last) != len(names) or last[0] <= before[0]:
                    continue
                if not points or last[0] > points[-1][0]:
                    grown = last[index + 1] - before[index + 1]
                    points.append([last[0], 1000 * grown / (last[0] - before[0])])
            return points
    except OSError:
        return []


def _head(stream: BinaryIO) -> tuple[list[str], int]:
    """Return the names of the columns, and where the rows begin."""
    head = b"#"
    while head.startswith(b"#"):
        head = stream.readline(MOST_BYTES)
    return _words(head), stream.tell()


def read_counters(path: Path) -> Counters | None:
    """Return the newest counters in a CSV file that may still grow; None while it has none."""
    try:
        with opened_regular(path) as stream:
            names, begin = _head(stream)
            stream.seek(max(stream.seek(0, 2) - 2 * MOST_BYTES, begin))
            tail = stream.read(2 * MOST_BYTES)
    except OSError:
        return None
    whole = tail[: tail.rfind(b"\n") + 1]
    rows = [row for row in map(_numbers, whole.splitlines()[-2:]) if len(row) == len(names)]
    if not rows or len(names) < 2:
        return None
    last, before = rows[-1], rows[0] if len(rows) > 1 else None
    short = short_names(names[1:])
    found = []
    for index, name in enumerate(names[1 : 1 + MOST_COUNTERS], 1):
        rate = None
        if before is not None and last[0] > before[0]:
            rate = 1000 * (last[index] - before[index]) / (last[0] - before[0])
        found.append(Counter(short[name], last[index], rate))
    return Counters(last[0], found, names, rows)


def _words(line: bytes) -> list[str]:
    try:
        return [word.strip() for word in next(csv.reader([line.decode(errors="replace")]), [])]
    except csv.Error:
        return []


def _numbers(line: bytes) -> list[float]:
    try:
        return [float(word) for word in _words(line)]
    except ValueError:
        return []
