# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots on disk: `snapshots/NAME` in the results folder of the run they were taken of."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from firesim_common.base import NAME_RULE, Name
from firesim_common.errors import InputError, unknown
from firesim_common.regular_file import read_regular
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from firesim.engines import ENGINES
from firesim.topology.describe import SNAPSHOTS_FOLDER as FOLDER
from firesim.work.folder import run_folders

FILE = "snapshot.json"
FORMAT = "firesim-snapshot"
LARGEST_BYTES = 64 << 20
"""The most that is read of a snapshot.json: twenty times that of a thousand nodes."""
AUTOMATIC = re.compile(r"(?:auto|cycle)-(\d+)")


class _File(BaseModel):
    """A file of a snapshot: beside its snapshot.json, nowhere else."""

    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=255)]


class _Model(BaseModel):
    """A model of a snapshot, as far as the manager looks at it."""

    model_config = ConfigDict(strict=True)

    name: Name
    kind: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$", max_length=64)]
    state: _File | None = None
    regions: list[_File] = Field(default_factory=list)


class _Index(BaseModel):
    """A snapshot.json; what is not named here is the simulator's to check."""

    model_config = ConfigDict(strict=True)

    format: Literal["firesim-snapshot"]
    cycle: Annotated[int, Field(ge=0, lt=2**64)]
    models: list[_Model]
    links_state: _File | None = None
    created_by: Any = ""


@dataclass(frozen=True)
class Snapshot:
    """A complete snapshot: its folder and what its snapshot.json says."""

    path: Path
    cycle: int
    created_by: str
    kinds: dict[str, str]
    """Kind of each model by name: rtl, metasim, functional, traffic, a switch's kind, …"""
    saved_at: float

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.name

    @property
    def nodes(self) -> list[str]:
        """The names of the servers in it."""
        return [name for name, kind in self.kinds.items() if kind in ENGINES]

    @property
    def run(self) -> Path | None:
        """The results folder of the run it was taken of, None when it was moved elsewhere."""
        inside = self.path.parent.name == FOLDER
        return self.path.parent.parent if inside else None

    def bytes_on_disk(self) -> int:
        """Return the disk space it takes; memory that was never written takes none."""
        return sum(path.lstat().st_blocks * 512 for path in self.path.rglob("*"))


def read_snapshot(folder: Path) -> Snapshot:
    """Read the snapshot in a folder; its other files are checked when the simulator loads it.

    Raises:
        InputError: there is none, or it is torn or foreign.
    """
    file = folder / FILE
    if not os.path.lexists(file):
        raise InputError(f"{folder}: found no {FILE}, expected a complete snapshot.")
    text, status = read_regular(file, LARGEST_BYTES, follow=False)
    try:
        index = _Index.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["loc"] == ("format",) and isinstance(first["input"], str):
            found = json.dumps(first["input"][:64])
            raise InputError(f'{file}: found format {found}, expected "{FORMAT}".') from error
        where = "".join(f"{part}: " for part in first["loc"])
        raise InputError(
            f"{file}: found a damaged file, expected a snapshot: {where}{first['msg']}."
        ) from error
    by = index.created_by
    created_by = by if isinstance(by, str) and by.isprintable() else json.dumps(by)
    kinds = {model.name: model.kind for model in index.models}
    path = folder.resolve() if folder.is_symlink() else folder.absolute()
    return Snapshot(path, index.cycle, created_by, kinds, status.st_mtime)


def files_of(index: Mapping[str, Any], models: Collection[str] | None = None) -> dict[str, int]:
    """Return the files of some models (None: of all) and of the links, with their sizes in bytes.

    Raises:
        KeyError, TypeError, AttributeError: it is no index of a snapshot.
    """
    entries = [index.get("links_state")]
    for model in index["models"]:
        if models is None or model["name"] in models:
            entries += [model.get("state"), *model.get("regions", [])]
    return {str(entry["file"]): int(entry["bytes"]) for entry in entries if entry}


def snapshots_of(run: Path, damaged: dict[Path, InputError] | None = None) -> list[Snapshot]:
    """Return the complete snapshots of a run, by cycle.

    Others are left out; what is wrong with each is put into `damaged`, by its folder.
    """
    return _below(run / FOLDER, damaged)


def without_index(run: Path, after_cycle: int) -> list[Path]:
    """Return the folders of a run's snapshots that have lost their snapshot.json, by name.

    Not automatic ones of earlier cycles: those were just being removed when the run was lost.
    """
    found = []
    for folder in sorted((run / FOLDER).glob("*/")):
        automatic = AUTOMATIC.fullmatch(folder.name)
        is_late = automatic is None or int(automatic[1]) > after_cycle
        whole = os.path.lexists(folder / FILE) or not re.fullmatch(NAME_RULE, folder.name)
        if is_late and not whole:
            found.append(folder)
    return found


def shared_snapshots(folder: Path, damaged: dict[Path, InputError] | None = None) -> list[Snapshot]:
    """Return the snapshots that runs have kept in a folder, oldest first, as RUN/NAME in it."""
    runs = sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    found = [snapshot for run in runs for snapshot in _below(run, damaged)]
    return sorted(found, key=lambda snapshot: snapshot.saved_at)


def _below(folder: Path, damaged: dict[Path, InputError] | None) -> list[Snapshot]:
    """Return the complete snapshots in a folder; see snapshots_of."""
    found = []
    for file in sorted(folder.glob(f"*/{FILE}")):
        if not re.fullmatch(NAME_RULE, file.parent.name):
            continue  # One that is being written has another name until it is complete.
        try:
            found.append(read_snapshot(file.parent))
        except InputError as error:
            if damaged is not None:
                damaged[file.parent] = error
    return sorted(found, key=lambda snapshot: snapshot.cycle)


def all_snapshots(damaged: dict[Path, InputError] | None = None) -> list[Snapshot]:
    """Return the snapshots of all runs in the results, oldest first; `damaged` as snapshots_of."""
    found = [snapshot for run in run_folders() for snapshot in snapshots_of(run, damaged)]
    return sorted(found, key=lambda snapshot: snapshot.saved_at)


def find_snapshot(text: str) -> Snapshot:
    """Return the snapshot in a folder, or the newest one of that name.

    Raises:
        InputError: there is none; the message has the nearest name.
    """
    if os.path.lexists(Path(text) / FILE) or "/" in text:
        return read_snapshot(Path(text))
    damaged: dict[Path, InputError] = {}
    known = all_snapshots(damaged)
    named = [snapshot for snapshot in known if snapshot.name == text]
    if not named:
        for folder, error in damaged.items():
            if folder.name == text:
                raise error
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
    if AUTOMATIC.fullmatch(name):
        raise InputError(
            f'snapshot: found "{name}", expected a name other than auto-N and cycle-N, '
            "which automatic ones have."
        )
    if (run / FOLDER / name).exists():
        raise InputError(
            f'snapshot: found "{name}" in {run} already, expected another name '
            f"(or first: firesim snapshot delete {run / FOLDER / name})."
        )


def delete_snapshot(folder: Path) -> None:
    """Remove the folder of a snapshot; snapshot.json goes first, so that it is never half valid.

    Raises:
        OSError: it cannot be removed.
    """
    (folder / FILE).unlink()
    shutil.rmtree(folder)
