# SPDX-License-Identifier: BSD-3-Clause
"""What carries bytes to a program on a host and back, and how one is opened."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Protocol

from firesim.hosts.timed import QUIET_S, timed_reader, timed_writer

TAIL_BYTES = 4096
KILLED_S = 5.0
LOCAL_QUIET_S = 120.0
"""How long a program of this computer may say nothing. One that ends closes its pipes at once and
needs no clock to be missed; silence means that others have the processor or the disk."""


class HostLost(Exception):
    """A host, or the way to it, is gone; the text says which and why."""


class Channel(Protocol):
    """A program that runs on a host, with its input and output.

    Both raise TimeoutError when nothing moves for `timed.QUIET_S` seconds, or, on this computer,
    for `LOCAL_QUIET_S`.
    """

    @property
    def input(self) -> IO[bytes]:
        """What it reads."""

    @property
    def output(self) -> IO[bytes]:
        """What it writes."""

    def last_words(self) -> str:
        """Return the end of what it wrote to its standard error."""

    def close(self) -> None:
        """End its input and wait for it, not for ever."""

    def abandon(self) -> None:
        """Give it up, without a word to a host that may be gone; it does not wait."""


class Link(Protocol):
    """A way to a host."""

    def open(self, words: Sequence[str]) -> Channel:
        """Start a program there.

        Raises:
            HostLost: the host cannot be reached, or refuses.
        """

    def close(self) -> None:
        """Give up what was opened."""


_starting = threading.Lock()
"""Held while a child process is started: anyone who looks for it finds it open, or not at all."""
_open: set[int] = set()
"""Process ids of the children that are open."""
_keepers = 0
"""How many keep all of them open."""


@contextmanager
def ways_kept() -> Iterator[None]:
    """Keep the ways to hosts that are processes of this computer when a signal comes.

    For work that ends and removes by them, after the signal, what it has on the hosts.
    """
    global _keepers
    with _starting:
        _keepers += 1
    try:
        yield
    finally:
        with _starting:
            _keepers -= 1


@contextmanager
def kept() -> Iterator[Collection[int]]:
    """Give the ids of the processes that are kept; no other one is started meanwhile."""
    with _starting:
        yield frozenset(_open if _keepers else ())


class ProcessChannel:
    """A child process of the manager: the program itself, or what leads to it (as srun does)."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        quiet_s: float = QUIET_S,
    ) -> None:
        """Start it, in our own environment unless another is given.

        Raises:
            OSError: there is no such program.
        """
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the channel)
        with _starting:
            self.process = subprocess.Popen(
                list(words),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                env=environment,
                start_new_session=True,
                bufsize=0,
            )
            _open.add(self.process.pid)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.input: IO[bytes] = timed_writer(self.process.stdin, quiet_s)
        self.output: IO[bytes] = timed_reader(self.process.stdout, quiet_s)

    def last_words(self) -> str:
        """Return the end of what it wrote to its standard error."""
        self.errors.seek(0, 2)
        self.errors.seek(max(0, self.errors.tell() - TAIL_BYTES))
        return self.errors.read().decode(errors="replace").strip()

    def close(self) -> None:
        """End its input, wait for 5 seconds, then kill it."""
        try:
            self.input.close()
            self.process.wait(timeout=5)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
        self._release()

    def abandon(self) -> None:
        """Kill it."""
        self.process.kill()
        self._release()

    def _release(self) -> None:
        with suppress(subprocess.TimeoutExpired):  # One in the kernel for good is left behind.
            self.process.wait(timeout=KILLED_S)
        _open.discard(self.process.pid)
        with suppress(OSError):  # What is not yet written has no reader.
            self.input.close()
        self.output.close()
        self.errors.close()


class LocalLink:
    """This computer."""

    def open(self, words: Sequence[str]) -> Channel:
        """Start a program here."""
        return ProcessChannel(words, quiet_s=LOCAL_QUIET_S)

    def close(self) -> None:
        """Nothing is kept open."""
