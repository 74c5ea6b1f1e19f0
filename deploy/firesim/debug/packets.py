# SPDX-License-Identifier: BSD-3-Clause
"""Packets of gdb's remote serial protocol over a socket (docs of gdb, "Remote Protocol").

Who connects is a stranger: a packet has a bounded length, and what is none is skipped.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable

LONGEST_PACKET = 0x4000
"""Bytes of a packet's content, as gdb is told."""
INTERRUPT = b"\x03"
"""In the place of a packet: stop."""
_ESCAPE, _RUN = 0x7D, 0x2A
_MARK = re.compile(rb"[$\x03]")


class ClientGone(Exception):
    """The other side has closed the connection, or does not keep to the protocol."""


def checksum(content: bytes) -> int:
    """Return the sum that follows a packet's content."""
    return sum(content) & 0xFF


def framed(content: bytes) -> bytes:
    """Return a packet with this content, in which what has a meaning is escaped."""
    escaped = re.sub(rb"[#$}*]", lambda found: bytes([_ESCAPE, found[0][0] ^ 0x20]), content)
    return b"$" + escaped + b"#%02x" % checksum(escaped)


class Packets:
    """The packets of a connection."""

    def __init__(self, link: socket.socket) -> None:
        """Take a connection; each packet is acknowledged until `needs_acks` is false."""
        self.link = link
        self.needs_acks = True
        self._received = b""

    def fileno(self) -> int:
        """Return the descriptor to wait for, so that this can be given to `select`."""
        return self.link.fileno()

    def send(self, content: bytes) -> None:
        """Send a packet.

        Raises:
            ClientGone: nobody takes it.
        """
        try:
            self.link.sendall(framed(content))
        except OSError as error:
            raise ClientGone from error

    def next(self) -> bytes:
        """Wait for the next packet and return its content, or INTERRUPT.

        Raises:
            ClientGone: there will be none.
        """
        while (packet := self._taken()) is None:
            self._receive()
        return packet

    def is_interrupted(self) -> bool:
        """Take what has come while the simulation goes on; whether it says stop.

        Packets that come before an answer was sent are no part of the protocol, and are dropped.

        Raises:
            ClientGone: nobody is there any more.
        """
        self._receive()
        is_interrupted = INTERRUPT in self._received
        self._received = b""
        return is_interrupted

    def _receive(self) -> None:
        try:
            part = self.link.recv(65536)
        except OSError as error:
            raise ClientGone from error
        if not part:
            raise ClientGone
        self._received += part
        if len(self._received) > 4 * LONGEST_PACKET:
            raise ClientGone

    def _taken(self) -> bytes | None:
        """Take the first whole packet out of what has been received."""
        while found := _MARK.search(self._received):
            start = found.start()
            if found[0] == INTERRUPT:
                self._received = self._received[start + 1 :]
                return INTERRUPT
            end = self._received.find(b"#", start)
            if end < 0 or len(self._received) < end + 3:
                return None
            content, total = self._received[start + 1 : end], self._received[end + 1 : end + 3]
            self._received = self._received[end + 3 :]
            if not self.needs_acks:
                return _unescaped(content)
            is_right = total.lower() == b"%02x" % checksum(content)
            self._acknowledge(is_right)
            if is_right:
                return _unescaped(content)
        self._received = b""
        return None

    def _acknowledge(self, is_right: bool) -> None:
        try:
            self.link.sendall(b"+" if is_right else b"-")
        except OSError as error:
            raise ClientGone from error


def _unescaped(content: bytes) -> bytes:
    return re.sub(rb"}(.)", lambda found: bytes([found[1][0] ^ 0x20]), content, flags=re.DOTALL)


def number(text: bytes, most: int = (1 << 64) - 1) -> int:
    """Return a hexadecimal number of a packet.

    Raises:
        ValueError: it is none, or above `most`.
    """
    if not re.fullmatch(rb"[0-9a-fA-F]{1,16}", text) or (value := int(text, 16)) > most:
        raise ValueError(text)
    return value


def numbers(text: bytes, separators: Iterable[bytes]) -> list[int]:
    """Return numbers with these separators between them, each once and in this order.

    Raises:
        ValueError: the text has another form.
    """
    found = []
    for separator in separators:
        word, _, text = text.partition(separator)
        found.append(number(word))
    return [*found, number(text)]
