# SPDX-License-Identifier: BSD-3-Clause
"""The results of a sweep as one table: a row for each point."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from firesim_common.printable import printable
from firesim_common.whole_file import write_whole
from rich import box
from rich.console import Console
from rich.table import Table

from firesim.results.figures import FIGURES
from firesim.sweep.folder import PASSED, Came, SweepFolder
from firesim.sweep.points import PREFIX, Point, short_names, shown
from firesim.units import significant

CSV = "sweep.csv"
ENDS = ("state", "end_cycle", "token_hash")
HEADINGS = {
    "end_cycle": "end cycle",
    "token_hash": "token hash",
    "round_trip_cycles": "round trip",
    "round_trip_p99_cycles": "99 %",
    "stream_gbps": "Gb/s",
    "ipc": "IPC",
}
MOST_ROWS = 100
_ANY = 1000
"""Columns in which any table has room."""


def rows(
    folder: SweepFolder, all_came: Sequence[tuple[Point, Came | None]] | None = None
) -> list[dict[str, Any]]:
    """Return a row for each point; the values are None where it has none yet.

    `all_came` is what came of the points, if that is known.
    """
    found = []
    for point, came in all_came or folder.all_came():
        row: dict[str, Any] = {"point": point.name, **point.values}
        row |= {key: getattr(came, key) if came else None for key in (*ENDS, "wall_s", "message")}
        row |= {key: came.figures.get(key) if came else None for key in FIGURES}
        found.append(row)
    return [{key: row[key] for key in row if key in columns(found)} for row in found]


def columns(found: list[dict[str, Any]]) -> list[str]:
    """Return the columns of a table: figures only where a point has them."""
    empty = {key for key in FIGURES if all(row.get(key) is None for row in found)}
    return [key for key in found[0] if key not in empty] if found else []


def write_table(folder: SweepFolder) -> None:
    """Write the table as CSV."""
    found = rows(folder)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(found), lineterminator="\n")
    writer.writeheader()
    for row in found:
        values = {key: row[key] if key not in folder.axes else shown(row[key]) for key in row}
        writer.writerow({key: "" if value is None else value for key, value in values.items()})
    write_whole(folder.path / CSV, text.getvalue())


def print_table(folder: SweepFolder, console: Console) -> None:
    """Print the table: of a long one the first rows, of a wide one the first columns."""
    found = rows(folder)
    keys = [key for key in columns(found) if key not in ("wall_s", "message")]
    least = 1 + len(folder.axes) + len(ENDS)
    table = _table(folder, found, keys)
    while len(keys) > least and not _has_room(table, console):
        keys.pop()
        table = _table(folder, found, keys)
    console.print(table)


def _has_room(table: Table, console: Console) -> bool:
    wide = console.options.update(max_width=_ANY)
    return console.measure(table, options=wide).maximum <= console.width


def _table(folder: SweepFolder, found: list[dict[str, Any]], keys: list[str]) -> Table:
    names = HEADINGS | short_names(list(folder.axes))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for key in keys:
        is_number = key in FIGURES or key == "end_cycle"
        table.add_column(
            names.get(key, key), justify="right" if is_number else "left", overflow="fold"
        )
    for row in found[:MOST_ROWS]:
        cells = [cell(key, row[key], folder) for key in keys]
        style = None if row["state"] in (PASSED, None) else "red"
        table.add_row(*(printable(text) for text in cells), style=style)
    left_out = [f"{len(found) - MOST_ROWS} more points"] if len(found) > MOST_ROWS else []
    left_out += ["more columns"] if len(keys) < len(columns(found)) - 2 else []
    if left_out:
        table.caption = f"{' and '.join(left_out)} in {CSV}"
    return table


def cell(key: str, value: Any, folder: SweepFolder) -> str:
    """Return a value of a column for people."""
    if value is None or value == "":
        return "-"
    if key in folder.axes:
        return shown(value)
    if key == "point":
        return str(value).removeprefix(PREFIX)
    return significant(value, 6) if isinstance(value, int | float) else str(value)
