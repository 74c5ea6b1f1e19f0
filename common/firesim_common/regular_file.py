# SPDX-License-Identifier: BSD-3-Clause
"""Reads files that may be anything: only regular ones, only so much, and nothing is waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from firesim_common.errors import InputError

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
)


def read_regular(
    path: Path, most_bytes: int, *, follow: bool, name: str = ""
) -> tuple[bytes, os.stat_result]:
    """Return the content of a regular file and what the system says of it.

    Links are followed only where `follow` says so: for paths that the user gave. `name` is what
    messages call the file.

    Raises:
        InputError: it is something else, larger than `most_bytes`, or cannot be read.
    """
    shown = name or str(path)
    try:
        # Looked at before it is opened, since opening a device can do something; and after, since
        # it may have been replaced meanwhile.
        _check(os.stat(path) if follow else os.lstat(path), most_bytes, shown)  # noqa: PTH116
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))
        with open(handle, "rb") as stream:  # noqa: PTH123
            status = os.fstat(handle)
            _check(status, most_bytes, shown)
            # Files of /proc say that they are empty, and are not.
            content = stream.read(min(most_bytes, status.st_size) + 1)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror}.") from error
    except ValueError as error:  # A zero byte.
        raise InputError(f"{shown}: cannot be read: {error}.") from error
    if len(content) > status.st_size:
        raise InputError(
            f"{shown}: found more than the {status.st_size} bytes that it was said to have, "
            "expected a file that nobody writes to."
        )
    return content, status


def opened_regular(path: Path) -> BinaryIO:
    """Return a regular file opened for reading; links are followed.

    Raises:
        OSError: it is something else, or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a FIFO would be waited for
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return open(handle, "rb")  # noqa: PTH123


def _check(status: os.stat_result, most_bytes: int, shown: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((word for test, word in _KINDS if test(status.st_mode)), "a device")
        raise InputError(f"{shown}: found {kind}, expected a regular file.")
    if status.st_size > most_bytes:
        raise InputError(
            f"{shown}: found {status.st_size:,} bytes, expected at most {most_bytes:,}."
        )
