# SPDX-License-Identifier: BSD-3-Clause
"""A stream between the manager and something on a host: a port there, or a node's terminal.

A part of the agent (agent.py), so it imports nothing of FireSim but other parts. What comes from
the manager is bytes; it sends no more than `WINDOW` that are not yet reported as taken, so that
what is kept here is bounded however slow a simulated machine is. What goes to the manager is
frames: how many of its bytes were taken since the last one, how many follow, and these. A frame
without either is a sign of life. The stream ends when either side does. The other side is relay.py.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import termios
import time
from contextlib import suppress

HEAD = struct.Struct(">II")
WINDOW = 1 << 18
PIECE = 1 << 16
CONNECT_S = 5.0


def connected(address: str, port: int) -> int:
    """Return a descriptor of a connection to a port."""
    return socket.create_connection((address, port), timeout=CONNECT_S).detach()


def terminal(place: str) -> int | None:
    """Return a descriptor of a terminal, None when it is none; what nobody has read is dropped."""
    line = os.open(place, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    if not os.isatty(line):
        os.close(line)
        return None
    termios.tcflush(line, termios.TCIFLUSH)
    return line


class Relay:
    """Bytes on their way, in both directions."""

    def __init__(self, target: int, alive_s: float) -> None:
        self.target, self.alive_s = target, alive_s
        self.inward, self.outward = bytearray(), bytearray()
        self.taken = 0
        self.framed_s = time.monotonic()
        self.is_open = True
        for descriptor in (0, 1, target):
            os.set_blocking(descriptor, False)

    def run(self) -> None:
        """Carry bytes until the target, or our input, is at its end."""
        while self.is_open or self.outward:
            room = self.is_open and len(self.outward) < PIECE
            readers = [0, self.target] if room else [0]
            writers = [self.target] if self.inward else []
            writers += [1] if self.outward else []
            readable, writable, _ = select.select(readers, writers, [], self.alive_s)
            if 0 in readable and not self._from_manager():
                return
            if self.target in readable:
                self._from_target()
            if self.target in writable:
                self._to_target()
            late = time.monotonic() - self.framed_s >= self.alive_s
            if not self.outward and (self.taken or late):
                self._frame(b"")
            if 1 in writable:
                with suppress(BlockingIOError):
                    del self.outward[: os.write(1, self.outward)]

    def _frame(self, data: bytes) -> None:
        self.outward += HEAD.pack(self.taken, len(data)) + data
        self.taken = 0
        self.framed_s = time.monotonic()

    def _from_manager(self) -> bool:
        """Take bytes of the manager; return False when there will be no more."""
        data = os.read(0, PIECE)
        self.inward += data
        while not data and self.inward and self.is_open:
            if not select.select([], [self.target], [], self.alive_s)[1]:
                break
            self._to_target()
        return bool(data)

    def _from_target(self) -> None:
        data = b""
        with suppress(OSError):  # So ends a terminal that its simulator has closed.
            data = os.read(self.target, PIECE)
        if data:
            self._frame(data)
        else:
            self._end()

    def _to_target(self) -> None:
        try:
            done = os.write(self.target, self.inward[:PIECE])
        except BlockingIOError:
            return
        except OSError:
            self._end()
            return
        del self.inward[:done]
        self.taken += done

    def _end(self) -> None:
        self.is_open = False
        self.inward.clear()
