# SPDX-License-Identifier: BSD-3-Clause
"""The event counters of a node as far as they are written: the last row of a file that grows."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from firesim_common.regular_file import opened_regular

from firesim.report.counters import short_names

MOST_BYTES = 256 * 1024
"""Of a row; a longer one is of no run."""
MOST_COUNTERS = 2000


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


def read_counters(path: Path) -> Counters | None:
    """Return the newest counters in a CSV file that may still grow; None while it has none."""
    try:
        with opened_regular(path) as stream:
            head = b"#"
            while head.startswith(b"#"):
                head = stream.readline(MOST_BYTES)
            size = stream.seek(0, 2)
            stream.seek(max(stream.tell() - 2 * MOST_BYTES, len(head), 0))
            tail = stream.read(2 * MOST_BYTES) if size > len(head) else b""
    except OSError:
        return None
    whole = tail[: tail.rfind(b"\n") + 1]
    names = _words(head)
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
    return Counters(last[0], found)


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
