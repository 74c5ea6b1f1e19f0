# SPDX-License-Identifier: BSD-3-Clause
"""Unpacks a tar stream that a simulated machine sends, which may say anything.

Only folders, files and links are made, all inside the target: every step of a name is opened
without following links, so that nothing that came before in the stream can lead elsewhere. Files
get the mode 644 or 755 and belong to whoever asked for them.
"""

from __future__ import annotations

import errno
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO

from firesim_common.errors import InputError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
MOST_PARTS = 128
"""Folders within each other."""
MOST_NOTED = 20
"""Of what was left out, as much is named."""
_MOST_HEADER_BYTES = 1 << 20
_LONG = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)
_IN_THE_WAY = (
    errno.ENOTDIR,
    errno.ELOOP,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENOENT,
    errno.ENAMETOOLONG,
)
"""What only this member suffers from: a file where it needs a folder, a link, too long a name."""


class _Header(tarfile.TarInfo):
    """A header of the stream; those with long names or attributes are read into memory whole."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _LONG and self.size > _MOST_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes")
        found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return found


def unpack(stream: IO[bytes], target: Path) -> list[str]:
    """Unpack a stream into a folder that is there; return what was left out and why, a line each.

    Raises:
        InputError: it is no tar stream.
        OSError: the target cannot be written.
    """
    left_out: list[str] = []
    top = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive:
            for member in archive:
                if why := _unpack_one(archive, member, top):
                    left_out.append(f"left out {member.name[:200]}: {why}.")
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise InputError(f"found no whole tar stream, expected one: {error}.") from error
    finally:
        os.close(top)
    if len(left_out) > MOST_NOTED:
        left_out[MOST_NOTED:] = [f"left out {len(left_out) - MOST_NOTED} more."]
    return left_out


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
    aim = _parts(member.linkname) if member.islnk() else []
    if (member.issym() and not _stays(parts, member.linkname)) or (member.islnk() and not aim):
        return "its link leads out of the folder"
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)  # noqa: PTH108
    if member.issym():
        os.symlink(member.linkname, name, dir_fd=folder)
    elif member.islnk():
        with _opened(top, (aim or [])[:-1]) as other:
            os.link(
                (aim or [name])[-1],
                name,
                src_dir_fd=other,
                dst_dir_fd=folder,
                follow_symlinks=False,
            )
    else:
        mode = 0o755 if member.mode & 0o111 else 0o644
        content = archive.extractfile(member)
        with os.fdopen(os.open(name, _NEW, mode, dir_fd=folder), "wb") as file:
            if content is not None:
                shutil.copyfileobj(content, file)
    return ""


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
    steps = PurePosixPath(aim).parts
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
