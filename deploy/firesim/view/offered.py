# SPDX-License-Identifier: BSD-3-Clause
"""The files of a run that a viewer shows: its timelines and its waves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firesim_common.printable import printable
from firesim_common.user_path import found_in

from firesim.units import byte_size
from firesim.view.stage import Stage
from firesim.view.viewers import VIEWERS, Viewer

MOST_FILES = 100
"""On a page."""


def offered(folder: Path, stage: Stage) -> dict[str, Any]:
    """Return each file with its size, its viewer, and where it is opened there."""
    shown = []
    for viewer, path in _files(folder):
        address = stage.address(path, folder, viewer)
        if address is not None:
            name = printable(str(path.relative_to(folder)))
            shown.append([name, byte_size(path.stat().st_size), viewer.name, address])
    return {"files": shown[:MOST_FILES], "left_out": max(0, len(shown) - MOST_FILES)}


def _files(folder: Path) -> list[tuple[Viewer, Path]]:
    """Return the files in a results folder and in those of its nodes, timelines first."""
    found: list[tuple[Viewer, Path]] = []
    for viewer in VIEWERS:
        some = [
            path
            for suffix in viewer.suffixes
            for path in (*folder.glob(f"*{suffix}"), *folder.glob(f"*/*{suffix}"))
        ]
        found += [
            (viewer, path) for path in sorted(some) if path.is_file() and found_in(path, folder)
        ]
    return found
