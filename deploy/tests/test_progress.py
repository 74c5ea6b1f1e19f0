# SPDX-License-Identifier: BSD-3-Clause
"""What is said while something is built for the first time: its steps, time spent and expected."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest
from firesim.work.steps import Steps
from firesim_common import progress
from firesim_common.cache import cached, content_key
from firesim_common.progress import Step, listening, step
from rich.console import Console


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path))
    monkeypatch.setattr(progress, "WORTH_KEEPING_S", 0.0)
    return tmp_path


def test_a_step_is_expected_to_take_what_it_took(cache: Path) -> None:
    told: list[tuple[str, float | None, bool]] = []
    with listening(lambda one, is_over: told.append((one.what, one.expected_s, is_over))):
        with step("boiling", 30):
            time.sleep(0.06)
        with step("boiling", 30):
            pass
    with step("boiling"):
        pass
    assert [(what, is_over) for what, _, is_over in told] == [("boiling", x) for x in (0, 1, 0, 1)]
    assert told[0][1] == 30
    assert told[2][1] is not None and 0.05 < told[2][1] < 20
    (cache / progress.TIMES).write_text("[torn")
    with (
        listening(lambda one, is_over: told.append((one.what, one.expected_s, is_over))),
        pytest.raises(OSError, match="spilt"),
        step("boiling", 30),
    ):
        raise OSError("spilt")
    assert told[-1] == ("boiling", 30, True)
    assert (cache / progress.TIMES).read_text() == "[torn"


def test_only_a_step_on_about_as_much_foretells_one_that_has_a_size(cache: Path) -> None:
    told: list[float | None] = []
    with listening(lambda one, is_over: told.append(one.expected_s)):
        for size_bytes in (3000, 4000, 5000, 12_000_000, None):
            with step("compiling mine", size_bytes=size_bytes):
                time.sleep(0.06)
    begun = [expected is not None for expected in told[::2]]
    assert begun == [False, True, False, False, False]


def test_the_cache_tells_what_takes_long(cache: Path) -> None:
    told: list[str] = []
    with listening(lambda one, is_over: told.append(one.what)):
        for _ in range(2):
            cached("linux-kernel", ["x"], lambda folder: None)
        cached("program", ["x"], lambda folder: None)
    assert told == ["compiling the kernel"] * 2  # begun and over, once


def test_what_a_killed_build_leaves_goes_with_the_next_one(cache: Path) -> None:
    key = content_key(["x"])
    for name in (f".{key}.abcdefgh", ".0123.abcdefgh"):
        (cache / "program" / name).mkdir(parents=True)
        (cache / "program" / name / "half").touch()
    cached("program", ["x"], lambda folder: (folder / "whole").touch())
    left = {path.name for path in (cache / "program").iterdir() if path.is_dir()}
    assert left == {key, ".0123.abcdefgh"}  # that may be being built


def test_a_log_has_a_line_for_each_step() -> None:
    out = io.StringIO()
    with Steps(Console(file=out, width=80)).step("building the blade mine"):
        cached("rocket", ["x"], lambda folder: None)
        cached("rtl", ["x"], lambda folder: None)
    assert out.getvalue() == "elaborating the SoC: about 60 s\njoining SoC and parts: about 5 s\n"


def test_a_terminal_shows_time_spent_and_expected() -> None:
    out = io.StringIO()
    steps = Steps(Console(file=out, width=100, force_terminal=True))
    with steps.step("building the blade mine"), step("compiling [the] model", 120):
        time.sleep(0.3)
        line = steps.__rich__().replace("\\", "")
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", out.getvalue())
    assert line == "building the blade mine; compiling [the] model, 0 s of about 120 s"
    assert line in shown


def test_a_step_says_what_it_has_taken() -> None:
    late = Step("waiting", None, time.monotonic() - 7)
    assert str(late) == "waiting, 7 s"
