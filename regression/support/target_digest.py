# SPDX-License-Identifier: BSD-3-Clause
"""The hashes that programs print of their outputs: lib/digest.h, and lib/rdma_messages.h."""

from __future__ import annotations

import struct

_RATIO = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def digest(data: bytes, place: int) -> int:
    """Return the program's hash of an output that begins `place` bytes into a word."""
    found = len(data)
    first = min(-place % 8, len(data))
    whole = first + (len(data) - first) // 8 * 8
    for byte in data[:first]:
        found = (found ^ byte) * _RATIO & _MASK
    for (word,) in struct.iter_unpack("<Q", data[first:whole]):
        found = (found ^ word) * _RATIO & _MASK
    for byte in data[whole:]:
        found = (found ^ byte) * _RATIO & _MASK
    return found


def memory_digest(memory: bytes | bytearray) -> int:
    """Return the hash of memory, which is whole words, as `rdma_digest` has it."""
    found = 0
    for (word,) in struct.iter_unpack("<Q", memory):
        found = (found ^ word) * _RATIO & _MASK
    return found
