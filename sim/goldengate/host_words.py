# SPDX-License-Identifier: BSD-3-Clause
"""The words of both streams of a host's side, made and read in Python: for tests and experiments.

What they say is in `sim/hostlib/rtl`: a value in firesim_input_channel.v, a row in firesim_rows.v.
The simulator has its own in C++ (sim/hostlib/host_target.cc).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldengate.channels import Channel
from goldengate.host_top import PIECE_BITS, pieces_of

NEAR_DOWN, NEAR_UP = 8, 47
"""Pieces whose bits are in the first word of a value, and of a row."""
FAR = 0xFFFF
"""Cycles without a row from which on a row says its cycle in a word of its own."""
_WORD_BITS = 64


def run_command(limit: int) -> int:
    """Return the word that lets the target run up to a cycle."""
    return 255 << 56 | limit


def _cut(token: int, pieces: int) -> list[int]:
    return [token >> PIECE_BITS * index & (1 << PIECE_BITS) - 1 for index in range(pieces)]


def _masks(pieces: int, near: int) -> int:
    """Return how many words of masks follow the first word."""
    return max(0, -(-(pieces - near) // _WORD_BITS))


class ValueWords:
    """What was said of each input channel, and words that say what is new."""

    def __init__(self, channels: Sequence[Channel]) -> None:
        self._sizes = [pieces_of(channel) for channel in channels]
        self._said = [0] * len(self._sizes)

    def words(self, index: int, cycle: int, token: int) -> list[int]:
        """Return the words that give a channel a value from a cycle on; none if it has it."""
        if token == self._said[index]:
            return []
        size = self._sizes[index]
        old, new = _cut(self._said[index], size), _cut(token, size)
        self._said[index] = token
        differ = [place for place in range(size) if old[place] != new[place]]
        mask = sum(1 << place for place in differ)
        near = mask & (1 << NEAR_DOWN) - 1
        first = new[differ.pop(0)] if near else 0
        words = [index << 56 | near << 48 | (cycle & 0xFFFF) << 32 | first]
        words += [
            mask >> NEAR_DOWN + _WORD_BITS * number & (1 << _WORD_BITS) - 1
            for number in range(_masks(size, NEAR_DOWN))
        ]
        values = [new[place] for place in differ] + [0]
        return words + [
            values[number] | values[number + 1] << PIECE_BITS
            for number in range(0, len(values) - 1, 2)
        ]


@dataclass(frozen=True)
class Row:
    """Tokens by output channel; `stops` says whether the target stops after the cycle."""

    cycle: int
    stops: bool
    tokens: dict[int, int]


class RowReader:
    """Reads rows; `listened` are the output channels that somebody listens to.

    Before those of `gated` a gate decides, and they are told of in the last cycle only if it does.
    """

    def __init__(self, channels: Sequence[Channel], listened: int, gated: int = 0) -> None:
        self._sizes = [pieces_of(channel) for channel in channels]
        self._places = [
            (index, place) for index, size in enumerate(self._sizes) for place in range(size)
        ]
        self._told = [[0] * size for size in self._sizes]
        self._always_last = listened & ~gated
        self._next_cycle = 0

    def take(self, word: Callable[[], int], limit: int) -> Row:
        """Read a row of a run up to `limit`; `word` returns the next word that comes up."""
        head = word()
        passed, mask = head >> NEAR_UP & FAR, head & (1 << NEAR_UP) - 1
        cycle = word() - 1 if passed == FAR else self._next_cycle + passed
        for number in range(_masks(len(self._places), NEAR_UP)):
            mask |= word() << NEAR_UP + _WORD_BITS * number
        pieces = [number for number in range(mask.bit_length()) if mask >> number & 1]
        for first in range(0, len(pieces), 2):
            pair = word()
            for number in pieces[first : first + 2]:
                index, place = self._places[number]
                self._told[index][place] = pair & (1 << PIECE_BITS) - 1
                pair >>= PIECE_BITS
        seen = {self._places[number][0] for number in pieces}
        if cycle + 1 == limit:
            seen |= {at for at in range(len(self._sizes)) if self._always_last >> at & 1}
        self._next_cycle = cycle + 1
        return Row(cycle, bool(head >> 63), {index: self._token(index) for index in sorted(seen)})

    def _token(self, index: int) -> int:
        return sum(piece << PIECE_BITS * place for place, piece in enumerate(self._told[index]))
