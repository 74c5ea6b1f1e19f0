# SPDX-License-Identifier: BSD-3-Clause
"""Which run or sweep a page shows."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from firesim_common.errors import InputError

from firesim.run.control import is_running, running_folder
from firesim.sweep.folder import SWEEP
from firesim.view.swept import ViewedSweep
from firesim.view.viewed import ViewedRun
from firesim.work.folder import (
    is_being_prepared,
    named_folder,
    newest_folder,
    preparing_folders,
    results_root,
    run_folders,
)

POLL_S = 0.2


def viewed(name: str | None, eta_cycle: int, say: Callable[[str], None]) -> ViewedRun | ViewedSweep:
    """Return the run or sweep that is named, else the run that runs, else the newest.

    Raises:
        InputError: there is none, or several run and none is named.
    """
    folder = None if name is None else _sweep_folder(name)
    return ViewedRun(viewed_folder(name, say), eta_cycle) if folder is None else ViewedSweep(folder)


def _sweep_folder(name: str) -> Path | None:
    """Return the folder of the sweep that is named, by a path or as one among the results."""
    for path in (results_root() / name, Path(name).expanduser().absolute()):
        if (path / SWEEP).is_file():
            return path
    return None


def viewed_folder(name: str | None, say: Callable[[str], None]) -> Path:
    """Return the run that is named, else the one that runs, else the newest.

    A run that is still being built is waited for; `say` is told so.

    Raises:
        InputError: there is no such run, or several run and none is named.
    """
    if name is not None:
        folder = named_folder(name, "view")
        if is_being_prepared(folder):
            say(f"waiting for the run in {folder}, which is being prepared")
        while is_being_prepared(folder):
            time.sleep(POLL_S)
        return folder
    if preparing_folders() or any(map(is_running, run_folders())):
        return running_folder(None, say)
    newest = newest_folder()
    if newest is None:
        raise InputError("view: found no run, expected one: firesim runworkload makes one.")
    return newest
