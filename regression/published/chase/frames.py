# SPDX-License-Identifier: BSD-3-Clause
"""Frames of the pointer chase as bytes: of captures, and broken ones for a hostile sender."""

from __future__ import annotations

import random
import struct
from collections import Counter
from dataclasses import dataclass, replace

ETHERTYPE = b"\x88\xb6"
ADDRESSES_BYTES = 14
HEAD = struct.Struct("<IIIBB8sBB")
SIGNAL = 0x55
BINARY, BITCODE, FAT, ACTIVE, GET, UNKNOWN = 0x50, 0xBC, 0xFA, 0xA0, 0x60, 0x6E
HELLO, READY = 0x70, 0x71
CHASER_BYTES = 24
_MOST_PAYLOAD, _MOST_CODE = 64, 8_192


@dataclass(frozen=True)
class Head:
    """The head of a frame, by the names of frame.h."""

    frame_bytes: int
    payload_at: int
    code_at: int
    type: int
    pure: int = 0
    name: bytes = b""
    signal: int = SIGNAL
    zero: int = 0

    def packed(self) -> bytes:
        """Return its bytes."""
        return HEAD.pack(*vars(self).values())


def head_of(data: bytes) -> Head | None:
    """Return the head of a captured frame, from its destination on; None if it is not ours."""
    if data[12:14] != ETHERTYPE:
        return None
    return Head(*HEAD.unpack_from(data, ADDRESSES_BYTES))


def flits(frame_bytes: int) -> int:
    """Return the tokens that a frame of `frame_bytes` after the addresses takes on the wire."""
    return (2 + ADDRESSES_BYTES + frame_bytes + 7) // 8


def with_code(name: bytes, payload: bytes, code: bytes, kind: int = FAT) -> bytes:
    """Return a sound frame with its code, from the head on."""
    code_at = HEAD.size + len(payload) + 1
    head = Head(code_at + len(code), HEAD.size, code_at, kind, 0, name)
    return head.packed() + payload + bytes([SIGNAL]) + code


def plain(kind: int, payload: bytes) -> bytes:
    """Return a sound frame of a type without code."""
    size = HEAD.size + len(payload)
    return Head(size, HEAD.size, size, kind).packed() + payload


def archive(isa: int, code: bytes = b"\x82\x80\x01\x00") -> bytes:
    """Return an archive of one variant; the code returns at once."""
    return b"RVFA" + struct.pack("<HHIIII", 1, 0, isa, 24, len(code), 0) + code


def _changed(frame: bytes, **fields: object) -> bytes:
    head = Head(*HEAD.unpack_from(frame))
    return replace(head, **fields).packed() + frame[HEAD.size :]  # type: ignore[arg-type]


def _chaser(depth: int, address: int, destination: int) -> bytes:
    return struct.pack("<3Q", depth, address, destination)


