# SPDX-License-Identifier: BSD-3-Clause
"""Reads the packet captures that switches write (pcapng, little-endian, whole packets)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ENHANCED_PACKET = 6
_FLAGS_OPTION = 2
_INBOUND, _OUTBOUND = 1, 2


@dataclass(frozen=True)
class Captured:
    """A packet that a switch saw at one of its ports; `data` begins with the destination."""

    port: int
    outbound: bool
    """Whether the switch sent it; else it received it."""
    data: bytes


def read_capture(file: Path) -> Iterator[Captured]:
    """Yield the packets of a capture in the order they were written.

    Raises:
        ValueError: the file is not whole.
    """
    content = file.read_bytes()
    at = 0
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        if length < 12 or at + length > len(content):
            raise ValueError(f"{file}: found a block cut short at byte {at}.")
        if kind == _ENHANCED_PACKET:
            yield _packet(content[at : at + length])
        at += length


def _packet(block: bytes) -> Captured:
    port, _, _, captured_bytes = struct.unpack_from("<IIII", block, 8)
    start = 28
    flags = 0
    option = start + (captured_bytes + 3) // 4 * 4
    while option + 4 <= len(block) - 4:
        code, length = struct.unpack_from("<HH", block, option)
        if code == 0:
            break
        if code == _FLAGS_OPTION and length == 4:
            (flags,) = struct.unpack_from("<I", block, option + 4)
        option += 4 + (length + 3) // 4 * 4
    outbound = flags & 3 == _OUTBOUND
    return Captured(port, outbound, block[start : start + captured_bytes])
