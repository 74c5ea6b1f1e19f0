# SPDX-License-Identifier: BSD-3-Clause
"""Writes Perfetto traces: tracks with slices, instants, counters and flows.

The numbers of fields are those of perfetto's protos/perfetto/trace. Packets are put together here
and not by a protobuf library, whose bytes may differ from release to release. A timestamp, which
Perfetto takes for nanoseconds, is a target cycle.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import BinaryIO

_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
_CLEARED, _NEEDED = 1, 2
_EXPLICIT_ORDER = 3
_UNITLESS = 1


def varint(value: int) -> bytes:
    """Return a number of 0 to 2^64 - 1, seven bits a byte."""
    if value < 128:
        return bytes((value,))
    made = bytearray()
    while value >= 128:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)


def _number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode(errors="replace"))


class Perfetto:
    """A trace that is written from its beginning to its end."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._tracks = 0
        self.events = 0
        """Begins, ends, instants and values so far."""

    def track(self, name: str, below: Track | None = None, about: str = "") -> Track:
        """Begin a track for slices and instants, or one that only holds others."""
        return Track(self, self._next(), name, below, about, b"")

    def counter(self, name: str, below: Track, unit: str) -> Track:
        """Begin a track of values."""
        counter = _number(3, _UNITLESS) + _text(6, unit)
        return Track(self, self._next(), name, below, "", _bytes(8, counter))

    def _next(self) -> int:
        self._tracks += 1
        return self._tracks

    def put(self, packet: bytes) -> None:
        """Write a packet."""
        self._stream.write(b"\x0a" + varint(len(packet)) + packet)


class Track:
    """A track; a sequence of packets of its own, so that each is short."""

    def __init__(
        self,
        trace: Perfetto,
        number: int,
        name: str,
        below: Track | None,
        about: str,
        counter: bytes,
    ) -> None:
        self._trace = trace
        self._number = number
        self._children = 0
        self._names: dict[str, int] = {}
        self._notes: dict[str, int] = {}
        self._sequence = _number(10, number) + _number(13, _NEEDED)
        rank = 0
        if below is not None:
            below._children += 1
            rank = below._children
        described = [_number(1, number), _text(2, name)]
        described += [] if below is None else [_number(5, below._number)]
        described += [counter, _number(11, _EXPLICIT_ORDER), _number(12, rank)]
        described += [_text(14, about)] if about else []
        defaults = _bytes(11, _number(11, number))
        first = _number(10, number) + _number(13, _CLEARED) + _bytes(59, defaults)
        trace.put(first + _bytes(60, b"".join(described)))

    def begin(
        self, cycle: int, name: str, flows: Iterable[int] = (), notes: Mapping[str, int] = {}
    ) -> None:
        """Begin a slice, inside that which is open."""
        self._named(_BEGIN, cycle, name, flows, notes)

    def end(self, cycle: int) -> None:
        """End the slice that was begun last: its last cycle is the one before."""
        self._put(cycle, _number(9, _END))

    def instant(
        self, cycle: int, name: str, flows: Iterable[int] = (), notes: Mapping[str, int] = {}
    ) -> None:
        """Show something that takes no time."""
        self._named(_INSTANT, cycle, name, flows, notes)

    def value(self, cycle: int, value: float) -> None:
        """Give a counter a value from a cycle on."""
        whole = int(value)
        if whole == value and 0 <= whole < 2**63:
            self._put(cycle, _number(9, _COUNTER) + _number(30, whole))
        else:
            self._put(cycle, _number(9, _COUNTER) + varint(44 << 3 | 1) + struct.pack("<d", value))

    def _named(
        self, kind: int, cycle: int, name: str, flows: Iterable[int], notes: Mapping[str, int]
    ) -> None:
        new = b""
        number = self._names.get(name)
        if number is None:
            number = self._names[name] = len(self._names) + 1
            new += _bytes(2, _number(1, number) + _text(2, name))
        event = _number(9, kind) + _number(10, number)
        for note, value in notes.items():
            key = self._notes.get(note)
            if key is None:
                key = self._notes[note] = len(self._notes) + 1
                new += _bytes(3, _number(1, key) + _text(2, note))
            event += _bytes(4, _number(1, key) + _number(3, value))
        for flow in flows:
            event += varint(47 << 3 | 1) + struct.pack("<Q", flow)
        self._put(cycle, event, _bytes(12, new) if new else b"")

    def _put(self, cycle: int, event: bytes, new: bytes = b"") -> None:
        self._trace.events += 1
        self._trace.put(_number(8, cycle) + self._sequence + new + _bytes(11, event))
