# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as its page shows it: a row for each point, of those that go on, too."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from firesim_common.printable import printable
from firesim_common.user_path import found_in

from firesim.run.attach import is_remote
from firesim.run.control import is_running
from firesim.sweep.folder import PASSED, Came, SweepFolder, opened
from firesim.sweep.points import Point, short_names
from firesim.sweep.table import HEADINGS, cell, columns, rows
from firesim.work.folder import is_being_prepared

MOST_ROWS = 2000
"""Sent to a page; the file sweep.csv has them all."""
GOING, PREPARED = "running", "being built"


class ViewedSweep:
    """Reads one sweep for all pages that show it; any thread."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of a sweep.

        Raises:
            InputError: it is none.
        """
        self.sweep: SweepFolder = opened(folder)
        self.folder = self.sweep.path
        self._points = {point.name: point for point in self.sweep.points}
        self._came: dict[str, Came] = {}
        """What came of points whose result stays as it is."""

    def run_folder(self, name: str) -> Path | None:
        """Return the results folder of a point, None while it has none."""
        point = self._points.get(name)
        if point is None:
            return None
        folder = self.sweep.results(point)
        return folder if found_in(folder / "description.json", self.folder) else None

    def table(self, seen: str) -> dict[str, Any]:
        """Return the table as texts, without its rows for a page that has `seen` just these."""
        came = [(point, self._came_of(point)) for point in self.sweep.points]
        found = rows(self.sweep, came)
        keys = [key for key in columns(found) if key not in ("wall_s", "message")]
        names = HEADINGS | short_names(list(self.sweep.axes))
        over = [one for _, one in came if one is not None]
        failed = sum(one.state != PASSED for one in over)
        shown = [self._row(keys, row) for row in found[:MOST_ROWS]]
        said = {
            "columns": [printable(names.get(key, key)) for key in keys],
            "rows": shown,
            "left_out": max(0, len(found) - MOST_ROWS),
            "summary": f"{len(over)} of {len(found)} points are over, {failed} of them not passed",
            "over": len(over) == len(found),
        }
        version = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]
        return {"version": version} if version == seen else {"version": version, **said}

    def _came_of(self, point: Point) -> Came | None:
        known = self._came.get(point.name)
        if known is None and (known := self.sweep.came(point)) is not None and known.is_result:
            self._came[point.name] = known
        return known

    def _row(self, keys: list[str], row: dict[str, Any]) -> dict[str, Any]:
        """Return the cells of a point, whether it has a page, how it is, and what went wrong."""
        name = str(row["point"])
        has_page = self.run_folder(name) is not None
        if row["state"] is None and (self.sweep.path / name).is_dir():
            row = {**row, "state": self._state(self.sweep.path / name)}
        state = str(row["state"] or "")
        look = {PASSED: "passed", GOING: "busy", PREPARED: "calm", "": "calm"}.get(state, "failed")
        return {
            "point": name,
            "page": has_page,
            "look": look,
            "cells": [printable(cell(key, row[key], self.sweep)) for key in keys],
            "message": printable(str(row["message"] or "")),
        }

    def _state(self, folder: Path) -> str | None:
        if is_being_prepared(folder):
            return PREPARED
        return GOING if is_remote(folder) or is_running(folder) else None
