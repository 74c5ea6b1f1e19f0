# SPDX-License-Identifier: BSD-3-Clause
"""A run that was lost: found, and where it goes on."""

from __future__ import annotations

from pathlib import Path

from firesim_common.errors import InputError

from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.snapshots.sound import Say, last_sound
from firesim.topology.describe import Restart
from firesim.work.folder import is_alive, load_simulator, saved_config, saved_result


def resumed(folder: Path, overrides: list[str], say: Say) -> tuple[Loaded, Restart]:
    """Return the configuration of a lost run and its last snapshot that is whole.

    Raises:
        InputError: no run, it still runs, it has ended, or it has no whole snapshot.
    """
    config = saved_config(folder, "--resume")
    record = load_simulator(folder)
    if record is not None and is_alive(record):
        raise InputError(f"--resume: found {folder} still running, expected a run that was lost.")
    if saved_result(folder).get("reason") == "ended":
        raise InputError(f"--resume: found {folder} ended, expected a run that was lost.")
    found = last_sound(folder, say)
    if found is None:
        raise InputError(
            f"--resume: found no complete snapshot in {folder}, expected one "
            "(simulation.snapshots.interval takes them)."
        )
    return load_file(config, overrides), Restart(found.path, found.cycle)
