# SPDX-License-Identifier: BSD-3-Clause
"""The ring of a capture in RTL against a model of it: steps at random, triggers of every kind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate.channels import RTL
from goldengate.harness import Model
from goldengate.synthesis import synthesize
from goldengate.tests.designs import seed

WIDTH, LOG_DEPTH, RUNS, MOST_CYCLES = 75, 4, 12, 90
CONTROL, MASK, MATCH, RING = range(4)
FILE = RTL / "firesim_capture.v"
WORD = (1 << 64) - 1


class Ring:
    """Drives the module as its host and its target do, and knows what must be in it."""

    def __init__(self, model: Model, generator: random.Random) -> None:
        self.model, self.generator = model, generator
        self.values: list[int] = []
        model["step"] = 0
        model["write"] = 0
        model.reset(2, "host_reset")

    def put(self, space: int, word: int, value: int) -> None:
        """Write 64 bits."""
        chosen = space << 24 | word << 16
        for address, data in ((0x70, chosen), (0x78, value & 0xFFFFFFFF), (0x7C, value >> 32)):
            self.model["write"], self.model["awaddr"], self.model["wdata"] = 1, address, data
            self.model.step()
        self.model["write"] = 0

    def read(self, address: int) -> int:
        """Return a register."""
        self.model["araddr"] = address
        return self.model.step()["found"]

    def at(self, space: int, word: int, row: int = 0) -> int:
        """Return 64 bits."""
        self.model["write"], self.model["awaddr"] = 1, 0x70
        self.model["wdata"] = space << 24 | word << 16 | row
        self.model.step()
        self.model["write"] = 0
        self.model.step()
        return self.read(0x78) | self.read(0x7C) << 32

    def run(self, values: list[int]) -> None:
        """Let the target take as many steps, with pauses in which its signals are anything."""
        for value in values:
            while self.generator.random() < 0.4:
                self.model["step"] = 0
                self.model["value"] = self.generator.getrandbits(WIDTH)
                self.model.step()
            self.model["step"], self.model["value"] = 1, value
            self.model.step()
            self.values.append(value)
        self.model["step"] = 0
        self.model.step()


def expected(
    values: list[int], start: int, mask: int, match: int, after: int
) -> tuple[int | None, int]:
    """Return the cycle of the trigger, and how many cycles are in the ring or were."""
    hits = (c for c, value in enumerate(values) if c >= start and (value ^ match) & mask == 0)
    trigger = next(hits, None)
    return trigger, len(values) if trigger is None else min(len(values), trigger + after + 1)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the module alone."""
    folder = tmp_path_factory.mktemp("ring")
    return goldengate.compile(
        [FILE], "firesim_capture", folder, clock="host_clock", reset="host_reset",
        parameters={"WIDTH": str(WIDTH), "LOG_DEPTH": str(LOG_DEPTH)},
    )  # fmt: skip


def test_the_ring_keeps_what_its_model_keeps(built: Path) -> None:
    generator = random.Random(seed())
    triggered = 0
    for _ in range(RUNS):
        with Model(built / "model.so") as model:
            ring = Ring(model, generator)
            assert ring.read(0x74) == WIDTH << 8 | LOG_DEPTH
            values = [generator.getrandbits(WIDTH) for _ in range(generator.randrange(MOST_CYCLES))]
            # Few bits, so that they are met often; at times none, which is a cycle for a trigger.
            places = generator.sample(range(WIDTH), generator.choice((0, 1, 4)))
            mask = sum(1 << place for place in places)
            match = generator.getrandbits(WIDTH)
            start = generator.choice((0, generator.randrange(MOST_CYCLES), (1 << 48) - 1))
            after = generator.randrange(1 << LOG_DEPTH)
            for space, value in ((MASK, mask), (MATCH, match)):
                ring.put(space, 0, value & WORD)
                ring.put(space, 1, value >> 64)
            ring.put(CONTROL, 0, start)
            ring.put(CONTROL, 1, after)
            ring.run(values)
            trigger, written = expected(values, start, mask, match, after)
            state, left = ring.at(CONTROL, 0), ring.at(CONTROL, 1)
            assert (state & (1 << 48) - 1, bool(state >> 63)) == (written, trigger is not None)
            if trigger is not None:
                triggered += 1
                assert written - 1 - (after - left) == trigger
            for cycle in range(max(0, written - (1 << LOG_DEPTH)), written):
                row = cycle % (1 << LOG_DEPTH)
                assert ring.at(RING, 0, row) | ring.at(RING, 1, row) << 64 == values[cycle]
    assert 0 < triggered < RUNS


def test_the_ring_is_block_memory_of_an_ecp5(tmp_path: Path) -> None:
    parameters = {"WIDTH": 64, "LOG_DEPTH": 10}
    counts = synthesize([FILE], "firesim_capture", "ecp5", tmp_path, parameters)
    print(counts.total)
    # 1,024 rows of 64 bits are four blocks of 16 or 18 kbit, and no register or table beside them.
    assert counts.cells["DP16KD"] == 4
    assert "TRELLIS_DPR16X4" not in counts.cells
    assert counts.cells["TRELLIS_FF"] < 64 * 4 + 200
