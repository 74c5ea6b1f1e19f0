# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the ZStd unit's compressor: its frames are the library's to read."""

from __future__ import annotations

import os
import random

from regression.oracles.snappy import WINDOWS
from regression.support.corpus import KINDS, corpus
from regression.support.zstd_bench import CASES, FILE, data, lines
from regression.support.zstd_compressor import blocks, compressed
from regression.support.zstd_frames import library_reads


def test_the_file_of_the_chisel_test_is_the_references() -> None:
    assert FILE.read_text().splitlines() == lines()


def test_the_library_reads_what_the_reference_makes() -> None:
    seed = int(os.environ.get("FIRESIM_TEST_SEED", random.randrange(1 << 31)))
    print(f"FIRESIM_TEST_SEED={seed}")
    rng = random.Random(seed)
    for index in range(200):
        content = corpus(KINDS[index % 4], int(2 ** (rng.random() * 13)) - 1, rng)
        content += bytes(rng.choices(range(rng.randint(1, 256)), k=rng.randint(0, 400)))
        frame = compressed(content, rng.choice(WINDOWS), rng.randint(9, 14))
        assert library_reads(frame, len(content)) == content
    for seed, letters, size, window, table in CASES:
        content = data(seed, letters, size)
        assert library_reads(compressed(content, window, table), size) == content


def test_blocks_end_before_their_buffers_do() -> None:
    words = [bytes([i % 256, i // 256, 7, 9]) for i in range(5_000)]
    rng = random.Random(7)
    content = b"".join(words) + b"".join(rng.choice(words) for _ in range(9_000))
    found = blocks(content, 16, 14)
    assert b"".join(block.content for block in found) == content
    assert all(len(block.literals) < 1 << 15 for block in found)
    assert max(len(block.sequences) for block in found) <= 4_096
