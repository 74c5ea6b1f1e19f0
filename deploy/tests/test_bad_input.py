# SPDX-License-Identifier: BSD-3-Clause
"""Every broken input is refused before anything starts, with exactly the expected sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from regression.robustness.bad_input.case import CONFIG, Case
from regression.robustness.bad_input.cases import all_cases
from regression.robustness.bad_input.refusal import expected, message_of, write_case

CASES = all_cases()


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.name.replace(" ", "-") for case in CASES])
def test_message(case: Case, tmp_path: Path) -> None:
    assert message_of(case, tmp_path) == expected(case)


def test_the_command_prints_the_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == "zero latency")
    write_case(case, tmp_path)
    results = tmp_path / "results"
    done = subprocess.run(
        [sys.executable, "-m", "firesim.cli.main", "runworkload", "-c", CONFIG],
        cwd=tmp_path,
        env={**os.environ, "FIRESIM_RESULTS": str(results)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected(case) + "\n")
    assert not results.exists()
