# SPDX-License-Identifier: BSD-3-Clause
"""Lets one process at a time do what would harm another's work."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, made in a folder that is there, while the body runs; others wait."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
