# SPDX-License-Identifier: BSD-3-Clause
"""The frame of the experiments: verdict line, exit status, files, refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from firesim.suite.experiments import SLOW_STATUS
from firesim_common.tools import ToolError

from regression.support.cluster import merged
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    run_experiment,
)
from regression.support.plotting import new_figure, save_figure


def run(body: object, folder: Path, *more: str) -> int:
    return run_experiment("demo", "doc", ["--results", str(folder), *more], body)  # type: ignore[arg-type]


def test_what_holds_ends_with_ok(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(lambda x: Verdict(True, "5 of 5", "5 of 5"), tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "demo: 5 of 5 ok"


def test_what_falls_short_names_its_goal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(lambda x: Verdict(False, "90 Gb/s", "100 Gb/s"), tmp_path, "--quick") == 1
    assert capsys.readouterr().out.splitlines()[-1] == "demo: 90 Gb/s short of 100 Gb/s"
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["holds"] is False and figures["quick"] is True
    assert figures["host"]["cores"] >= 1


def test_only_a_host_too_slow_has_its_own_exit_status(tmp_path: Path) -> None:
    slow = Verdict(False, "110 ms", "100 ms", timed_only=True)
    assert run(lambda x: slow, tmp_path / "slow") == SLOW_STATUS == 3
    held = Verdict(True, "90 ms", "100 ms", timed_only=True)
    assert run(lambda x: held, tmp_path / "held") == 0


@pytest.mark.parametrize("error", [ExperimentError, ToolError])
def test_a_failed_run_is_no_success(
    error: type[Exception], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def body(experiment: Experiment) -> Verdict:
        raise error("the simulator fell over")

    assert run(body, tmp_path) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "the simulator fell over" in lines
    assert re.fullmatch(r"demo: did not run to its end, short of a complete run", lines[-1])


def test_results_are_never_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old").write_text("")
    assert run(lambda x: Verdict(True, "", ""), tmp_path) == 2
    assert "expected an empty folder" in capsys.readouterr().err


def test_tables_and_plots_are_kept(tmp_path: Path) -> None:
    def body(experiment: Experiment) -> Verdict:
        experiment.table("Round trips", ["name", "time (cycles)"], [["a,b", 5], ['c"d', 6]])
        figure, axes = new_figure()
        axes.plot([1, 2], [3, 4])
        save_figure(figure, experiment.folder, "plot")
        return Verdict(True, "", "")

    assert run(body, tmp_path) == 0
    text = (tmp_path / "round_trips.csv").read_text()
    assert text == 'name,time (cycles)\n"a,b",5\n"c""d",6\n'
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_merging_leaves_its_arguments_alone() -> None:
    base = {"a": {"b": 1, "c": [1]}, "d": 2}
    assert merged(base, {"a": {"b": 5}, "e": {}}) == {"a": {"b": 5, "c": [1]}, "d": 2, "e": {}}
    assert base == {"a": {"b": 1, "c": [1]}, "d": 2}
