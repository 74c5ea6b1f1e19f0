# SPDX-License-Identifier: BSD-3-Clause
"""How thousands of cases of a unit beside a core are spread over programs."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from regression.support.near_core_runs import NODES, batches


@dataclass(frozen=True)
class Sized:
    """A case of which nothing but its source matters."""

    source: bytes


@pytest.mark.parametrize("seed", range(20))
def test_programs_hold_all_cases_in_order_and_are_about_as_large(seed: int) -> None:
    rng = random.Random(seed)
    cases = [Sized(bytes(int(2 ** (rng.random() * 12)))) for _ in range(rng.randint(1, 900))]
    most = rng.choice((8_000, 40_000, 1_000_000))
    programs = batches(cases, most)
    assert [case for program in programs for case in program] == cases
    sizes = [sum(len(case.source) + 48 for case in program) for program in programs]
    assert max(sizes) <= most
    if sum(sizes) <= most:
        assert len(programs) == 1
    else:
        assert max(sizes) - min(sizes[:-1]) <= 2 * 4_144
        assert len(programs) >= NODES - 1


def test_a_case_that_is_too_large_has_a_program_alone() -> None:
    cases = [Sized(bytes(10)), Sized(bytes(5_000)), Sized(bytes(10))]
    assert [len(program) for program in batches(cases, 1_000)] == [1, 1, 1]
