# SPDX-License-Identifier: BSD-3-Clause
"""Finds the newest snapshot of a run that has all it had when it was made.

A host that fails while it saves, or a disk that does, may leave a snapshot whose files are cut or
changed. The one before is as good to go on from: the run only takes longer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.printable import printable

from firesim.build.launch import finish
from firesim.snapshots.files import FILE, Snapshot, snapshots_of, without_index

Say = Callable[[str], None]
"""Takes a sentence for the user."""


def damage(folder: Path) -> str:
    """Return what is wrong with the files of a snapshot, as the simulator says it, or nothing."""
    done = finish(folder, options=["--check-snapshot"])
    if done.returncode == 0:
        return ""
    return done.stderr.strip() or f"exit status {done.returncode} of firesim-sim"


def last_sound(run: Path, say: Say) -> Snapshot | None:
    """Return the newest snapshot of a run that is whole; None when it has none.

    Each one that is not is named in a sentence.

    Raises:
        InputError: there are snapshots, and none of them is whole.
    """
    unreadable: dict[Path, InputError] = {}
    found = snapshots_of(run, unreadable)
    wrong = [str(error).rstrip(".") for error in unreadable.values()]
    for snapshot in reversed(found):
        problem = damage(snapshot.path)
        if not problem:
            for folder in without_index(run, snapshot.cycle):
                wrong.append(f"{folder}: found no {FILE}, expected a complete snapshot")
            for text in wrong:
                say(printable(f"{text}; going on from {snapshot.name}, cycle {snapshot.cycle:,}"))
            return snapshot
        wrong.append(problem)
    if wrong:
        raise InputError(f"{run}: found no snapshot that is whole: {'; '.join(wrong)}.")
    return None
