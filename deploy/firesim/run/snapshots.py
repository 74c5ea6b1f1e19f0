# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots on disk: `snapshots/NAME` in the results folder of the run they were taken of."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.config.base import NAME_RULE
from firesim.config.errors import InputError, unknown
from firesim.run.folder import run_folders
from firesim.topology.describe import SNAPSHOTS_FOLDER as FOLDER

FILE = "snapshot.json"
FORMAT = "firesim-snapshot"
_AUTOMATIC = re.compile(r"(?:auto|cycle)-\d+")


@dataclass(frozen=True)
class Snapshot:
    """A complete snapshot: its folder and what its snapshot.json says."""

    path: Path
    cycle: int
    created_by: str
    kinds: dict[str, str]
    """Kind of each model by name: rtl, functional, traffic, a switch's kind, …"""
    saved_at: float

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.name

    @property
    def nodes(self) -> list[str]:
        """The names of the servers in it."""
        return [name for name, kind in self.kinds.items() if kind in ("rtl", "functional")]

    @property
    def run(self) -> Path | None:
        """The results folder of the run it was taken of, None when it was moved elsewhere."""
        inside = self.path.parent.name == FOLDER
        return self.path.parent.parent if inside else None

    def bytes_on_disk(self) -> int:
        """Return the disk space it takes; memory that was never written takes none."""
        files = (path.stat() for path in self.path.rglob("*") if path.is_file())
        return sum(file.st_blocks * 512 for file in files)


def read_snapshot(folder: Path) -> Snapshot:
    """Read the snapshot in a folder; its contents are checked when the simulator loads it.

    Raises:
        InputError: there is none, or it is torn or foreign.
    """
    file = folder / FILE
    if not file.is_file():
        raise InputError(f"{folder}: found no {FILE}, expected a complete snapshot.")
    try:
        value: dict[str, Any] = json.loads(file.read_text())
        if value["format"] != FORMAT:
            raise InputError(f'{file}: found format "{value["format"]}", expected "{FORMAT}".')
        kinds = {str(model["name"]): str(model["kind"]) for model in value["models"]}
        created_by = value.get("created_by", "")
        text = created_by if isinstance(created_by, str) else json.dumps(created_by)
        cycle = int(value["cycle"])
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file}: found a damaged file, expected a snapshot.") from error
    return Snapshot(folder.absolute(), cycle, text, kinds, file.stat().st_mtime)


def snapshots_of(run: Path) -> list[Snapshot]:
    """Return the complete snapshots of a run, by cycle; torn ones are left out."""
    found = []
    for file in sorted((run / FOLDER).glob(f"*/{FILE}")):
        if not re.fullmatch(NAME_RULE, file.parent.name):
            continue  # One that is being written has another name until it is complete.
        try:
            found.append(read_snapshot(file.parent))
        except InputError:
            continue  # Damaged: the simulator says how when it is asked for by its folder.
    return sorted(found, key=lambda snapshot: snapshot.cycle)


def all_snapshots() -> list[Snapshot]:
    """Return the snapshots of all runs in the results, oldest first."""
    found = [snapshot for run in run_folders() for snapshot in snapshots_of(run)]
    return sorted(found, key=lambda snapshot: snapshot.saved_at)


def find_snapshot(text: str) -> Snapshot:
    """Return the snapshot in a folder, or the newest one of that name.

    Raises:
        InputError: there is none; the message has the nearest name.
    """
    if (Path(text) / FILE).is_file() or "/" in text:
        return read_snapshot(Path(text))
    known = all_snapshots()
    named = [snapshot for snapshot in known if snapshot.name == text]
    if not named:
        names = sorted({snapshot.name for snapshot in known})
        if not names:
            raise InputError(
                f'snapshot: found "{text}", expected a folder with a snapshot: there is none in '
                "the results."
            )
        raise InputError(f"snapshot: {unknown(text, 'a folder or one of the snapshots', names)}")
    return named[-1]


def check_new_name(name: str, run: Path) -> None:
    """Refuse a name that a snapshot of the run cannot get.

    Raises:
        InputError: not a name, kept for automatic snapshots, or taken.
    """
    if not re.fullmatch(NAME_RULE, name) or len(name) > 64:
        rule = "a name of letters, digits, _ and single - that starts with a letter"
        raise InputError(f'snapshot: found "{name}", expected {rule}.')
    if _AUTOMATIC.fullmatch(name):
        raise InputError(
            f'snapshot: found "{name}", expected a name other than auto-N and cycle-N, '
            "which automatic ones have."
        )
    if (run / FOLDER / name).exists():
        raise InputError(
            f'snapshot: found "{name}" in {run} already, expected another name '
            f"(or first: firesim snapshot delete {run / FOLDER / name})."
        )


def delete_snapshot(snapshot: Snapshot) -> None:
    """Remove a snapshot's folder; snapshot.json goes first, so that it is never half valid."""
    (snapshot.path / FILE).unlink()
    shutil.rmtree(snapshot.path)
