"""What `firesim test` does with an experiment."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.run import suite
from firesim.run.experiments import experiments


def test_without_its_tool_an_experiment_is_skipped_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun: list[list[str]] = []

    def logged(command: list[str], log: Path, limit_s: float | None = None) -> int:
        begun.append(command)
        return 0

    monkeypatch.setattr(suite, "_logged", logged)
    monkeypatch.setattr(suite, "LOGS", tmp_path)
    (tmp_path / "experiment-engine-profile.log").write_text("engine-profile: 2.0 ok\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    skipped = suite.quick_experiment("engine-profile")
    assert (skipped.passed, skipped.failed, begun) == (0, 0, [])
    assert "valgrind is not installed" in skipped.detail
    (tmp_path / "valgrind").write_text("#!/bin/sh\n")
    (tmp_path / "valgrind").chmod(0o755)
    assert suite.quick_experiment("engine-profile").passed == len(begun) == 1


def test_optional_tools_are_those_of_experiments() -> None:
    assert set(suite.OPTIONAL_TOOLS) <= set(experiments())
