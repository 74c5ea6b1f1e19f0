# SPDX-License-Identifier: BSD-3-Clause
"""Brings the results of a run from a host to the results folder, while they grow and at the end."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from firesim.hosts.client import HostClient, HostError, sha256_of
from firesim.snapshots.files import FILE as INDEX
from firesim.snapshots.files import delete_snapshot, files_of
from firesim.topology.describe import SNAPSHOTS_FOLDER

GROWING = frozenset({".log", ".jsonl", ".csv", ".trace"})
"""Files that are only ever added to, so that what was fetched stays right."""
SMALL_BYTES = 1 << 20
"""Other files are fetched while they change only if they are no larger."""
PIECE_BYTES = 4 << 20
PARTIAL = ".partial-"
"""In the name of a folder in which a snapshot is being written."""
NOT_RESULTS = frozenset({"process.json", "exit_status", "description.json", "mesh.keys"})
LOG = "run.log"
SNAPSHOT = re.compile(rf"{SNAPSHOTS_FOLDER}/[A-Za-z][^/]*/[^/.][^/]*")
"""A file of a snapshot: it is whole when it is there, and stays as it is."""
PENDING = ".snapshot.json"
"""The index of a snapshot of which not all files may be here."""


def log_name(host: str) -> str:
    """Return the name, in the results folder, of what the simulator of a host printed."""
    return f"run-{host}.log"


class Mirror:
    """The results of one host's part of a run, beside those of the others."""

    def __init__(self, client: HostClient, run: str, folder: Path) -> None:
        """Take the run's name on the host and the results folder here; nothing is fetched yet."""
        self.client, self.run, self.folder = client, run, folder
        self.fetched: dict[str, tuple[int, int]] = {}
        self.listed: dict[str, tuple[int, int]] = {}

    def update(self) -> None:
        """Fetch what was added to the files that grow, and small files that changed.

        Raises:
            HostLost, HostError: the host is gone or refuses.
            OSError: the results folder cannot be written.
        """
        for path, about in self._listing().items():
            if self.fetched.get(path) == about:
                continue
            growing = PurePosixPath(path).suffix in GROWING
            if growing or about[0] <= SMALL_BYTES or SNAPSHOT.fullmatch(path):
                self._fetch(path, about, whole=not growing)

    def complete(self) -> None:
        """Fetch all results of a run that is over, and check each by its hash.

        Raises:
            HostLost, HostError: the host is gone, or a file is not the same here and there.
            OSError: the results folder cannot be written.
        """
        for path, about in self._listing().items():
            if self.fetched.get(path) == about and self._is_same(path, about[0]):
                continue
            self._fetch(path, about, whole=PurePosixPath(path).suffix not in GROWING)
            if not self._is_same(path, about[0]):
                self._fetch(path, about, whole=True)
            if not self._is_same(path, about[0]):
                raise HostError(f"{self.client.name}: {path} arrived changed, expected its hash")

    def snapshots(self) -> set[str]:
        """Return the names of the snapshots whose index was on the host at the last look."""
        paths = [PurePosixPath(path) for path in self.listed]
        return {path.parent.name for path in paths if path.name == INDEX}

    def _listing(self) -> Mapping[str, tuple[int, int]]:
        """Return the results on the host; names that lead elsewhere are none of ours."""
        self.listed = {
            path: about
            for path, about in self.client.listing(self.run).items()
            if path not in NOT_RESULTS and _is_inside(path) and PARTIAL not in path
        }
        return self.listed

    def _here(self, path: str) -> Path:
        name = log_name(self.client.name) if path == LOG else path
        place = self.folder / name
        is_index = SNAPSHOT.fullmatch(path) and place.name == INDEX
        return place.with_name(PENDING) if is_index else place

    def _is_same(self, path: str, size: int) -> bool:
        file = self._here(path)
        if not file.is_file() or file.stat().st_size != size:
            return False
        return self.client.digest(self.run, path, size) == sha256_of(file)

    def _fetch(self, path: str, about: tuple[int, int], whole: bool) -> None:
        """Fetch a file from where it was left, or all of it; a whole one replaces the old one."""
        file = self._here(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        target = file.with_name(f".{file.name}.part") if whole else file
        offset = 0 if whole else self.fetched.get(path, (0, 0))[0]
        with target.open("wb" if offset == 0 else "r+b") as stream:
            stream.seek(offset)
            while offset < about[0]:
                most = min(PIECE_BYTES, about[0] - offset)
                piece = self.client.read(self.run, path, offset, most)
                if not piece:
                    break
                if piece.count(0) == len(piece):
                    stream.seek(len(piece), os.SEEK_CUR)  # A hole stays one.
                else:
                    stream.write(piece)
                offset += len(piece)
            stream.truncate()
        if whole:
            target.replace(file)
        self.fetched[path] = (offset, about[1])


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and ".." not in parts and not path.startswith("/")


def complete_snapshots(folder: Path) -> None:
    """Make valid the snapshots in a results folder all files of which have come from their hosts.

    The index gets its name last, so that a snapshot is never half here.
    """
    for pending in folder.glob(f"{SNAPSHOTS_FOLDER}/*/{PENDING}"):
        try:
            wanted = files_of(json.loads(pending.read_text()))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        here = {file.name: file.stat().st_size for file in pending.parent.iterdir()}
        if all(here.get(name) == size for name, size in wanted.items()):
            pending.replace(pending.with_name(INDEX))


def drop_snapshots(folder: Path, kept: set[str]) -> None:
    """Remove automatic snapshots here that are no longer among those `kept` on the first host.

    One of these is here first, so that there always is one to go on from.
    """
    if not any((folder / SNAPSHOTS_FOLDER / name / INDEX).exists() for name in kept):
        return
    for snapshot in folder.glob(f"{SNAPSHOTS_FOLDER}/auto-*"):
        if snapshot.name not in kept:
            with suppress(OSError):  # One that is not complete stays.
                delete_snapshot(snapshot)
