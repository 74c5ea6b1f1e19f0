# SPDX-License-Identifier: BSD-3-Clause
"""Hashes of what a build step is given: texts, files, and folders with all that is below them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

KeyPart = str | bytes | Path
Feed = Callable[[bytes, bytes], None]


def content_key(key_parts: Iterable[KeyPart]) -> str:
    """Hash the inputs of a build step to 24 hex digits.

    A string or bytes part counts by value. A path counts by file content, and by whether it may be
    executed, not by where it is. A folder counts by the names of all that is below it too; linked
    files and folders count by the text of the link and by what is there.

    Raises:
        FileNotFoundError: a path part does not exist.
    """
    digest = hashlib.sha256()

    def feed(tag: bytes, data: bytes) -> None:
        digest.update(tag + len(data).to_bytes(8, "little") + data)

    for part in key_parts:
        if isinstance(part, bytes):
            feed(b"b", part)
        elif isinstance(part, str):
            feed(b"s", part.encode(errors="surrogateescape"))
        elif part.is_dir():
            _feed_folder(feed, part)
        else:
            _feed_file(feed, part)
    return digest.hexdigest()[:24]


def files_of(key_parts: Iterable[KeyPart]) -> Iterator[Path]:
    """Yield the files and folders that `content_key` reads."""
    for part in key_parts:
        if not isinstance(part, Path):
            continue
        yield part
        if part.is_dir():
            for _, path, _ in _below(part):
                yield path


def _feed_file(feed: Feed, path: Path) -> None:
    feed(b"f", path.read_bytes())
    if path.stat().st_mode & stat.S_IXUSR:
        feed(b"x", b"")


def _feed_folder(feed: Feed, folder: Path) -> None:
    for name, path, same_as in _below(folder):
        is_link = path.is_symlink()
        is_folder = path.is_dir()
        if is_folder and not is_link and any(os.scandir(path)):
            continue  # What is in it says that it is there.
        feed(b"n", name.encode(errors="surrogateescape"))
        if is_link:
            feed(b"l", os.fsencode(path.readlink()))
        if same_as is not None:
            feed(b"a", same_as.encode(errors="surrogateescape"))
        elif is_folder:
            feed(b"d", b"")
        elif path.is_file():
            _feed_file(feed, path)


def _below(folder: Path) -> Iterator[tuple[str, Path, str | None]]:
    """Yield all that is below a folder: its name there, its path, and what it was before.

    Linked folders are followed. One that was met before, so that links may lead round in a circle,
    is not read again; the third value is then the name by which it was met first.
    """
    seen: dict[str, str] = {}

    def walk(place: Path, above: str) -> Iterator[tuple[str, Path, str | None]]:
        seen.setdefault(os.path.realpath(place), above)
        for name in sorted(os.listdir(place)):
            path, full = place / name, f"{above}/{name}" if above else name
            if not path.is_dir():
                yield full, path, None
            elif (before := seen.get(os.path.realpath(path))) is not None:
                yield full, path, before
            else:
                yield full, path, None
                yield from walk(path, full)

    yield from walk(folder, "")
