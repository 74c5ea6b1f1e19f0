# SPDX-License-Identifier: BSD-3-Clause
"""The results of a sweep as plots: each figure over the first key, a line for each of the rest."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from firesim_common.whole_file import write_whole

from firesim.results.figures import FIGURES
from firesim.sweep.folder import SweepFolder
from firesim.sweep.points import short_names, shown
from firesim.sweep.table import rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "sweep.svg"
MOST_LINES = 10
LOGARITHMIC = 16
"""The axis of values that are further apart than this factor is logarithmic."""
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ps|ns|us|ms|s)")
_IN_US = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
Row = dict[str, Any]


def write_plot(folder: SweepFolder) -> None:
    """Write the plots of a sweep; nothing where no point has a result yet."""
    found = [row for row in rows(folder) if row["end_cycle"]]
    if found:
        text = io.StringIO()
        drawn(found, list(folder.axes)).savefig(text, format="svg")
        write_whole(folder.path / SVG, text.getvalue())


def drawn(found: Sequence[Row], axes: Sequence[str]) -> Figure:
    """Return the plots of rows that have results."""
    from matplotlib.figure import Figure  # Most commands do without it, and it is slow to import.

    labels = {"end_cycle": "end (cycle)", **FIGURES}
    keys = [key for key in labels if any(row.get(key) is not None for row in found)]
    figure = Figure(figsize=(6.4, 3.2 * len(keys)), layout="constrained")
    short = short_names(axes)
    for index, key in enumerate(keys):
        panel = figure.add_subplot(len(keys), 1, index + 1)
        places, unit = numbers([row[axes[0]] for row in found])
        for name, which in list(_lines(found, axes[1:], short).items())[:MOST_LINES]:
            had = [at for at in which if found[at].get(key) is not None]
            xs = [places[at] for at in had]
            panel.plot(xs, [found[at][key] for at in had], marker="o", label=name)
        _name_axis(panel, places, [row[axes[0]] for row in found], unit)
        panel.set_xlabel(short[axes[0]] + (f" ({unit})" if unit else ""))
        panel.set_ylabel(labels[key])
        panel.grid(alpha=0.3)
        if len(axes) > 1:
            panel.legend(fontsize="small")
    return figure


def numbers(values: Sequence[Any]) -> tuple[list[float], str | None]:
    """Return where on an axis values are, and their unit; None: they are only names."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], ""
    times = [_TIME.fullmatch(value) if isinstance(value, str) else None for value in values]
    if all(times):
        return [float(one[1]) * _IN_US[one[2]] for one in times if one], "µs"
    names = list(dict.fromkeys(map(shown, values)))
    return [float(names.index(shown(value))) for value in values], None


def _name_axis(
    panel: Any, places: Sequence[float], values: Sequence[Any], unit: str | None
) -> None:
    """Name the values below an axis that has names, and spread one that has far-off values."""
    if unit is None:
        named = dict(zip(places, map(shown, values), strict=True))
        panel.set_xticks(list(named), list(named.values()))
    elif min(places) > 0 and max(places) > LOGARITHMIC * min(places):
        panel.set_xscale("log")


def _lines(
    found: Sequence[Row], keys: Sequence[str], short: dict[str, str]
) -> dict[str, list[int]]:
    """Return the rows of each line, by its name: what has the same values of the other keys."""
    lines: dict[str, list[int]] = {}
    for at, row in enumerate(found):
        name = ", ".join(f"{short[key]}={shown(row[key])}" for key in keys)
        lines.setdefault(name, []).append(at)
    return lines
