# SPDX-License-Identifier: BSD-3-Clause
"""Random traffic for the packet reflector, and its tokens on a board against the CPU model's."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from goldengate import Manifest
from goldengate.harness import Model
from goldengate.host_words import Row, RowReader, ValueWords, run_command
from goldengate.stalls import packed, unpacked

from regression.support.experiment import ExperimentError

LISTEN, STATUS, CYCLE, FINGERPRINT, IDENTITY = 0x28, 0x18, 0x10, 0x08, 0x00
USED = 8
"""Of the status: the target has run (kStatusUsed in registers.h)."""
IDENTITY_VALUE = 0x4653494D
RESET_CYCLES = 16
Values = dict[str, int]


class Board(Protocol):
    """A blade's host side as a host reaches it."""

    def write(self, address: int, value: int) -> None:
        """Write a register."""

    def read(self, address: int) -> int:
        """Read a register."""

    def read_wide(self, address: int) -> int:
        """Read a register of 64 bits."""

    def send(self, word: int) -> None:
        """Send a word down the stream."""

    def word(self) -> int:
        """Return the next word that comes up."""


def traffic(ports: Sequence[str], cycles: int, generator: random.Random) -> list[Values]:
    """Return the inputs of each cycle: frames of a few flits, characters, and gaps."""
    quiet = dict.fromkeys(ports, 0)
    found: list[Values] = []
    while len(found) < cycles:
        if len(found) < RESET_CYCLES:
            found.append({**quiet, "reset": 1})
            continue
        choice = generator.random()
        if choice < 0.4:
            flits = generator.randint(3, 7)
            for index in range(flits):
                found.append(
                    {
                        **quiet,
                        "nic__in_valid": 1,
                        "nic__in_data": generator.getrandbits(64),
                        "nic__in_last": int(index == flits - 1),
                        "nic__mac_address": 0x020000000001,
                    }
                )
        elif choice < 0.6:
            typed = {"uart__in_valid": 1, "uart__in_bits": generator.choice(b"abcdef")}
            found.append({**quiet, **typed, "uart__out_ready": 1})
        ready = {"uart__out_ready": 1, "nic__mac_address": 0x020000000001}
        found += [{**quiet, **ready}] * generator.randint(1, 9)
    return found[:cycles]


def cpu_outputs(library: Path, inputs: Sequence[Mapping[str, int]]) -> list[Values]:
    """Return what the CPU model says in each cycle."""
    with Model(library) as model:
        return [model.step(values) for values in inputs]


@dataclass(frozen=True)
class Compared:
    """What a board said beside the CPU model: rows and tokens seen, words on the line."""

    rows: int
    tokens: int
    words_down: int


class Comparison:
    """One run of a board against what the CPU model said."""

    def __init__(self, board: Board, manifest: Manifest) -> None:
        assert manifest.fame1 is not None
        self.board, self.manifest = board, manifest
        channels = manifest.fame1.channels
        self.ins = [one for one in channels if one.direction == "in"]
        self.outs = [one for one in channels if one.direction == "out"]
        self.words_down = 0

    def check_identity(self) -> None:
        """Ask the board which design it is."""
        identity = self.board.read(IDENTITY)
        fingerprint = f"{self.board.read_wide(FINGERPRINT):016x}"
        if identity != IDENTITY_VALUE or fingerprint != self.manifest.design_hash:
            raise ExperimentError(
                f"the board is {identity:#x} with fingerprint {fingerprint}, expected "
                f"{IDENTITY_VALUE:#x} with {self.manifest.design_hash}"
            )

    def _send(self, word: int) -> None:
        self.words_down += 1
        self.board.send(word)

    def _rows(self, inputs: Sequence[Mapping[str, int]], batch: int) -> Iterator[Row]:
        values, rows = ValueWords(self.ins), RowReader(self.outs, (1 << len(self.outs)) - 1)
        cycle = 0
        while cycle < len(inputs):
            limit = min(len(inputs), cycle + batch)
            for at in range(cycle, limit):
                for index, channel in enumerate(self.ins):
                    for word in values.words(index, at, packed(channel, inputs[at])):
                        self._send(word)
            self._send(run_command(limit))
            while cycle < limit:
                row = rows.take(self.board.word, limit)
                cycle = row.cycle + 1
                yield row

    def _awake(self, outputs: Mapping[str, int]) -> set[int]:
        """Return the output channels that wake a driver in a cycle of the CPU model."""
        waking = {self.manifest.prints_port, self.manifest.assert_port}
        waking |= {one.ports[name] for one in self.manifest.bridges for name in one.wakes}
        return {
            index
            for index, channel in enumerate(self.outs)
            if any(outputs[field.port] for field in channel.fields if field.port in waking)
        }

    def run(
        self, inputs: Sequence[Mapping[str, int]], expected: Sequence[Values], batch: int
    ) -> Compared:
        """Run all cycles, `batch` a command; every row must be the CPU model's.

        Raises:
            ExperimentError: one is not.
        """
        everything = set(range(len(self.outs)))
        self.board.write(LISTEN, (1 << len(self.outs)) - 1)
        awake = {cycle for cycle, outputs in enumerate(expected) if self._awake(outputs)}
        rows = tokens = 0
        for row in self._rows(inputs, batch):
            cycle = row.cycle
            rows += 1
            awake.discard(cycle)
            wanted = everything if row.stops else self._awake(expected[cycle])
            if set(row.tokens) != wanted:
                raise ExperimentError(
                    f"cycle {cycle}: found channels {set(row.tokens)}, not {wanted}"
                )
            for index, token in row.tokens.items():
                tokens += 1
                found = unpacked(self.outs[index], token)
                if not found.items() <= expected[cycle].items():
                    raise ExperimentError(f"cycle {cycle}: found {found}, not {expected[cycle]}")
        if awake:
            raise ExperimentError(f"cycle {min(awake)}: no row came, and it wakes a driver")
        if self.board.read_wide(CYCLE) != len(inputs):
            raise ExperimentError("the board did not run as many cycles as it was told to")
        return Compared(rows, tokens, self.words_down)
