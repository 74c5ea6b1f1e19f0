# SPDX-License-Identifier: BSD-3-Clause
"""The reference of ring all-reduce: order of addition, values, and the law of messages."""

from __future__ import annotations

from dataclasses import replace

import numpy
import pytest

from regression.support.allreduce import Law, Ring, reduced, vector


def test_each_chunk_is_added_in_the_order_of_the_ring() -> None:
    large, small = 2.0**24, 1.0
    values = [[large, small], [small, small], [small, large]]
    vectors = [numpy.array(row + row[:1], dtype=numpy.float32) for row in values]
    # The small ones are lost one by one; from another rank on, two together would count.
    assert reduced(vectors).tolist() == [large, large, large]


def test_integers_wrap() -> None:
    top = numpy.full(2, 2**31 - 1, dtype=numpy.int32)
    assert reduced([top, top]).tolist() == [-2, -2]


@pytest.mark.parametrize("kind", ["int32", "fp32"])
def test_vectors_are_random_and_finite(kind: str) -> None:
    ring = Ring(nodes=4, bytes=1 << 16, type=kind)
    values = vector(ring, 1)
    assert values.size == (1 << 14) and numpy.isfinite(values).all()
    assert len(numpy.unique(values)) > 16_000
    assert not numpy.array_equal(values, vector(ring, 2))
    if kind == "fp32":
        tiny = numpy.finfo(numpy.float32).tiny
        assert (numpy.abs(values) < tiny).sum() > 20


def test_the_law_of_equal_links_is_a_product() -> None:
    law = Law(message_cycles=100, byte_cycles=0.5)
    for nodes in (2, 4, 16):
        ring = Ring(nodes=nodes, bytes=nodes * 64, latency_cycles=10)
        assert law.cycles(ring) == 2 * nodes * (100 + 20) + 2 * (nodes - 1) * 32


def test_a_late_link_is_passed_four_times_at_most() -> None:
    law = Law(message_cycles=100, byte_cycles=0)
    ring = Ring(nodes=8, bytes=512, latency_cycles=10)
    more = law.cycles(ring, {1: 1_000_000}) - law.cycles(ring)
    assert 4_000_000 <= more <= 6_000_000


def test_a_window_of_all_messages_is_a_power_of_two() -> None:
    ring = replace(Ring(nodes=8, bytes=8 * 4096), segment=1024)
    assert ring.messages == 56 and ring.by("sequenced").window == 64
    assert ring.by("core") == ring
