# SPDX-License-Identifier: BSD-3-Clause
"""Files that are old or complete, never half."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def take_disk(file: Path, size: int) -> None:
    """Make a file that is nothing but `size` bytes of the disk, or make one as long.

    Raises:
        OSError: the disk has no room, or the folder cannot be written.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        os.posix_fallocate(handle, 0, size)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def make_room(path: Path, size: int) -> None:
    """Take `size` bytes of the disk now for a `write_whole` of this file, however full it is then.

    `sim/core/atomic_file.h` has the same for the simulator.

    Raises:
        OSError: as `take_disk`.
    """
    take_disk(room_of(path), size)


def room_of(path: Path) -> Path:
    """Return the file that holds the room made for another one."""
    return path.with_name(f".{path.name}.room")


def _room(path: Path) -> tuple[int, str] | None:
    """Return the open room of a file, None if it has none or what is there is not ours."""
    room = room_of(path)
    try:
        handle = os.open(room, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    about = os.fstat(handle)
    if stat.S_ISREG(about.st_mode) and about.st_nlink == 1:
        return handle, str(room)
    os.close(handle)
    return None


@contextmanager
def whole_stream(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream whose bytes replace a file once it is left; after an exception nothing does.

    A link that stands at its place, or at any name known before, goes. What `make_room` has taken
    for it is used up.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    handle, name = _room(path) or tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.truncate()
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Replace a file by a text, as `whole_stream` does.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    with whole_stream(path) as stream:
        stream.write(text.encode())
