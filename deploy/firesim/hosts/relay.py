# SPDX-License-Identifier: BSD-3-Clause
"""A stream to something on a host, as a socket of ours; the other side is agent_relay.py."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from firesim.hosts.agent_relay import HEAD, PIECE, WINDOW
from firesim.hosts.channel import Channel


def relayed(channel: Channel) -> socket.socket:
    """Return a socket whose other end is what an agent relays over a channel.

    Two threads carry the bytes. The socket comes to its end when the host's side does, or when
    nothing is heard of the host; the channel is closed when the socket is.
    """
    ours, theirs = socket.socketpair()
    pump = _Pump(channel, theirs)
    for work in (pump.to_host, pump.from_host):
        threading.Thread(target=work, name="relay", daemon=True).start()
    return ours


class _Pump:
    def __init__(self, channel: Channel, end: socket.socket) -> None:
        self.channel, self.end = channel, end
        self.moved = threading.Condition()
        self.under_way = 0
        """Bytes that the host has not reported as taken."""
        self.is_over = False

    def to_host(self) -> None:
        with suppress(OSError, EOFError, ValueError):
            while data := self.end.recv(PIECE):
                with self.moved:
                    while not self.is_over and self.under_way + len(data) > WINDOW:
                        self.moved.wait()
                    if self.is_over:
                        break
                    self.under_way += len(data)
                self.channel.input.write(data)
                self.channel.input.flush()
        with suppress(OSError, EOFError, ValueError):
            self.channel.close()

    def from_host(self) -> None:
        with suppress(OSError, EOFError, ValueError):
            while len(head := self.channel.output.read(HEAD.size)) == HEAD.size:
                taken, length = HEAD.unpack(head)
                with self.moved:
                    self.under_way -= taken
                    self.moved.notify_all()
                if length > PIECE:
                    break
                self.end.sendall(self.channel.output.read(length))
        with self.moved:
            self.is_over = True
            self.moved.notify_all()
        with suppress(OSError):
            self.end.shutdown(socket.SHUT_RDWR)  # This also wakes the other thread.
