# SPDX-License-Identifier: BSD-3-Clause
"""The live page of a sweep: its table while points go on, and the page of each point's run."""

from __future__ import annotations

import csv
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from firesim.pipeline.load import load_file
from firesim.sweep.folder import PASSED, SWEEP, Came, SweepFolder, make
from firesim.sweep.go import Settings, go
from firesim.view.chosen import viewed
from firesim.view.server import ViewServer
from firesim.view.swept import ViewedSweep
from firesim_common.errors import InputError
from rich.console import Console

from regression.support.live_page import act, posted

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
LATENCY = "system.link.latency_cycles"
MARKUP = "</script><img src=x onerror=alert(1)>"


def got(server: ViewServer, place: str) -> str:
    """Return what is at a place."""
    with urllib.request.urlopen(server.url + place, timeout=20) as answer:
        return bytes(answer.read()).decode()


def table(server: ViewServer, seen: str = "") -> dict[str, Any]:
    """Return the table of the sweep."""
    value: dict[str, Any] = json.loads(got(server, f"table?seen={seen}"))
    return value


@pytest.fixture
def swept(traffic: MakeTraffic, results_root: Path) -> SweepFolder:
    """A sweep of which no point has begun."""
    config = load_file(traffic(SHORT), ["simulation.max_cycles=200000"])
    return make(config, {LATENCY: [100, 200, 400]}, None)


def test_the_table_is_that_of_the_sweep(swept: SweepFolder) -> None:
    with ViewServer(viewed(swept.path.name, 0, print), 0) as server:
        before = table(server)
        assert not before["over"] and before["summary"].startswith("0 of 3")
        assert all(not row["page"] for row in before["rows"])
        assert table(server, before["version"]) == {"version": before["version"]}
        with pytest.raises(urllib.error.HTTPError, match="404"):
            got(server, "point-01/")
        go(swept, Settings(1, reports=False), Console(quiet=True))
        after = table(server, before["version"])
        run_page = got(server, "point-02/")
        told = got(server, "point-02/events")
        assert "the run is over" in act(server, "point-02/snapshot", name="late")
    with (swept.path / "sweep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert after["over"] and after["summary"] == "3 of 3 points are over, 0 of them not passed"
    assert [row["look"] for row in after["rows"]] == ["passed"] * 3
    latency = after["columns"].index("latency_cycles")
    token_hash = after["columns"].index("token hash")
    shown = [(row["cells"][latency], row["cells"][token_hash]) for row in after["rows"]]
    assert shown == [(row[LATENCY], row["token_hash"]) for row in rows]
    assert len({row["token_hash"] for row in rows}) == 3
    assert "point-02" in run_page and rows[1]["token_hash"] in told


def test_a_sweep_is_named_by_its_path_or_its_name(swept: SweepFolder, tmp_path: Path) -> None:
    for name in (swept.path.name, str(swept.path)):
        found = viewed(name, 0, print)
        assert isinstance(found, ViewedSweep) and found.folder == swept.path
    with pytest.raises(InputError, match='view: found "no-sweep"'):
        viewed("no-sweep", 0, print)


def test_what_went_wrong_with_a_point_stays_text(swept: SweepFolder) -> None:
    swept.note(swept.points[0], Came("error", MARKUP))
    swept.note(swept.points[1], Came(PASSED, end_cycle=7))
    with ViewServer(ViewedSweep(swept.path), 0) as server:
        page, told = got(server, ""), table(server)
    assert "onerror" not in page and "innerHTML" not in page
    first, second, _ = told["rows"]
    assert (first["look"], first["message"], second["look"]) == ("failed", MARKUP, "passed")
    assert told["summary"] == "2 of 3 points are over, 1 of them not passed"


def test_nothing_outside_of_the_sweep_is_served(swept: SweepFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "description.json").write_text('{"nodes": [{"name": "secret"}]}')
    (swept.path / "point-01").symlink_to(outside)
    with ViewServer(ViewedSweep(swept.path), 0) as server:
        for place in ("point-01/", "point-09/", "../point-01/", "point-01/../", "x/", "/"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                got(server, place)
        for name in ("type", "snapshot", "point-01/type", "point-09/peek"):
            assert posted(server, name, b"{}") == (404, "Not Found")
    with pytest.raises(InputError, match="found no axes"):
        (swept.path / SWEEP).write_text("[]")
        ViewedSweep(swept.path)
