# SPDX-License-Identifier: BSD-3-Clause
"""Calls drawn of a fleet's sizes: each class has its share, and the same seed the same calls."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from regression.support.call_sizes import MOST_LOG, call_sizes

FORMATS = [(form, way) for form in ("snappy", "zstd") for way in ("compress", "decompress")]


@pytest.mark.parametrize(("form", "way"), FORMATS)
def test_sizes_rise_and_stay_below_the_largest(form: str, way: str) -> None:
    for most_log in (8, 13, MOST_LOG):
        sizes = call_sizes(form, way, 50, random.Random(1), most_log)
        assert len(sizes) == 50
        assert all(less <= more for less, more in pairwise(sizes))
        assert 1 <= sizes[0] <= 200
        assert 1 << most_log - 2 < sizes[-1] <= 1 << most_log


def test_classes_have_their_published_shares() -> None:
    # Of 9,629 published calls of up to 64 KiB, 1,434 have 2,049 to 4,096 bytes, 404 above 32,768.
    sizes = call_sizes("snappy", "compress", 9_629, random.Random(2))
    assert abs(sum(2_048 < size <= 4_096 for size in sizes) - 1_434) <= 2
    assert abs(sum(size > 32_768 for size in sizes) - 404) <= 2
    # Published bytes a call of the last class: 47,211.
    large = [size for size in sizes if size > 32_768]
    assert sum(large) / len(large) == pytest.approx(47_211, rel=0.03)


def test_a_seed_names_its_calls() -> None:
    first, again, other = (
        call_sizes("zstd", "decompress", 20, random.Random(seed)) for seed in (5, 5, 6)
    )
    assert first == again != other
