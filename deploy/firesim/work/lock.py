# SPDX-License-Identifier: BSD-3-Clause
"""Keeps other processes out of a folder while one works in it."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firesim_common.errors import InputError


@contextmanager
def alone(lock_file: Path, other: str) -> Iterator[None]:
    """Hold a lock file; `other` says, of another process that holds it, what is found.

    Raises:
        InputError: another process holds it.
    """
    with lock_file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{other}, expected none.") from error
        try:
            yield
        finally:  # A process that was forked meanwhile has the file open as long as it runs.
            fcntl.flock(lock, fcntl.LOCK_UN)
