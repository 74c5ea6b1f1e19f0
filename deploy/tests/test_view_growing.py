# SPDX-License-Identifier: BSD-3-Clause
"""What grows on the live page: how fast counters come all over a run, and flame graphs."""

from __future__ import annotations

import csv
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.report.flamegraph import flame_data, merge_folded
from firesim.run.control import is_running
from firesim.view.counters import SERIES_POINTS, read_series
from firesim.view.flames import flame
from firesim.view.server import ViewServer
from firesim_software.builder import own_program
from rich.console import Console

from regression.support.live_page import ECHO, going, serving, until

TRACED = """\
name: traced
system: {topology: rack_1, node: {memory: {size_mib: 16}}}
workload: {node: {program: hello}}
simulation:
  max_cycles: 20000
  tracing: {enabled: true}
  autocounter: {enabled: true, interval_cycles: 1000}
"""


def asked(server: ViewServer, place: str) -> dict[str, Any]:
    """Return what a page is told at a place."""
    with urllib.request.urlopen(server.url + place, timeout=20) as answer:
        value: dict[str, Any] = json.loads(answer.read())
    return value


def test_a_page_shows_the_stacks_and_counters_of_a_run(results_root: Path) -> None:
    folder = run(load_text(TRACED), console=Console(quiet=True)).folder
    with serving(folder) as server:
        shown = asked(server, "flame?node=node0")
        again = asked(server, f"flame?node=node0&seen={shown['version']}")
        points = asked(server, "series?node=node0&counter=1")["points"]
        for place in ("flame?node=x", "series?node=x&counter=0", "series?node=node0&counter=-1"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                asked(server, place)
        assert asked(server, "series?node=node0&counter=99999") == {"points": []}
    files = sorted((folder / "node0/trace").glob("*.folded"))
    assert shown["frames"] == json.loads(flame_data(merge_folded(files)))
    assert shown["frames"]["cycles"][0] > 1000
    assert again == {"version": shown["version"]}
    with (folder / "node0/counters.csv").open() as stream:
        rows = list(csv.reader(line for line in stream if line[0] != "#"))[1:]
    cycles, totals = [int(row[0]) for row in rows], [int(row[2]) for row in rows]
    expected = [
        [cycles[i], 1000 * (totals[i] - totals[i - 1]) / (cycles[i] - cycles[i - 1])]
        for i in range(1, len(rows))
    ]
    assert len(points) >= len(rows) // 2 and all(point in expected for point in points)
    assert points[-1] == expected[-1] or points[-1] == expected[-2]


def test_stacks_and_counters_are_there_while_the_run_goes_on(
    tmp_path: Path, results_root: Path
) -> None:
    source = tmp_path / "echo.c"
    source.write_text(ECHO)
    elf = own_program([source], tmp_path / "echo.elf")
    config = TRACED.replace("program: hello", f"elf: {elf}")
    with (
        going(tmp_path / "run", config, "simulation.max_cycles=4000000000"),
        serving(tmp_path / "run") as server,
    ):
        until(lambda: "frames" in asked(server, "flame?node=node0"), "the first stacks")
        first = asked(server, "flame?node=node0")
        until(lambda: asked(server, "counters?node=node0")["rows"] != [], "the first counters")
        grown = f"flame?node=node0&seen={first['version']}"
        until(lambda: "frames" in asked(server, grown), "more stacks")
        later = asked(server, "flame?node=node0")["frames"]["cycles"][0]
        assert is_running(tmp_path / "run")
    assert later > first["frames"]["cycles"][0] > 0
    names = {file.name for file in (tmp_path / "run/node0/trace").iterdir()}
    assert names == {"hart0.folded"}


def test_a_series_is_bounded_and_of_whole_rows(tmp_path: Path) -> None:
    file = tmp_path / "counters.csv"
    lines = [f"{1000 * index},{7 * index}\n" for index in range(1, 5000)]
    file.write_text("# a comment\ncycle,a.x\n" + "".join(lines) + "9999999,1")
    points = read_series(file, 0)
    assert SERIES_POINTS // 2 < len(points) <= SERIES_POINTS
    assert {rate for _, rate in points} == {7.0}
    assert read_series(file, 1) == [] and read_series(tmp_path / "none", 0) == []
    for text in ("", "cycle,x\n", "cycle,x\n5,1\n", "cycle,x\n5,1\n5,2\n", "cycle,x\nno,row\n\0"):
        file.write_text(text)
        assert read_series(file, 0) == []


def test_stacks_that_grow_come_again_and_those_of_others_never(tmp_path: Path) -> None:
    run_folder, outside = tmp_path / "run", tmp_path / "outside"
    trace = run_folder / "trace"
    trace.mkdir(parents=True)
    outside.mkdir()
    assert flame(None, run_folder, "")["words"] == "No call stack is written yet."
    assert flame(trace, run_folder, "")["words"] == "No call stack is written yet."
    (trace / "hart0.folded").write_text("hart0;main 7\nhart0;<b> 3\nhalf")
    first = flame(trace, run_folder, "")
    assert first["frames"]["names"] == ["all", "hart0", "main", "<b>"]
    (trace / "hart0.folded").write_text("hart0;main 9\n")
    second = flame(trace, run_folder, first["version"])
    assert second["frames"]["cycles"] == [9, 9, 9]
    (outside / "x.folded").write_text("secret 5\n")
    (trace / "x.folded").symlink_to(outside / "x.folded")
    assert flame(trace, run_folder, second["version"]) == {"version": second["version"]}
