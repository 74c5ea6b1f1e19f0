# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C at every line of what makes a results folder: no folder stays of which nobody knows."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from firesim.pipeline.run import _folder


class _Used(Exception):
    """The folder was made, and what used it failed."""


def _interrupted(at_line: int, results: Path | None) -> bool:
    """Make a folder with Ctrl-C at the `at_line`-th line that runs; return whether it came."""
    left = at_line

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= event == "line"
        if left == 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    try:
        sys.settrace(trace)
        with _folder("interrupted", results, None):
            sys.settrace(before)
            raise _Used
    except KeyboardInterrupt:
        return True
    except _Used:
        return False
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("explicit", [True, False])
def test_no_folder_stays_wherever_ctrl_c_comes(
    explicit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "results"
    root.mkdir()
    monkeypatch.setenv("FIRESIM_RESULTS", str(root))
    results = root / "named" if explicit else None
    lines = 0
    while True:
        lines += 1
        came = _interrupted(lines, results)
        assert not list(root.iterdir()), f"after line {lines}"
        if not came:
            break
    assert lines > 20


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    lines = 1
    while _interrupted(lines, tmp_path):
        assert tmp_path.is_dir(), f"after line {lines}"
        lines += 1
    assert lines > 10 and tmp_path.is_dir()
