# SPDX-License-Identifier: BSD-3-Clause
"""Saves a running simulation as a snapshot; it goes on meanwhile and its result does not change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firesim.run.control import ask
from firesim.snapshots.files import check_new_name


@dataclass(frozen=True)
class Saved:
    """A snapshot that was taken."""

    cycle: int
    path: Path


def save_snapshot(run: Path, name: str) -> Saved:
    """Save the simulation of a results folder as its snapshots/NAME; return when that is done.

    Raises:
        InputError: no name for a snapshot of this run, the run is over, or the simulator refuses.
    """
    check_new_name(name, run)
    answer = ask(run, {"command": "snapshot", "name": name})
    return Saved(int(answer["cycle"]), run / str(answer["path"]))
