# SPDX-License-Identifier: BSD-3-Clause
"""The reference for HyperLogLog, against values computed with another program (mmh3)."""

from __future__ import annotations

import hashlib

import numpy

from regression.support.hll import REGISTERS, Stream, hashes, keys_of, raw_estimate, registers_of

GOLDEN_HASHES = [0xE6D98FAF7DEF3B0E, 0xC22829E2B54952AD, 0x493137ADCF131144, 0x328BE64DF9237D99]


def test_hashes_are_the_known_ones() -> None:
    found = hashes(keys_of(Stream("sequence", 4)))
    assert found.tolist() == GOLDEN_HASHES


def test_registers_of_a_million_keys_are_the_known_ones() -> None:
    registers = registers_of(keys_of(Stream("sequence", 1 << 20)))
    assert hashlib.sha256(registers).hexdigest().startswith("1d6feaf899df07c9")
    assert max(registers) == 20
    assert round(raw_estimate(registers), 1) == 1_041_361.4


def test_registers_are_those_of_a_loop() -> None:
    keys = keys_of(Stream("random", 301, seed=3))
    expected = bytearray(REGISTERS)
    for found in hashes(keys).tolist():
        low = found & 0xFFFFFF
        rank = (low & -low).bit_length() if low else 63
        expected[found >> 48] = max(expected[found >> 48], rank)
    assert registers_of(keys) == bytes(expected)


def test_few_distinct_keys_are_below_their_number() -> None:
    keys = keys_of(Stream("random", 1_000, seed=5, distinct=3))
    assert numpy.unique(keys).tolist() == [0, 1, 2]
