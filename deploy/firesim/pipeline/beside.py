# SPDX-License-Identifier: BSD-3-Clause
"""Runs beside each other in one process: they are stopped and kept apart by who started them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

LOOK_S = 0.2
"""How long the main thread waits at a time.

A thread that waits for a lock without end does not see a signal that came just before, or that the
kernel gave to another thread.
"""


@dataclass(frozen=True)
class Beside:
    """What a run is told that is not the only purpose of its process.

    It sets no signal handler, and closes its port for Prometheus when it ends. It may be shared by
    several runs.
    """

    stopped: threading.Event = field(default_factory=threading.Event)
    """Once set, each run ends as Ctrl-C ends a run, with what it has written so far.

    Ctrl-C while the main thread follows one of them sets it."""
    preparing: AbstractContextManager[object] = field(default_factory=threading.Lock)
    """Held by a run while it is made ready, so that one builds what the next ones need, too."""

    def check(self) -> None:
        """Raise a KeyboardInterrupt if the runs were stopped."""
        if self.stopped.is_set():
            raise KeyboardInterrupt


def completed(futures: Iterable[Future[T]]) -> Iterator[Future[T]]:
    """Return futures as they complete; a signal that comes meanwhile is always seen."""
    left = set(futures)
    while left:
        over, left = wait(left, timeout=LOOK_S, return_when=FIRST_COMPLETED)
        yield from over
