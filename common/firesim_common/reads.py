# SPDX-License-Identifier: BSD-3-Clause
"""What a build step was seen to read, kept with its result and compared before that is used again.

The files are named as seen from the *places* of the step, the folders of what it was given, so that
another clone with the same files in the same order of folders finds the result, too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.paths import ROOT
from firesim_common.whole_file import write_whole

READ, WRITTEN, MISSING, RESOLVED, FROM_HERE = "r", "w", "m", "l", "b"
"""Letters of a watched process (watch.c); the last one forgets what it has done before."""
_RECORD = re.compile(r"(?P<what>\w)(?P<process>\d+)(?P<path>.*)", re.DOTALL)
_FIELDS = ("what", "process", "path")
_NO_INPUTS = (
    *("/proc/", "/sys/", "/dev/"),
    *([f"{sys.pycache_prefix}{os.sep}"] if sys.pycache_prefix else []),
)
_SYSTEM = ("/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/etc/", "/opt/")
"""Where tools look by absolute paths, wherever what they are given is."""
_CODE = (".py", ".pyc", ".pyi")
_MODULES = tuple(f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "purelib", "platlib"))
_YOSYS = tuple(f"{folder}pyosys{os.sep}" for folder in _MODULES)
"""What is no input: the code of the readers, whose versions are in the keys of steps."""


_TREE, _OURS = f"{ROOT}{os.sep}", "<firesim>/"
"""This source tree, and how files in it are named that no place of a step holds."""


class NotWatched(InputError):
    """A step ran no process that was watched, so what it read is not known."""


@dataclass
class Reads:
    """Files that were read, by path as it was given; names that were looked for in vain; and paths
    of which it was asked where they lead."""

    files: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    resolved: set[str] = field(default_factory=set)

    @staticmethod
    def of_log(log: Path, without: Sequence[Path], stands_for: Mapping[str, str]) -> Reads:
        """Return what a log has, except for what the step made itself or lies below `without`.

        `stands_for` has the user's paths by those that the processes saw in their place.

        Raises:
            OSError: there is no log.
        """
        texts = os.fsdecode(log.read_bytes()).split("\0")[:-1]
        matches = [record.group(*_FIELDS) for record in map(_RECORD.fullmatch, texts) if record]
        records = [(what, process, _users(path, stands_for)) for what, process, path in matches]
        begun = {one[1]: at for at, one in enumerate(records) if one[0] == FROM_HERE}
        own = (*(f"{folder}{os.sep}" for folder in without), *_NO_INPUTS)
        made = {path for what, _, path in records if what == WRITTEN}
        found = Reads()
        for at, (what, process, path) in enumerate(records):
            if at < begun.get(process, 0) or path in made or path.startswith(own):
                continue
            if path.endswith(_CODE) or path.startswith(_YOSYS):
                continue
            if what == READ and not Path(path).is_dir():
                found.files.add(path)
            elif what == MISSING and not path.startswith(_MODULES):
                found.missing.add(path)
            elif what == RESOLVED and os.path.realpath(path) != os.path.normpath(path):
                found.resolved.add(path)
        return found


def _users(path: str, stands_for: Mapping[str, str]) -> str:
    """Return a path with what the user named in place of what stands for it."""
    for link, named in stands_for.items():
        if path == link or path.startswith(f"{link}{os.sep}"):
            return named + path.removeprefix(link)
    return path


@dataclass(frozen=True)
class Places:
    """The folders of what a step is given, the first one of which the others are seen from."""

    roots: tuple[str, ...]

    @staticmethod
    def of(paths: Iterable[Path]) -> Places:
        """Return the places of files and folders."""
        folders = (path if path.is_dir() else path.parent for path in map(Path.absolute, paths))
        return Places(tuple(dict.fromkeys(os.path.normpath(folder) for folder in folders)))

    @property
    def shape(self) -> list[str]:
        """Where the folders are, as seen from the first; and where that is, if it is of ours."""
        first = self.roots[0]
        ours = (
            [_OURS + os.path.relpath(first, ROOT)] if f"{first}{os.sep}".startswith(_TREE) else []
        )
        return [os.path.relpath(root, first) for root in self.roots] + ours

    def name(self, path: str) -> str:
        """Return the name of a file: seen from the first place if it is below any, or absolute."""
        plain = os.path.normpath(path)
        if plain != path and os.path.realpath(plain) != os.path.realpath(path):
            return path  # Above a linked folder is not what the text says.
        if any(plain.startswith(f"{root}{os.sep}") for root in self.roots):
            return os.path.relpath(plain, self.roots[0])
        return _OURS + plain.removeprefix(_TREE) if plain.startswith(_TREE) else plain

    def path(self, name: str) -> str:
        """Undo `name`, here."""
        if name.startswith(_OURS):
            return _TREE + name.removeprefix(_OURS)
        return name if name.startswith(os.sep) else os.path.normpath(Path(self.roots[0]) / name)

    def are_named_in(self, data: bytes) -> bool:
        """Return whether a text says where one of these places is."""
        return any(os.fsencode(root) in data for root in self.roots)

    def check_seen(self, files: Iterable[str]) -> None:
        """Refuse a step of which no process was seen to read what it was given.

        Raises:
            NotWatched: so it is.
        """
        below = tuple(f"{os.path.realpath(root)}{os.sep}" for root in self.roots)
        if not any(os.path.realpath(path).startswith(below) for path in files):
            raise NotWatched(
                f"The cache cannot see what a build reads in {self.roots[0]}: found no file of it "
                "opened by a process with LD_PRELOAD, expected some; a compiler that is linked "
                "statically, or that leaves its work to a server, cannot be watched."
            )

    def fixes(self, name: str) -> bool:
        """Return whether a name would mean another file if the places were elsewhere."""
        if not name.startswith(os.sep):
            return False
        search = os.environ.get("PATH", "").split(os.pathsep)
        tools = [f"{folder}{os.sep}" for folder in search if folder.strip(os.sep)]
        elsewhere = [root for root in self.roots if not f"{root}{os.sep}".startswith(_SYSTEM)]
        return not name.startswith((*_SYSTEM, *tools)) or len(elsewhere) < len(self.roots)


def digest_of(path: str) -> str | None:
    """Return the SHA-256 of a file, None if it cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


