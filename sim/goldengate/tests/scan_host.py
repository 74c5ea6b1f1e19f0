# SPDX-License-Identifier: BSD-3-Clause
"""A host that takes out and puts in the state of a metasimulated form with a scan chain.

It does what sim/hostlib/scan_chain.cc does, so that the Verilog is tested without the simulator.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from goldengate.harness import Model
from goldengate.host_words import RowReader, ValueWords, run_command
from goldengate.manifest import Manifest
from goldengate.scan_layout import WORD_BITS, ScanLayout, words_of
from goldengate.stalls import packed, unpacked
from goldengate.tests.test_host_top import Host

SCAN_WORDS, SCAN, SCAN_ROW = 0x50, 0x54, 0x58
OFF, SHIFT, READ, WRITE, SHOW = range(5)


@dataclass
class Image:
    """The registers as one number, and the rows of each memory."""

    registers: int
    rows: list[list[int]] = field(default_factory=list)


class ScanHost:
    """A host of a form with a chain, and a target that it runs cycle by cycle."""

    def __init__(self, model: Model, manifest: Manifest, generator: random.Random) -> None:
        self.host = Host(model, generator)
        assert manifest.scan is not None and manifest.fame1 is not None
        self.layout: ScanLayout = manifest.scan
        channels = manifest.fame1.channels
        self.ins = [one for one in channels if one.direction == "in"]
        self.outs = [one for one in channels if one.direction == "out"]
        everything = (1 << len(self.outs)) - 1
        self.values, self.rows = ValueWords(self.ins), RowReader(self.outs, everything)
        self.cycle = 0
        self.host.write(0x28, everything)
        assert self.host.read(SCAN_WORDS) == self.layout.chain_words

    def step(self, inputs: dict[str, int]) -> dict[str, int]:
        """Run a target cycle; return its outputs."""
        for index, channel in enumerate(self.ins):
            for word in self.values.words(index, self.cycle, packed(channel, inputs)):
                self.host.send(word)
        self.cycle += 1
        self.host.send(run_command(self.cycle))
        row = self.rows.take(self.host.word, self.cycle)
        assert (row.cycle, len(row.tokens)) == (self.cycle - 1, len(self.outs))
        found: dict[str, int] = {}
        for index, channel in enumerate(self.outs):
            found |= unpacked(channel, row.tokens[index])
        return found

    def choose(self, operation: int, words: int = 1, point: int = 0) -> None:
        """Choose an operation, from row 0 on."""
        self.host.write(SCAN_ROW, 0)
        self.host.write(SCAN, operation | words - 1 << 8 | point << 16)

    def exchange(self, words: list[int]) -> list[int]:
        """Send words; return those that come up."""
        found = []
        for word in words:
            self.host.send(word)
            found.append(self.host.word())
        return found

    def shift(self, registers: int) -> int:
        """Put the chain's words in; return what comes out."""
        words = [registers >> WORD_BITS * i & (2**64 - 1) for i in range(self.layout.chain_words)]
        self.choose(SHIFT)
        found = self.exchange(words[::-1])[::-1]
        self.choose(OFF)
        return sum(word << WORD_BITS * i for i, word in enumerate(found))

    def _rows(self, operation: int, width: int, point: int, rows: list[int]) -> list[int]:
        words = words_of(width)
        self.choose(operation, words, point)
        sent = [row >> WORD_BITS * i & (2**64 - 1) for row in rows for i in range(words)]
        found = self.exchange(sent)
        self.choose(OFF)
        return [
            sum(found[at + i] << WORD_BITS * i for i in range(words))
            for at in range(0, len(found), words)
        ]

    def _set_latches(self, image: Image) -> None:
        at = self.layout.chain_words
        for latch in self.layout.latches:
            memory = self.layout.memories[latch.memory]
            width = memory.width_bits
            value = image.registers >> at * WORD_BITS & (1 << width) - 1
            self._rows(WRITE, width, memory.point, [value])
            self.choose(READ, words_of(width), latch.point)
            self.choose(OFF)
            self._rows(WRITE, width, memory.point, [image.rows[latch.memory][0]])
            at += words_of(width)

    def save(self) -> Image:
        """Return the state, which stays."""
        chain = self.shift(0)
        image, at = Image(chain), self.layout.chain_words
        for latch in self.layout.latches:
            width = self.layout.memories[latch.memory].width_bits
            image.registers |= self._rows(SHOW, width, latch.point, [0])[0] << at * WORD_BITS
            at += words_of(width)
        for memory in self.layout.memories:
            rows = [0] * memory.rows
            image.rows.append(self._rows(READ, memory.width_bits, memory.point, rows))
        self._set_latches(image)
        self.shift(chain)
        return image

    def load(self, image: Image) -> None:
        """Put a state in."""
        for memory, rows in zip(self.layout.memories, image.rows, strict=True):
            self._rows(WRITE, memory.width_bits, memory.point, rows)
        self._set_latches(image)
        self.shift(image.registers & (1 << self.layout.chain_words * WORD_BITS) - 1)
