# SPDX-License-Identifier: BSD-3-Clause
"""Step `wiring`: which outputs drive a signal, through all connections.

A *driver* is a cell output, an input port or the clock; each has a number. Bits without one are 0
to what reads them. Nothing does where the optimisation has removed the driver as useless.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from goldengate.engine.design import Unsupported
from goldengate.engine.rtlil import Chunk, Module

Piece = tuple[int, int, int]
"""(driver, lowest bit, width), or (CONSTANT, value, width)."""

CONSTANT = -1
_NOTHING = -2
"""In place of a driver where there is none."""


def part(chunks: list[Chunk], low: int, width: int) -> list[Chunk]:
    """Return `width` bits of a signal from bit `low` on."""
    found, position = [], 0
    for name, start, size in chunks:
        first, last = max(low - position, 0), min(low + width - position, size)
        if first < last:
            if name:
                found.append((name, start + first, last - first))
            else:
                found.append(("", start >> first & ((1 << (last - first)) - 1), last - first))
        position += size
        if position >= low + width:
            break
    return found


@dataclass
class _Source:
    """What drives bits of a wire: a driver, or another signal, whose pieces are found once."""

    low: int
    width: int
    driver: Piece | None
    chunks: list[Chunk]
    pieces: list[Piece] | None = None
    busy: bool = False


class Wiring:
    """The connections of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.count = 0
        self._sources: dict[str, list[_Source]] = {}
        self._sorted: set[str] = set()
        for left, right in module.connections:
            position = 0
            for name, low, width in left:
                if name:
                    source = _Source(low, width, None, part(right, position, width))
                    self._sources.setdefault(name, []).append(source)
                position += width

    def drive(self, chunks: list[Chunk]) -> int:
        """Add a driver of `chunks`; return its number."""
        number, position = self.count, 0
        self.count += 1
        for name, low, width in chunks:
            if name:
                source = _Source(low, width, (number, position, width), [])
                self._sources.setdefault(name, []).append(source)
            position += width
        return number

    def _sources_of(self, name: str) -> list[_Source]:
        found = self._sources.get(name, [])
        if name not in self._sorted:
            self._sorted.add(name)
            found.sort(key=lambda source: source.low)
            for before, after in itertools.pairwise(found):
                if before.low + before.width > after.low:
                    raise Unsupported(f"{self.module.name}: wire {name} has two drivers")
        return found

    def _from(self, source: _Source, low: int, width: int) -> list[Piece]:
        """Return the pieces of part of a source.

        A wire may be connected to other bits of itself, so a source met again while its pieces are
        being found is followed for the bits in question only.
        """
        if source.driver is not None:
            number, start, _ = source.driver
            return [(number, start + low, width)]
        if source.busy:
            return self._pieces(part(source.chunks, low, width))
        if source.pieces is None:
            source.busy = True
            source.pieces = self._pieces(source.chunks)
            source.busy = False
        return _part_of_pieces(source.pieces, low, width)

    def pieces(self, chunks: list[Chunk]) -> list[Piece]:
        """Return what drives a signal."""
        return [
            (CONSTANT, 0, width) if driver == _NOTHING else (driver, low, width)
            for driver, low, width in self._pieces(chunks)
        ]

    def driven(self, chunks: list[Chunk]) -> list[tuple[int, int]]:
        """Return the runs of bits of a signal that have a driver: (lowest bit, width)."""
        found: list[tuple[int, int]] = []
        position = 0
        for driver, _, width in self._pieces(chunks):
            if driver != _NOTHING:
                if found and sum(found[-1]) == position:
                    found[-1] = found[-1][0], found[-1][1] + width
                else:
                    found.append((position, width))
            position += width
        return found

    def _pieces(self, chunks: list[Chunk]) -> list[Piece]:
        """As `pieces`, but with _NOTHING where nothing drives."""
        found: list[Piece] = []
        for name, low, width in chunks:
            if not name:
                found.append((CONSTANT, low, width))
                continue
            position, end = low, low + width
            for source in self._sources_of(name):
                first, last = max(position, source.low), min(end, source.low + source.width)
                if first >= last:
                    continue
                if first > position:
                    found.append((_NOTHING, 0, first - position))
                found += self._from(source, first - source.low, last - first)
                position = last
            if position < end:
                found.append((_NOTHING, 0, end - position))
        return found


def _part_of_pieces(pieces: list[Piece], low: int, width: int) -> list[Piece]:
    found, position = [], 0
    for driver, start, size in pieces:
        first, last = max(low - position, 0), min(low + width - position, size)
        if first < last:
            if driver == CONSTANT:
                start = start >> first & ((1 << (last - first)) - 1)
                found.append((CONSTANT, start, last - first))
            else:
                found.append((driver, start + first, last - first))
        position += size
    return found