@dataclass(frozen=True)
class Record:
    """One result and what its step read."""

    result: str
    """The name of its folder."""
    shape: list[str]
    fixed: list[str] | None
    """Where the places have to be, if any file is named by a user's absolute path."""
    files: dict[str, str]
    """SHA-256 by name."""
    missing: list[str]
    leads: dict[str, str]
    """Where links lead."""

    def holds(self, places: Places, known: dict[str, str | None]) -> bool:
        """Return whether a step would read the same now; `known` keeps hashes between calls."""
        if self.shape != places.shape or self.fixed not in (None, list(places.roots)):
            return False
        for name, wanted in self.files.items():
            path = places.path(name)
            if path not in known:
                known[path] = digest_of(path)
            if known[path] != wanted:
                return False
        if any(os.path.lexists(places.path(name)) for name in self.missing):
            return False
        return all(
            places.name(os.path.realpath(places.path(name))) == to
            for name, to in self.leads.items()
        )


Seen = tuple[dict[str, str], list[str], dict[str, str]]


def seen_now(reads: Reads, places: Places) -> Seen | None:
    """Return what a record has of files, names and links; None if one has changed since."""
    if any(map(os.path.lexists, reads.missing)):
        return None
    files: dict[str, str] = {}
    for path in sorted(reads.files):
        digest = digest_of(path)
        if digest is None:
            return None
        files[places.name(path)] = digest
    leads = {places.name(path): places.name(os.path.realpath(path)) for path in reads.resolved}
    return files, sorted(map(places.name, reads.missing)), dict(sorted(leads.items()))


def is_fixed(names: Iterable[str], places: Places, texts: Iterable[bytes]) -> bool:
    """Return whether a result is right only where the places are."""
    return any(map(places.fixes, names)) or any(map(places.are_named_in, texts))


def read_records(file: Path) -> list[Record]:
    """Return the records of a file, newest first; none when there is no file, or half of one."""
    try:
        found = json.loads(file.read_text(encoding="utf-8", errors="surrogateescape"))
        return [Record(**one) for one in found]
    except (OSError, ValueError, TypeError):
        return []


def write_records(file: Path, records: Iterable[Record]) -> None:
    """Write the records of a file."""
    plain: list[Mapping[str, object]] = [vars(record) for record in records]
    write_whole(file, json.dumps(plain))
