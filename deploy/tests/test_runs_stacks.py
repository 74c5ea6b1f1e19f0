# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runs stacks`: shares of two runs' call stacks, their pictures, and what is refused."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from firesim.cli.main import app
from firesim.report.difference_svg import colour, difference_svg
from firesim.report.stack_difference import changes, folded_difference
from firesim.work.folder import save_record
from typer.testing import CliRunner

RUNNER = CliRunner()
FIRST = {"hart0;main;copy": 60, "hart0;main": 20, "hart0;main;gone": 20}
SECOND = {"hart0;main;copy": 300, "hart0;main": 40, "hart0;main;new;copy": 60}
SVG = "{http://www.w3.org/2000/svg}"


def make_run(folder: Path, stacks: dict[str, dict[str, str]]) -> Path:
    """Write a results folder with folded stacks, by node and hart."""
    nodes = [{"name": name, "kind": "rtl", "bridges": {}} for name in stacks]
    for node, harts in stacks.items():
        (folder / node / "trace").mkdir(parents=True)
        for hart, text in harts.items():
            (folder / node / "trace" / f"{hart}.folded").write_text(text)
    folder.mkdir(exist_ok=True)
    (folder / "description.json").write_text(json.dumps({"nodes": nodes, "switches": []}))
    save_record(folder, None, None)
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    """Two runs of two nodes; the first node has tasks."""
    first = {"node0": {"hart0": "hart0;sh-41;a 75\nhart0;cat-42;b 25\n", "hart1": "hart1;c 7\n"}}
    second = {"node0": {"hart0": "hart0;sh-43/44;a 10\nhart0;sh-43;b 30\n", "hart1": "hart1;c 1\n"}}
    rest = {"node1": {"hart0": "hart0;main;x 5\n"}}
    made = [make_run(tmp_path / n, {**s, **rest}) for n, s in (("a", first), ("b", second))]
    return str(made[0]), str(made[1])


def test_shares_of_functions_and_not_their_cycles_are_compared() -> None:
    found = {one.name: one for one in changes(FIRST, SECOND)}
    assert found["copy"].own == (0.6, 0.9)
    assert found["main"].total == (1.0, 1.0)
    assert found["new"].total == (0.0, 0.15)
    assert found["gone"].own == (0.2, 0.0)
    assert [one.name for one in changes(FIRST, SECOND)][:3] == ["copy", "gone", "main"]
    assert list(folded_difference(FIRST, SECOND)) == [
        *("hart0;main 20 40", "hart0;main;copy 60 300", "hart0;main;gone 20 0"),
        "hart0;main;new;copy 0 60",
    ]


def boxes(svg: str) -> dict[str, tuple[float, str]]:
    """Return width and colour of each frame of a picture, by name."""
    found = {}
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        (box,) = group.findall(f"{SVG}rect")
        name = group.findtext(f"{SVG}title", "").partition(":")[0]
        found[name] = (round(float(box.attrib["width"]) + 0.3, 1), box.attrib["fill"])
    return found


def test_widths_are_of_one_run_and_colours_of_the_difference() -> None:
    second, first = (
        boxes(difference_svg(FIRST, SECOND, "t", by_first=which)) for which in (False, True)
    )
    assert "gone" not in second
    assert "new" not in first
    assert second["main"][0] == second["all"][0] == first["all"][0] == 1180
    assert first["gone"] == (1180 * 0.2, colour(-1)) == (236, "rgb(80,80,250)")
    assert first["copy"] == (1180 * 0.6, colour(1)) == (708, "rgb(250,80,80)")
    assert second["main"][1] == colour(-0.1)
    assert second["all"][1] == colour(0) == "#f4f4f4"


def test_names_of_guests_cannot_break_a_picture() -> None:
    name = "<script>&\x1b\"'\ud800"
    svg = difference_svg({name: 5}, {name: 5}, name).encode().decode()
    assert "<script" not in svg
    assert len(boxes(svg)) == 2


def test_nodes_harts_and_tasks_are_chosen(runs: tuple[str, str], tmp_path: Path) -> None:
    def folded(*words: str) -> list[str]:
        out = tmp_path / "out"
        done = RUNNER.invoke(app, ["runs", "stacks", *runs, "-o", str(out), *words])
        assert done.exit_code == 0, done.output
        return (out / "difference.folded").read_text().splitlines()

    assert folded("--node", "node1") == ["hart0;main;x 5 5"]
    assert folded("--hart", "1") == ["hart1;c 7 1"]
    assert folded("--task", "sh") == ["hart0;sh;a 75 10", "hart0;sh;b 0 30"]
    assert folded("--task", "sh", "--ids") == [
        *("hart0;sh-41;a 75 0", "hart0;sh-43/44;a 0 10", "hart0;sh-43;b 0 30"),
    ]
    assert len(folded()) == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--node", "nod0"], 'found "nod0", expected one of the traced nodes "node0" or "node1"'),
        (["--hart", "2"], 'found "hart2", expected one of the harts traced in {0} "hart0" or'),
        (["--task", "cat"], 'found "cat", expected one of the tasks traced in {1} "sh"'),
        (["--node", "node1", "--task", "sh"], "found --task sh, but {0} has no tasks"),
    ],
)
def test_what_is_not_there_is_refused(
    runs: tuple[str, str], words: list[str], message: str
) -> None:
    done = RUNNER.invoke(app, ["runs", "stacks", *runs, *words])
    assert done.exit_code == 2
    assert f"runs stacks: {message.format(*runs)}" in done.output.replace("\n", "")


def test_runs_without_stacks_are_refused(tmp_path: Path) -> None:
    empty = make_run(tmp_path / "empty", {})
    done = RUNNER.invoke(app, ["runs", "stacks", str(empty), str(empty)])
    assert done.exit_code == 2
    assert f"runs stacks: found no call stacks in {empty}, expected a run with" in done.output
    zero = make_run(tmp_path / "zero", {"node0": {"hart0": "main 0\nbroken\n"}})
    done = RUNNER.invoke(app, ["runs", "stacks", str(zero), str(zero)])
    assert f"found no cycles in the call stacks of {zero}" in done.output
