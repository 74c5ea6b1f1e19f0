# SPDX-License-Identifier: BSD-3-Clause
"""Data by a rule, and the frames that the ZStd unit is to make of them, for its Chisel bench.

`python -m regression.support.zstd_bench` writes the file. A line has seed, letters, bytes, log2 of
the window, log2 of the hash table; then the bytes of the frame and its SHA-256.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from firesim_common.paths import ROOT

from regression.support.zstd_compressor import compressed

FILE: Path = ROOT / "target-design/peripherals/src/test/resources/zstd_compressed.txt"
_FACTOR, _STEP, _MASK = 6364136223846793005, 1442695040888963407, (1 << 64) - 1
CASES = (
    (1, 1, 0, 16, 14),
    (2, 9, 1, 16, 14),
    (3, 9, 5, 16, 14),
    (4, 1, 300, 16, 14),
    (5, 30, 63, 16, 14),
    (6, 30, 64, 16, 14),
    (7, 3, 255, 11, 9),
    (8, 12, 256, 16, 14),
    (9, 40, 257, 12, 10),
    (10, 64, 1_000, 16, 14),
    (11, 256, 1_500, 16, 14),
    (12, 2, 4_000, 16, 14),
    (13, 90, 4_000, 13, 11),
    (14, 140, 6_000, 16, 14),
    (15, 200, 9_000, 16, 12),
    (16, 256, 12_000, 16, 14),
    (17, 100, 34_000, 16, 14),
    (18, 1, 70_000, 16, 14),
    (20, 250, 67_000, 16, 14),
    (98, 256, 70, 16, 14),
)


def data(seed: int, letters: int, size: int) -> bytes:
    """Return literals, the first letters more often, and copies; more of these for odd seeds."""
    out = bytearray()
    state = seed
    copies = 8 if seed % 2 else 40
    while len(out) < size:
        state = (state * _FACTOR + _STEP) & _MASK
        draw = state >> 33
        if draw % copies == 0 and out:
            back = 1 + (draw >> 9) % min(len(out), 60_000)
            for _ in range(3 + (draw >> 3) % 40):
                out.append(out[-back])
        else:
            out.append((draw >> 3) % letters * ((draw >> 16) % letters) // letters)
    return bytes(out[:size])


def lines() -> list[str]:
    """Return the file."""
    found = []
    for seed, letters, size, window, table in CASES:
        frame = compressed(data(seed, letters, size), window, table)
        digest = hashlib.sha256(frame).hexdigest()
        found.append(f"{seed} {letters} {size} {window} {table} {len(frame)} {digest}")
    return found


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("\n".join(lines()) + "\n")
