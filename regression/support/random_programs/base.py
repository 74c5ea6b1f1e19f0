# SPDX-License-Identifier: BSD-3-Clause
"""Random registers, values and labels: what all pieces of rtl-oracle's programs draw from."""

from __future__ import annotations

import random
from typing import ClassVar

_NAMES = (
    "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
    "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6"
).split()
_RESERVED = {"zero", "sp", "gp", "a7", "t6"}


class Base:
    """The random source and what is drawn from it."""

    FREE: ClassVar[list[str]] = [name for name in _NAMES if name not in _RESERVED]
    """Registers a piece may change."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._labels = 0

    def number(self, name: str) -> int:
        """Return the number of a register."""
        return _NAMES.index(name)

    def reg(self, avoid: str = "") -> str:
        """Return a free register, more often one that compressed instructions can name."""
        while True:
            compressed = self.rng.random() < 0.4
            name = _NAMES[self.rng.randint(8, 15)] if compressed else self.rng.choice(self.FREE)
            if name != avoid:
                return name

    def label(self) -> str:
        """Return a new label."""
        self._labels += 1
        return f".L{self._labels}"

    def immediate(self) -> int:
        """Return a 12-bit immediate, more often a small one."""
        return (
            self.rng.randint(-32, 31) if self.rng.random() < 0.4 else self.rng.randint(-2048, 2047)
        )

    def offset(self, size: int) -> int:
        """Return an aligned offset from sp into the random data."""
        if self.rng.random() < 0.4:
            return size * self.rng.randint(0, 31)
        return size * self.rng.randint(-2048 // size, (2048 - size) // size)

    def value(self) -> int:
        """Return 64 random bits, often with few ones or at a boundary."""
        kind = self.rng.random()
        if kind < 0.3:
            return (1 << self.rng.randint(0, 63)) - self.rng.randint(0, 2)
        return self.rng.getrandbits(64) if kind < 0.7 else self.rng.randint(-1000, 1000)
