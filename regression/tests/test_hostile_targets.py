# SPDX-License-Identifier: BSD-3-Clause
"""Each newer target of `hostile` can fail: with a guard taken away it finds a defect by seed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from regression.robustness.hostile import network_side, results_side
from regression.robustness.hostile.python_side import Target, alone, case_of, try_cases

ANY_NAME = re.compile(r".*", re.DOTALL)
LINK = {"a": {"model": "node0", "port": 0}, "b": {"model": "switch0"}, "latency_cycles": 2000}
RESULTS = {
    "description.json": {
        "clock_hz": 3_200_000_000,
        "nodes": [{"name": "node0", "kind": "functional", "bridges": {"uart": {"log": "x"}}}],
        "switches": [{"name": "switch0", "switching_latency_cycles": 10, "ports": [{}]}],
        "links": [LINK],
    },
    "result.json": {"reason": "ended", "end_cycle": 1000, "wall_s": 1.5, "nodes": [], "links": []},
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a results folder of three files."""
    folder = tmp_path_factory.mktemp("base")
    (folder / "config.yaml").write_text("name: x\n")
    for name, value in RESULTS.items():
        (folder / name).write_text(json.dumps(value))
    return folder


def _target(base: Path, name: str) -> Target:
    return Target(name, *{**results_side.takers(base), **network_side.takers()}[name])


def _first(target: Target, cases: int, folder: Path) -> str:
    """Return what the target says of the first case that is a defect."""
    for seed in range(1, cases + 1):
        if wrong := alone(target, case_of(target, seed), folder / "case")[1]:
            return f"{seed}: {wrong}"
    return ""


def _unexplained(model: Any, source: Any) -> Any:
    return model.model_validate(source.data)


def _anything(*_: Any, **__: Any) -> None:
    """Let everything pass."""


PLANTED: dict[str, tuple[str, Any, str]] = {
    "results": ("firesim.report.shape.check", _anything, "Error"),
    "hwdb": ("firesim.bitstream.database.checked", _unexplained, "ValidationError"),
    "builds": ("firesim.config.bitstream.checked", _unexplained, "ValidationError"),
    "bucket": ("firesim.snapshots.bucket.PLAIN", ANY_NAME, "outside of the target|no plain files"),
    "listing": ("firesim.snapshots.bucket.UNREADABLE", (), "Error"),
    "metrics": ("firesim.watch.metrics_door._NUMBERS", ANY_NAME, "a defect of the server"),
}
"""What is put in the place of a guard, and what is said then."""
FEW, MOST = 20, 400
"""Cases with the guard, and without it."""


@pytest.mark.parametrize("name", PLANTED)
def test_a_guard_that_is_gone_is_reported(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    guard, instead, said = PLANTED[name]
    target = _target(base, name)
    tally = try_cases(target, 1, FEW, tmp_path / "case")
    assert (tally.cases, tally.findings) == (FEW, [])
    monkeypatch.setattr(guard, instead)
    found = _first(target, MOST, tmp_path)
    assert re.search(said, found), found
    monkeypatch.undo()
    seed = int(found.split(":")[0])
    assert alone(target, case_of(target, seed), tmp_path / "case")[1] == ""