def broken(entries: int) -> list[tuple[str, bytes]]:
    """Return frames that a server must refuse, each with the reason that it has to count."""
    rv64i = archive(1 << 8)
    sound = with_code(b"evil", _chaser(1, 0, 0), rv64i)
    known = with_code(b"chaser", _chaser(1, 0, 0), rv64i)
    call = struct.pack("<Q", 0)
    return [
        ("length", sound[:-8]),
        ("length", sound + bytes(16)),
        ("length", plain(GET, bytes(8)) + bytes(16)),
        ("head", _changed(sound, payload_at=32)),
        ("head", _changed(sound, code_at=24)),
        ("head", _changed(sound, code_at=0xFFFF_FFF0)),
        ("head", _changed(sound, frame_bytes=49)),
        ("head", _changed(sound, frame_bytes=0xFFFF_FFFF)),
        ("head", _changed(sound, signal=0)),
        ("head", _changed(sound, pure=2)),
        ("head", _changed(sound, zero=1)),
        ("head", sound[:48] + b"\x54" + sound[49:]),
        ("head", _changed(plain(GET, bytes(8)), code_at=24)),
        ("head", _changed(plain(ACTIVE, bytes(32)), frame_bytes=9_000, code_at=9_000)),
        ("type", _changed(sound, type=BITCODE)),
        ("type", _changed(sound, type=0)),
        ("name", _changed(sound, name=b"")),
        ("name", _changed(sound, name=b"ev\x00il")),
        ("name", _changed(sound, name=b"\xff" * 8)),
        ("payload", with_code(b"result", bytes(8), rv64i)),
        ("payload", plain(ACTIVE, call)),
        ("payload", plain(ACTIVE, call + bytes(16))),
        ("code", with_code(b"evil", bytes(24), b"RVFB" + rv64i[4:])),
        ("code", with_code(b"evil", bytes(24), rv64i[:6] + b"\x01" + rv64i[7:])),
        ("code", with_code(b"evil", bytes(24), rv64i[:4] + b"\x00" + rv64i[5:])),
        ("code", with_code(b"evil", bytes(24), rv64i[:12] + b"\x1a" + rv64i[13:])),
        ("code", with_code(b"evil", bytes(24), rv64i[:12] + b"\xf8\xff\xff\xff" + rv64i[16:])),
        ("code", with_code(b"evil", bytes(24), rv64i[:16] + b"\x08" + rv64i[17:])),
        ("code", with_code(b"evil", bytes(24), b"RVFA")),
        ("variant", with_code(b"evil", bytes(24), archive(1 << 8 | 1 << 21))),
        ("other", known),
        ("number", plain(ACTIVE, struct.pack("<Q", 3) + bytes(24))),
        ("number", plain(ACTIVE, struct.pack("<Q", 1 << 63) + bytes(24))),
        ("address", plain(GET, struct.pack("<Q", entries))),
        ("address", plain(GET, struct.pack("<Q", (1 << 64) - 1))),
        ("address", plain(ACTIVE, call + _chaser(1, entries, 0))),
        ("depth", plain(ACTIVE, call + _chaser(1 << 40, 0, 0))),
        ("destination", plain(ACTIVE, call + _chaser(1, 0, 9))),
        ("name", _changed(_changed(sound, type=UNKNOWN), frame_bytes=len(sound))),
    ]


def _refusal(frame: bytes) -> str | None:
    """Return why a frame of type FAT under a name that nobody has is refused for its head."""
    head = Head(*HEAD.unpack_from(frame))
    code_bytes = head.frame_bytes - head.code_at
    fields = head.signal == SIGNAL and head.zero == 0 and head.pure <= 1
    offsets = head.payload_at == HEAD.size and 0 < head.code_at - HEAD.size <= _MOST_PAYLOAD + 1
    if not (fields and offsets and 0 < code_bytes <= _MOST_CODE):
        return "head"
    if flits(len(frame)) not in (flits(head.frame_bytes), flits(head.code_at)):
        return "length"
    at = head.code_at - 1
    if at < len(frame) and frame[at] != SIGNAL:
        return "head"
    return None


def mutants(generator: random.Random, count: int) -> list[tuple[str, bytes]]:
    """Return frames with one byte of offsets, sizes, signals or flags changed, by seed."""
    sound = with_code(b"evil", bytes(CHASER_BYTES), archive(1 << 8))
    places = [*range(12), 13, 22, 23, HEAD.size + CHASER_BYTES]
    found: list[tuple[str, bytes]] = []
    while len(found) < count:
        changed = bytearray(sound)
        at = generator.choice(places)
        changed[at] ^= generator.randrange(1, 256)
        reason = _refusal(bytes(changed))
        if reason:
            found.append((reason, bytes(changed)))
    return found


def counted(frames: list[tuple[str, bytes]]) -> Counter[str]:
    """Return how often each reason must be counted."""
    return Counter(reason for reason, _ in frames)
