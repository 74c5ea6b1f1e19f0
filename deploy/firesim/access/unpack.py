# SPDX-License-Identifier: BSD-3-Clause
"""Unpacks a tar stream that a simulated machine sends, which may say anything.

Only folders, files and links are made, all inside the target: every step of a name is opened
without following links, so that nothing that came before in the stream can lead elsewhere. Files
get the mode 644 or 755 and belong to the user who asked for them.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO

from firesim_common.errors import InputError
from firesim_common.tar_stream import BROKEN, opened_stream

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
MOST_PARTS = 128
"""Folders within each other."""
MOST_NOTED = 20
"""Of what was left out, as much is named."""
MOST_SHOWN = 200
"""Characters of a name."""
_IN_THE_WAY = (
    errno.ENOTDIR,
    errno.ELOOP,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENOENT,
    errno.ENAMETOOLONG,
)
"""What only this member suffers from: a file where it needs a folder, a link, too long a name."""


def unpack(stream: IO[bytes], target: Path) -> list[str]:
    """Unpack a stream into a folder that is there; return what was left out and why, a line each.

    Raises:
        InputError: it is no tar stream.
        OSError: the target cannot be written.
    """
    left_out: list[str] = []
    count = 0
    top = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with opened_stream(stream) as archive:
            for member in archive.each():
                if not (why := _unpack_one(archive, member, top)):
                    continue
                count += 1
                if count <= MOST_NOTED:
                    left_out.append(f"left out {_in_a_line(member.name)}: {why}.")
    except BROKEN as error:
        raise InputError(f"found no whole tar stream, expected one: {error}.") from error
    finally:
        os.close(top)
    if count > MOST_NOTED:
        left_out.append(f"left out {count - MOST_NOTED:,} more.")
    return left_out


def _in_a_line(name: str) -> str:
    """Return the beginning of a name; the end of a line in it could begin a line of its own."""
    return name[:MOST_SHOWN].replace("\n", "\\n")


def _unpack_one(archive: tarfile.TarFile, member: tarfile.TarInfo, top: int) -> str:
    """Make one member; return why it was left out, or nothing."""
    parts = _parts(member.name)
    if parts is None:
        return "its name leads out of the folder"
    if not parts:
        return ""  # the folder itself
    try:
        with _opened(top, parts[:-1]) as folder:
            return _make(archive, member, folder, parts, top)
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
        return f"here it cannot be made: {error.strerror}"


def _make(
    archive: tarfile.TarFile, member: tarfile.TarInfo, folder: int, parts: list[str], top: int
) -> str:
    name = parts[-1]
    if member.isdir():
        with _opened(folder, [name]):
            return ""
    if not (member.isreg() or member.issym() or member.islnk()):
        return "it is neither a file, nor a folder, nor a link"
    if member.issparse():
        return "it has holes, of which it may say any size"
    if member.issym():
        return _link(member.linkname, folder, parts)
    if member.islnk():
        return _another_name(member.linkname, folder, parts, top)
    _make_room(folder, name)
    mode = 0o755 if member.mode & 0o111 else 0o644
    content = archive.extractfile(member)
    with os.fdopen(os.open(name, _NEW, mode, dir_fd=folder), "wb") as file:
        if content is not None:
            shutil.copyfileobj(content, file)
    return ""


def _link(aim: str, folder: int, parts: list[str]) -> str:
    """Make a symbolic link; return why not, or nothing."""
    if not _stays(parts, aim):
        return "its link leads out of the folder"
    if not aim:
        return "its link leads nowhere"
    _make_room(folder, parts[-1])
    os.symlink(aim, parts[-1], dir_fd=folder)
    return ""


def _another_name(aim: str, folder: int, parts: list[str], top: int) -> str:
    """Make a hard link to what came before; return why not, or nothing.

    Another name for a symbolic link is a link that leads from here, which may be elsewhere.
    """
    steps = _parts(aim)
    if not steps:
        return "its link leads out of the folder"
    with _opened(top, steps[:-1]) as other:
        found = os.stat(steps[-1], dir_fd=other, follow_symlinks=False)  # noqa: PTH116
        if stat.S_ISLNK(found.st_mode):
            return _link(os.readlink(steps[-1], dir_fd=other), folder, parts)  # noqa: PTH115
        if not stat.S_ISREG(found.st_mode):
            return "it is another name of what is no file"
        if steps != parts:
            _make_room(folder, parts[-1])
            os.link(
                steps[-1], parts[-1], src_dir_fd=other, dst_dir_fd=folder, follow_symlinks=False
            )
    return ""


def _make_room(folder: int, name: str) -> None:
    """Remove what has a name in a folder, unless that is a folder."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)  # noqa: PTH108


def _parts(name: str) -> list[str] | None:
    """Return the steps of a path within the folder; None if it leads elsewhere.

    A step back out of a folder that is named before stays within: `a/../b` is `b`.
    """
    path = PurePosixPath(name)
    steps: list[str] = []
    for part in path.parts:
        if part == ".." and steps:
            steps.pop()
        elif part in ("..", "/", "//") or "\0" in part:
            return None
        else:
            steps.append(part)
    return steps if len(steps) <= MOST_PARTS else None


def _stays(parts: list[str], aim: str) -> bool:
    """Return whether a symbolic link leads nowhere but into the folder, whatever else is in it.

    Steps back may only come first: behind another link they would lead from where that leads.
    """
    path = PurePosixPath(aim)
    if path.is_absolute():  # joined to the steps before it, it would look like one of them
        return False
    steps = path.parts
    back = next((i for i, step in enumerate(steps) if step != ".."), len(steps))
    return ".." not in steps[back:] and _parts("/".join([*parts[:-1], aim])) is not None


@contextmanager
def _opened(top: int, parts: list[str]) -> Iterator[int]:
    """Open a folder below `top`, made if it is missing; no step may be a link."""
    at = os.dup(top)
    try:
        for part in parts:
            with suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=at)  # noqa: PTH102
            inner = os.open(part, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        yield at
    finally:
        os.close(at)
