# SPDX-License-Identifier: BSD-3-Clause
"""What a form with a scan chain holds where: the `scan` of its manifest, and `scan.json`.

The image of a target's state is words of 64 bits, first those of the chain, then those of registers
that lie in block memory, as many as each needs. The memories follow, row by row, each row as many
words as it needs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = "scan.json"
WORD_BITS = 64


def words_of(width_bits: int) -> int:
    """Return how many words a number of bits takes."""
    return (width_bits + WORD_BITS - 1) // WORD_BITS


@dataclass(frozen=True)
class ScanMemory:
    """A memory whose rows the host reads and writes at a point of access."""

    name: str
    rows: int
    width_bits: int
    point: int


@dataclass(frozen=True)
class ScanLatch:
    """A register that synthesis puts into a block memory, as the data of its read port.

    It takes a row of `memory` (its number) when the host fetches one at its point.
    """

    memory: int
    point: int


@dataclass(frozen=True)
class ScanLayout:
    """Lengths and points of access, which the host's driver needs."""

    chain_words: int
    bits: int
    """Bits of all registers: the rest of the chain's last word is filled."""
    memories: list[ScanMemory]
    latches: list[ScanLatch]

    @property
    def row_words(self) -> int:
        """Words of the widest row."""
        return max((words_of(one.width_bits) for one in self.memories), default=1)

    @property
    def row_bits(self) -> int:
        """Width of a row's number."""
        return max(((one.rows - 1).bit_length() for one in self.memories), default=1) or 1

    @property
    def register_words(self) -> int:
        """Words of the image before the memories."""
        widths = (self.memories[latch.memory].width_bits for latch in self.latches)
        return self.chain_words + sum(map(words_of, widths))

    @staticmethod
    def from_json(data: dict[str, Any]) -> ScanLayout:
        """Undo `dataclasses.asdict`."""
        memories = [ScanMemory(**one) for one in data["memories"]]
        latches = [ScanLatch(**one) for one in data["latches"]]
        return ScanLayout(data["chain_words"], data["bits"], memories, latches)


@dataclass
class ScanNames:
    """Which wire of the target's text is which bit of the image: runs of bits."""

    bits: list[tuple[str, int, int, int]] = field(default_factory=list)
    """(wire, its lowest bit, bit of the image, width)"""
    constant: list[tuple[str, int, int]] = field(default_factory=list)
    """(wire, its bit, value): a register in the text, but not in the form."""
    unread: list[tuple[str, int]] = field(default_factory=list)
    """(wire, its bit): a register in the text that the form leaves out, as nothing reads it."""

    @staticmethod
    def read(folder: Path) -> ScanNames:
        """Read what is beside a form."""
        found = json.loads((folder / FILE).read_text())
        keys = ("bits", "constant", "unread")
        return ScanNames(*([tuple(one) for one in found[key]] for key in keys))

    def write(self, folder: Path) -> None:
        """Write it beside a form."""
        (folder / FILE).write_text(json.dumps(vars(self), separators=(",", ":")) + "\n")
