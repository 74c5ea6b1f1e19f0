# SPDX-License-Identifier: BSD-3-Clause
"""Memory as a hart sees it: virtual addresses by its page tables, which are only read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

PAGE_BYTES = 4096
MACHINE = 3
SV39 = 8
_LEVELS = 3
_VALID, _LEAF = 1, 0b1110
_PAGE_NUMBER = (1 << 44) - 1

Reader = Callable[[int, int], bytes | None]
"""Reads physical memory: address and number of bytes; None where there is none."""


def physical(address: int, registers: Mapping[str, int], read: Reader) -> int | None:
    """Return the physical address of a virtual one, None where no page is.

    In machine mode, and without translation, it is the same. What a page allows does not matter to
    who only looks.
    """
    satp = registers.get("satp", 0)
    if registers.get("priv", MACHINE) == MACHINE or satp >> 60 != SV39:
        return address
    top = address >> 38
    if top not in (0, (1 << 26) - 1):
        return None
    table = (satp & _PAGE_NUMBER) * PAGE_BYTES
    for level in reversed(range(_LEVELS)):
        index = address >> (12 + 9 * level) & 511
        data = read(table + 8 * index, 8)
        entry = int.from_bytes(data, "little") if data else 0
        if not entry & _VALID:
            return None
        page = (entry >> 10 & _PAGE_NUMBER) * PAGE_BYTES
        if entry & _LEAF:
            offset_bits = 12 + 9 * level
            return page >> offset_bits << offset_bits | address & (1 << offset_bits) - 1
        table = page
    return None


def pieces(address: int, count: int) -> Iterator[tuple[int, int]]:
    """Cut a stretch of memory at the ends of pages: address and number of bytes of each piece."""
    while count > 0:
        piece = min(count, PAGE_BYTES - address % PAGE_BYTES)
        yield address, piece
        address, count = address + piece & (1 << 64) - 1, count - piece


def read_virtual(
    address: int, count: int, registers: Mapping[str, int], read: Reader
) -> bytes | None:
    """Return memory from a virtual address on as far as it is there; None if nothing is."""
    data = b""
    for start, length in pieces(address, count):
        place = physical(start, registers, read)
        piece = None if place is None else read(place, length)
        if piece is None:
            break
        data += piece
    return data or None
