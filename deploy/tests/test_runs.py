# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runs`: differences shown, tables exported, and only what is over removed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pandas
import pytest
from firesim.cli.main import app
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.compare import compare
from firesim.work.folder import record_of, save_record
from typer.testing import CliRunner

MakeTraffic = Callable[..., Path]
RUNNER = CliRunner()
TRAFFIC = "0 00:12:6D:00:00:03 64 repeat 3 0\n5000 00:12:6D:00:00:03 64\n"


@pytest.fixture
def two_runs(traffic: MakeTraffic, results_root: Path) -> tuple[Path, Path]:
    """Two runs of one configuration, the second with other threads and batches."""
    config = traffic(TRAFFIC)
    first = run(load_file(config), results=results_root / "one")
    second = run(
        load_file(config, ["simulation.random_batch_seed=7"]), results=results_root / "two"
    )
    return first.folder, second.folder


def test_runs_that_only_the_host_tells_apart_are_the_same(two_runs: tuple[Path, Path]) -> None:
    found = compare(*two_runs)
    assert [(one.section, one.key) for one in found] == [
        ("configuration", "simulation.random_batch_seed")
    ]
    assert compare(two_runs[0], two_runs[0]) == []
    same = RUNNER.invoke(app, ["runs", "compare", "one", "one", "--exit-code"])
    assert (same.exit_code, same.output.startswith("the same")) == (0, True)


def test_another_target_differs_in_what_it_did(
    two_runs: tuple[Path, Path],
    traffic: MakeTraffic,
    results_root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    config = traffic(TRAFFIC)
    run(load_file(config, ["system.link.latency_cycles=101"]), results=results_root / "three")
    words = ["runs", "compare", "one", "three"]
    shown = RUNNER.invoke(app, words)
    assert shown.exit_code == 0
    assert RUNNER.invoke(app, [*words, "--exit-code"]).exit_code == 1
    words_shown = "configuration system.link.latency_cycles token_hash differences"
    for word in (*words_shown.split(), "node1.statistics.first_arrival_cycle"):
        assert word in shown.output
    assert max(map(len, shown.output.splitlines())) <= 80
    listed = json.loads(RUNNER.invoke(app, ["runs", "compare", "one", "three", "--json"]).output)
    by_key = {one["key"]: (one["left"], one["right"]) for one in listed}
    assert by_key["system.link.latency_cycles"] == (100, 101)
    left, right = by_key["node1.statistics.first_arrival_cycle"]
    assert right - left == 2, "a frame crosses two links"


def test_tables_of_a_run_are_exported(two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["runs", "export", "one"])
    links = pandas.read_csv(two_runs[0] / "frames/links.csv")
    assert done.exit_code == 0 and str(two_runs[0] / "frames/links.csv") in done.output.splitlines()
    assert "stacks: no rows, no file" in done.output
    assert not (two_runs[0] / "frames/stacks.csv").exists()
    result = json.loads((two_runs[0] / "result.json").read_text())
    both = [result["links"][0][way]["flits"] for way in ("a_to_b", "b_to_a")]
    assert list(links["flits"])[:2] == both and sum(both) > 0
    chosen = ["--frame", "links", "--frame", "ports", "--to", str(tmp_path / "tables")]
    for kind in ("parquet", "json"):
        done = RUNNER.invoke(app, ["runs", "export", "one", "-f", kind, *chosen])
        assert done.exit_code == 0, done.output
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {
        *("links.parquet", "links.json", "ports.parquet", "ports.json"),
    }
    assert list(pandas.read_parquet(tmp_path / "tables/links.parquet")["hash"]) == list(
        links["hash"]
    )
    (first, *_) = json.loads((tmp_path / "tables/links.json").read_text())
    assert (first["flits"], first["latency_cycles"]) == (both[0], 100)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["one", "-f", "parket"], 'found "parket", expected .*parquet'),
        (["one", "--frame", "link"], 'found "link", expected .*did you mean "links"'),
        (["none"], 'found "none", expected a results folder or one of the runs'),
        (["one", "--to", "a-file/tables"], "a-file/tables: cannot be written: Not a directory"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_sentence(
    two_runs: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").touch()
    done = RUNNER.invoke(app, ["runs", "export", *words])
    assert done.exit_code == 2 and re.search(expected, done.output)
    assert not (two_runs[0] / "frames").exists()


def test_runs_are_listed_and_removed_when_they_are_over(
    two_runs: tuple[Path, Path], results_root: Path
) -> None:
    rows = json.loads(RUNNER.invoke(app, ["runs", "list", "--json"]).output)
    assert [row["run"] for row in rows] == ["one", "two"]
    assert len({row["token_hash"] for row in rows}) == 1
    assert rows[0]["token_hash"] in RUNNER.invoke(app, ["runs", "list"]).output
    save_record(two_runs[1], record_of(os.getpid()), None)
    refused = RUNNER.invoke(app, ["runs", "remove", "two", "--yes"])
    assert (refused.exit_code, "going on" in refused.output) == (2, True)
    assert RUNNER.invoke(app, ["runs", "remove", "one"], input="n\n").exit_code == 1
    assert two_runs[0].is_dir()
    assert RUNNER.invoke(app, ["runs", "remove", "--keep", "0", "--yes"]).exit_code == 0
    assert [path.name for path in results_root.iterdir()] == ["two"]


def test_what_is_no_run_is_not_removed(results_root: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/config.yaml").write_text("system: {}\n")
    refused = RUNNER.invoke(app, ["runs", "remove", str(tmp_path / "mine"), "--yes"])
    assert (refused.exit_code, (tmp_path / "mine/config.yaml").is_file()) == (2, True)
    assert "expected a results folder or one of the runs" in refused.output
