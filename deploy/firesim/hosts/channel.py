# SPDX-License-Identifier: BSD-3-Clause
"""What carries bytes to a program on a host and back, and how one is opened."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO, Protocol

TAIL_BYTES = 4096


class HostLost(Exception):
    """A host, or the way to it, is gone; the text says which and why."""


class Channel(Protocol):
    """A program that runs on a host, with its input and output."""

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


class Link(Protocol):
    """A way to a host."""

    def open(self, words: Sequence[str]) -> Channel:
        """Start a program there.

        Raises:
            HostLost: the host cannot be reached, or refuses.
        """

    def close(self) -> None:
        """Give up what was opened."""


class ProcessChannel:
    """A child process of the manager: the program itself, or what leads to it (as srun does)."""

    def __init__(self, words: Sequence[str]) -> None:
        """Start it; OSError when there is no such program."""
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the channel)
        self.process = subprocess.Popen(
            list(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.input: IO[bytes] = self.process.stdin
        self.output: IO[bytes] = self.process.stdout

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
            self.process.wait()
        finally:
            self.output.close()
            self.errors.close()


class LocalLink:
    """This computer."""

    def open(self, words: Sequence[str]) -> Channel:
        """Start a program here."""
        return ProcessChannel(words)

    def close(self) -> None:
        """Nothing is kept open."""
