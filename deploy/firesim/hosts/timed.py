# SPDX-License-Identifier: BSD-3-Clause
"""Pipes that do not wait for ever: reading and writing end with TimeoutError when nothing moves.

An agent says that it is there every `agent.ALIVE_S` seconds while it works, so a host that says
nothing for `QUIET_S` while an answer is due, or takes nothing for as long, is lost. This computer
is given more time (`channel.LOCAL_QUIET_S`).
"""

from __future__ import annotations

import io
import os
import select
from typing import IO

QUIET_S = 7.0
"""Well below the 10 seconds in which a lost host is to be found."""


class _TimedReader(io.RawIOBase):
    def __init__(self, pipe: IO[bytes], quiet_s: float) -> None:
        self.pipe, self.quiet_s = pipe, quiet_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        wait(self.pipe.fileno(), select.POLLIN, self.quiet_s)
        return os.readv(self.pipe.fileno(), [buffer])

    def close(self) -> None:
        super().close()
        self.pipe.close()


class _TimedWriter(io.RawIOBase):
    def __init__(self, pipe: IO[bytes], quiet_s: float) -> None:
        os.set_blocking(pipe.fileno(), False)
        self.pipe, self.quiet_s = pipe, quiet_s

    def writable(self) -> bool:
        return True

    def write(self, data: bytes | memoryview) -> int:  # type: ignore[override]
        wait(self.pipe.fileno(), select.POLLOUT, self.quiet_s)
        return os.write(self.pipe.fileno(), data)

    def close(self) -> None:
        super().close()
        self.pipe.close()


def wait(descriptor: int, event: int, quiet_s: float) -> None:
    """Wait until something can be read or written, or the other end is closed.

    Raises:
        TimeoutError: not within `quiet_s`.
    """
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(quiet_s * 1000):
        raise TimeoutError(silence(quiet_s))


def silence(quiet_s: float) -> str:
    """Return the sentence for a host that does nothing."""
    return f"found nothing heard of it for {quiet_s:g} s, expected a sign of life"


def timed_reader(pipe: IO[bytes], quiet_s: float = QUIET_S) -> IO[bytes]:
    """Return a reader of an unbuffered pipe; it closes the pipe."""
    return io.BufferedReader(_TimedReader(pipe, quiet_s), 1 << 16)


def timed_writer(pipe: IO[bytes], quiet_s: float = QUIET_S) -> IO[bytes]:
    """Return a writer to an unbuffered pipe; it closes the pipe."""
    return io.BufferedWriter(_TimedWriter(pipe, quiet_s), 1 << 16)
