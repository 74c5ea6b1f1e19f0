# SPDX-License-Identifier: BSD-3-Clause
"""functional-oracle: one random program on all machines but the RTL, and that faults show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from regression.oracles.functional_oracle import compare, run_functional
from regression.support.experiment import ExperimentError
from regression.support.functional_hart import runner
from regression.support.random_programs.machines import build


def test_one_program_agrees(tmp_path: Path) -> None:
    found = compare(runner(), build(1010, tmp_path, segments=6, rounds=2))
    assert found.problems == []
    assert found.events > 2_000


def test_a_wrong_final_state_is_reported(tmp_path: Path) -> None:
    program = build(7, tmp_path, segments=2, pieces=10, rounds=1)
    other = build(8, tmp_path, segments=2, pieces=10, rounds=1)
    program.for_rocket.write_bytes(other.for_rocket.read_bytes())
    problems = compare(runner(), replace(program, end=other.end)).problems
    assert any("QEMU" in problem for problem in problems)


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    program = build(9, tmp_path, segments=1, pieces=5, rounds=1)
    program.for_rocket.write_bytes(b"no ELF file")
    with pytest.raises(ExperimentError, match="not an ELF file"):
        run_functional(runner(), program)
