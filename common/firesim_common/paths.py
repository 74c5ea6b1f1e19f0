# SPDX-License-Identifier: BSD-3-Clause
"""Where things are: the source tree and the cache folder, by a path that every tool takes."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firesim_common.errors import InputError

_PLAIN = re.compile(r"[A-Za-z0-9_./+=,@%~-]*")
_LINKS = Path("/var/tmp")
"""Where links to folders with blanks are, and what cannot be made in these: like a cache, it
outlives a restart."""

ROOT = Path(__file__).resolve().parents[2]
"""The source tree (the folder that holds the launcher)."""


def is_plain(path: Path | str) -> bool:
    """Return whether every tool takes a path as it is: without blanks, colons and quotes."""
    return _PLAIN.fullmatch(str(path)) is not None


def cache_root() -> Path:
    """Return the cache folder: $FIRESIM_CACHE, $XDG_CACHE_HOME/firesim or ~/.cache/firesim.

    It is a link to it if its path has what makefiles do not take.

    Raises:
        InputError: there has to be a link, and somebody else holds its place.
    """
    if explicit := os.environ.get("FIRESIM_CACHE"):
        return plain_link(Path(explicit).expanduser().resolve())
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return plain_link(Path(base).expanduser().resolve() / "firesim")


def plain_link(folder: Path) -> Path:
    """Return a folder by a path that every tool takes: itself, or always the same link to it.

    The folder is made if it has to be linked and is missing.

    Raises:
        InputError: somebody else holds the place of the link.
    """
    if is_plain(folder):
        return folder
    links = _LINKS / f"firesim-{os.getuid()}"
    link = links / hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        links.mkdir(mode=0o700)
    held = links.lstat()
    if not stat.S_ISDIR(held.st_mode) or held.st_uid != os.getuid() or held.st_mode & 0o022:
        raise InputError(
            f"{links}: found what others may change, expected a folder of this user's own: a link "
            f"there lets tools take the path '{folder}'. Remove it, or use a plainer path."
        )
    with suppress(FileExistsError):
        link.symlink_to(folder, target_is_directory=True)
    return link


@contextmanager
def plain_work(folder: Path) -> Iterator[Path]:
    """Give a folder for tools that follow links, as make does: `folder`, or a temporary one."""
    if is_plain(folder.resolve()):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="firesim-work-", dir=_LINKS) as made:
        yield Path(made)
