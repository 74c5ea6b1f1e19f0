# SPDX-License-Identifier: BSD-3-Clause
"""The reference for paging: the tables and numbers that a program's pages hold in the end."""

from __future__ import annotations

import struct
from itertools import islice

from regression.support.paging import BASES, PAGE_WORDS, SLOT_WORDS, Paging, _table, digest_of
from regression.support.splitmix import draws
from regression.support.target_digest import digest


def test_numbers_are_sorted() -> None:
    paging = Paging("software", "quicksort", 2, 10, seed=7)
    numbers = sorted(islice(draws(7), 2 * PAGE_WORDS))
    assert digest_of(paging) == digest(struct.pack(f"<{len(numbers)}Q", *numbers), 0)


def test_a_genome_is_read_out_of_its_table() -> None:
    paging = Paging("software", "genome", 2, 10, kmers=100, seed=3)
    words = _table(paging)
    behind = dict(zip(words[::SLOT_WORDS], words[1::SLOT_WORDS], strict=True))
    drawn = [word >> 2 * i & 3 for word in islice(draws(3), 4) for i in range(32)]
    kmer = 0
    for base in drawn[:BASES]:
        kmer = kmer << 2 | base
    read = []
    while (base := behind[kmer + 1]) < 4:
        read.append(base)
        kmer = (kmer << 2 | base) & ((1 << 2 * BASES) - 1)
    assert read == drawn[BASES : BASES + 99]


def test_pages_are_numbered() -> None:
    words = [0] * PAGE_WORDS + [1] + [0] * (PAGE_WORDS - 1)
    expected = digest(struct.pack(f"<{len(words)}Q", *words), 0)
    assert digest_of(Paging("hardware", "touch", 2, 10)) == expected
