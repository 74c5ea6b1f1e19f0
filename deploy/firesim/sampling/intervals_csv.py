# SPDX-License-Identifier: BSD-3-Clause
"""The intervals of a sample as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from firesim.sampling.folder import MEASURED, Interval
from firesim.sampling.settings import FIGURES, Settings, Whole

COLUMNS = ("interval", "first", "state", "cycles", "instructions", "cpi", "token_hash")
"""first: instruction, or cycle, of the workload."""
PRINTED, STANDS_FOR = "figures", "stands_for"
"""Figures that consoles printed; the number of intervals that a representative stands for."""


def intervals_csv(intervals: Sequence[Interval], whole: Whole, settings: Settings) -> str:
    """Return a row for each interval."""
    names = sorted({name for one in intervals for name in one.events})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    sizes = {unit: size for unit, size in whole.points}
    columns = [*COLUMNS, *([PRINTED] if whole.unit == FIGURES else [STANDS_FOR] if sizes else [])]
    writer.writerow([*columns, *names])
    for one in intervals:
        row = {
            "interval": one.unit,
            "first": one.unit * settings.interval,
            "state": one.state,
            "cycles": one.cycles,
            "instructions": one.instructions,
            "cpi": f"{one.cpi:.6f}" if one.state == MEASURED and one.instructions else "",
            "token_hash": one.token_hash,
            PRINTED: " ".join(f"{figure:g}" for figure in one.figures),
            STANDS_FOR: sizes.get(one.unit, 0),
        }
        counts = [one.events.get(name, 0) for name in names]
        writer.writerow([*(row[name] for name in columns), *counts])
    return text.getvalue()
