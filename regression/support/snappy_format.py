# SPDX-License-Identifier: BSD-3-Clause
"""Snappy's format by itself: the stream that the unit's compressor makes, and random streams."""

from __future__ import annotations

import random
from collections.abc import Iterator

_MULTIPLIER = 0x1E35A7BD
_MOST_DISTANCE = 65_535


def varint(value: int) -> bytes:
    """Return a length as it stands in front of a stream."""
    digits = bytearray()
    while value >= 128:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def _literals(data: bytes) -> bytes:
    size = len(data)
    if not size:
        return b""
    tag = bytes([(size - 1) << 2]) if size <= 60 else bytes([60 << 2, size - 1])
    return tag + data


def _copies(length: int, distance: int) -> bytes:
    out = bytearray()
    while length:
        piece = 64 if length >= 68 else 60 if length > 64 else length
        if piece < 12 and distance < 2_048:
            out += bytes([distance >> 8 << 5 | (piece - 4) << 2 | 1, distance & 255])
        else:
            out += bytes([(piece - 1) << 2 | 2, distance & 255, distance >> 8])
        length -= piece
    return bytes(out)


def _match(data: bytes, at: int, place: int) -> int:
    """Return how many bytes at `at` are those at `place`."""
    length = 0
    while at + length < len(data) and data[at + length] == data[place + length]:
        length += 1
    return length


def tokens(data: bytes, window_log: int, hash_log: int) -> Iterator[tuple[int, int, int]]:
    """Yield what the match finder of the units finds: literals, then a match, of `data`, in order.

    Bytes of literals (at most 256), bytes of the match, or 0, and how far back the match lies. The
    matches are greedy, by a table of hashes' last places.
    """
    limit = min(1 << window_log, _MOST_DISTANCE)
    table: dict[int, int] = {}
    mask = (1 << hash_log) - 1

    def row(at: int) -> int:
        word = int.from_bytes(data[at : at + 4], "little")
        return (word * _MULTIPLIER & 0xFFFFFFFF) >> 18 & mask

    at, told, skip = 0, 0, 32
    while len(data) - at >= 4:
        index = row(at)
        place = table.get(index)
        table[index] = at
        if (
            place is not None
            and at - place <= limit
            and data[place : place + 4] == data[at : at + 4]
        ):
            length = _match(data, at, place)
            yield at - told, length, at - place
            at += length
            told, skip = at, 32
            if len(data) - at >= 4:
                table[row(at - 1)] = at - 1
            continue
        at += min(skip >> 5, 8, len(data) - at)
        skip = min(skip + 1, 256)
        if at - told >= 240:
            yield at - told, 0, 0
            told = at
    if told < len(data):
        yield len(data) - told, 0, 0


def compressed(data: bytes, window_log: int, hash_log: int) -> bytes:
    """Return what the unit makes of `data`."""
    out, at = bytearray(varint(len(data))), 0
    for literals, length, distance in tokens(data, window_log, hash_log):
        out += _literals(data[at : at + literals]) + _copies(length, distance)
        at += literals + length
    return bytes(out)


def _literal_element(rng: random.Random) -> tuple[bytes, int]:
    size = rng.choice([rng.randint(1, 12), rng.randint(1, 60), rng.randint(1, 600)])
    least = 0 if size <= 60 else 1 if size <= 256 else 2
    extra = rng.randint(least, 4)
    if extra and extra + size < 4:  # The library reads four bytes of a length, and refuses it last.
        extra = 4
    tag = (size - 1 if extra == 0 else 59 + extra) << 2
    digits = (size - 1).to_bytes(extra, "little") if extra else b""
    return bytes([tag]) + digits + rng.randbytes(size), size


def stream(rng: random.Random, size: int) -> bytes:
    """Return a stream of about `size` bytes of output with elements of every kind."""
    body, position = bytearray(), 0
    while position < size:
        back = rng.randint(1, min(rng.choice([8, 20, 300, 5_000, 100_000]), max(position, 1)))
        kind = rng.randint(0, 3) if position else 0
        count = rng.randint(1, 64)
        if kind == 0:
            element, count = _literal_element(rng)
        elif kind == 1 and back < 2_048:
            count = rng.randint(4, 11)
            element = bytes([back >> 8 << 5 | (count - 4) << 2 | 1, back & 255])
        elif kind == 2 and back <= _MOST_DISTANCE:
            element = bytes([(count - 1) << 2 | 2]) + back.to_bytes(2, "little")
        else:
            element = bytes([(count - 1) << 2 | 3]) + back.to_bytes(4, "little")
        body += element
        position += count
    return varint(position) + bytes(body)


def broken(rng: random.Random) -> bytes:
    """Return a stream with a fault; now and then it is good all the same."""
    good = stream(rng, rng.randint(1, 300))
    kind = rng.randint(0, 3)
    if kind == 0:
        return good[: rng.randrange(len(good))]
    if kind == 1:
        return good + rng.randbytes(rng.randint(1, 3))
    if kind == 2:
        at = rng.randrange(len(good))
        return good[:at] + rng.randbytes(1) + good[at + 1 :]
    return rng.randbytes(rng.randint(0, 30))
