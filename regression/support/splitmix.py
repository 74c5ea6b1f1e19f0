# SPDX-License-Identifier: BSD-3-Clause
"""SplitMix64, which programs draw by, too (Steele, Lea and Flood, 2014)."""

from __future__ import annotations

from collections.abc import Iterator

_MASK = (1 << 64) - 1


def draws(seed: int) -> Iterator[int]:
    """Yield numbers of 64 bits without end."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
        yield z ^ z >> 31
