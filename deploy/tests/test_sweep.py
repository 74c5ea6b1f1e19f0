# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: points, one table, failures, resuming after being killed, and builds done once."""

from __future__ import annotations

import csv
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from firesim.cli.main import app
from firesim.pipeline import run as pipeline
from firesim.pipeline.load import load_file
from firesim.sweep.folder import SweepFolder, make, opened
from firesim.sweep.go import Settings, go
from firesim.sweep.plot import numbers
from firesim.sweep.points import axes_of, grid, short_names
from firesim.work.folder import is_alive, load_simulator, record_of, save_record
from firesim_common.cache import built
from firesim_common.errors import InputError
from firesim_common.tools import python_command
from rich.console import Console
from typer.testing import CliRunner

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"
QUIET = Console(quiet=True)
LATENCY, SWITCHING = "system.link.latency_cycles", "system.switch.switching_latency_cycles"
LIMIT_S = 120.0


SWITCH = "{kind: mine, library: mine.cc}"
OWN_SWITCH = """\
#include "switch/kinds/cut_through/cut_through.h"
#include "switch/make_switch.h"

FIRESIM_MODELS(registry) {
  registry.add(firesim::ModelRole::kSwitch, "mine",
               firesim::make_switch<firesim::CutThroughSwitch>);
}
"""


def _swept(config: Path, axes: dict[str, list[Any]], jobs: int = 2) -> SweepFolder:
    made = make(load_file(config), axes, None)
    go(made, Settings(jobs, reports=False), QUIET)
    return made


def _table(folder: Path) -> list[dict[str, str]]:
    with (folder / "sweep.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_values_become_points() -> None:
    axes, fixed = axes_of(["a.b=1,2", "c=x", "d=[1, 2],[3]", 'e="p,q"', "f=2us, 4us", "g={h: 1}"])
    assert axes == {"a.b": [1, 2], "d": [[1, 2], [3]], "f": ["2us", "4us"]}
    assert fixed == ["c=x", 'e="p,q"', "g={h: 1}"]
    points = grid(axes)
    assert len(points) == 8 and points[0].name == "point-01"
    assert points[1].overrides() == ["a.b=1", "d=[1, 2]", 'f="4us"']
    assert points[1].words() == "b=1, d=[1, 2], f=4us"
    assert short_names(["a.x.n", "b.n", "c"]) == {"a.x.n": "x.n", "b.n": "b.n", "c": "c"}
    assert numbers(["500ns", "2 us"]) == ([0.5, 2.0], "µs")
    assert numbers(["b", "a", "b"]) == ([0, 1, 0], None)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a=1"], "found no key with several values"),
        (["a=1,2", "a=3,4"], "found a twice, expected all its values in one -x"),
        (["a=1", "a=3,4"], "found a twice"),
        (["a=1,2,1"], "a: found 1 twice, expected each value once"),
        ([f"a={','.join(map(str, range(200)))}", f"b={','.join(map(str, range(51)))}"], "10,200"),
    ],
)
def test_values_that_make_no_sweep_are_refused(given: list[str], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        grid(axes_of(given)[0])


def test_points_have_the_hashes_of_runs_alone(traffic: MakeTraffic, results_root: Path) -> None:
    config = traffic(SHORT)
    made = _swept(config, {LATENCY: [100, 150], SWITCHING: [10, 11]})
    alone = []
    for point in made.points:
        outcome = pipeline.run(load_file(config, point.overrides()))
        alone.append((outcome.result["token_hash"], str(outcome.result["end_cycle"])))
    table = _table(made.path)
    assert [(row["token_hash"], row["end_cycle"]) for row in table] == alone
    assert len(set(alone)) == 4
    assert [(row[LATENCY], row[SWITCHING]) for row in table] == [
        *(("100", "10"), ("100", "11"), ("150", "10"), ("150", "11")),
    ]
    assert {row["state"] for row in table} == {"passed"}
    svg = (made.path / "sweep.svg").read_text()
    assert svg.startswith("<?xml") and "switching_latency_cycles=11" in svg


def test_a_point_that_fails_does_not_end_the_others(
    traffic: MakeTraffic, results_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler fails for one point; it alone is done again when the sweep is resumed."""
    build = vars(pipeline)["build"]

    def failing(bound: Any, folder: Path, steps: Any) -> Any:
        if folder.name == "point-02":
            raise InputError("no such tool")
        return build(bound, folder, steps)

    monkeypatch.setattr(pipeline, "build", failing)
    made = _swept(traffic(SHORT), {LATENCY: [100, 110, 120]})
    rows = _table(made.path)
    assert [row["state"] for row in rows] == ["passed", "error", "passed"]
    assert (rows[1]["message"], rows[1]["token_hash"]) == ("no such tool", "")
    monkeypatch.setattr(pipeline, "build", build)
    begun: list[str] = []
    noted = SweepFolder.note

    def note(folder: SweepFolder, point: Any, came: Any) -> None:
        begun.append(point.name)
        noted(folder, point, came)

    monkeypatch.setattr(SweepFolder, "note", note)
    go(opened(made.path), Settings(2, reports=False), QUIET)
    assert begun == ["point-02"]
    assert [row["state"] for row in _table(made.path)] == ["passed"] * 3


def test_what_all_points_need_is_built_once(traffic: MakeTraffic, results_root: Path) -> None:
    """A switch that was never compiled before; all points begin at the same time."""
    config = traffic(SHORT)
    (config.parent / "mine.cc").write_text(f"// {time.time_ns()}\n{OWN_SWITCH}")
    config.write_text(config.read_text().replace("  node:", f"  switch: {SWITCH}\n  node:"))
    before = Counter(built)
    made = _swept(config, {LATENCY: [100, 110, 120]}, jobs=3)
    assert built - before == Counter({"models": 1})
    assert [row["state"] for row in _table(made.path)] == ["passed"] * 3


def test_a_wrong_point_is_refused_before_anything_starts(
    traffic: MakeTraffic, results_root: Path
) -> None:
    config = str(traffic(SHORT))
    result = CliRunner().invoke(app, ["sweep", "-c", config, "-x", f"{LATENCY}=100,0"])
    assert result.exit_code == 2 and not results_root.exists()
    assert re.search(
        r"^point-02 \(latency_cycles=0\): -x system.link.latency_cycles=0: ", result.output
    )


def test_a_folder_has_one_sweep(traffic: MakeTraffic, results_root: Path, tmp_path: Path) -> None:
    config, axes = traffic(SHORT), {LATENCY: [100, 110]}
    made = make(load_file(config), axes, tmp_path / "mine")
    assert make(load_file(config), axes, tmp_path / "mine") == made == opened(made.path)
    with pytest.raises(InputError, match="found another sweep in .*mine"):
        make(load_file(config), {LATENCY: [100, 120]}, tmp_path / "mine")
    with pytest.raises(InputError, match="found another sweep in .*mine"):
        make(load_file(config, [f"{SWITCHING}=11"]), axes, tmp_path / "mine")
    with pytest.raises(InputError, match="found no sweep.json in"):
        opened(tmp_path)
    with (
        made.locked(),
        pytest.raises(InputError, match="another process that simulates the points"),
    ):
        go(made, Settings(), QUIET)


def _command(config: Path, folder: Path) -> subprocess.Popen[str]:
    values = ",".join(str(100 + 10 * number) for number in range(10))
    return subprocess.Popen(
        python_command(
            *("-m", "firesim.cli.main", "sweep", "-c", str(config), "-j", "2"),
            *("-x", f"{LATENCY}={values}", "-x", f"{SWITCHING}=10,11", "--results", str(folder)),
            *("-x", "simulation.max_cycles=6000000"),
        ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for(found: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + LIMIT_S
    while not found():
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.02)


def _records(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("point-*.json")}


def _has(folder: Path, least: int) -> bool:
    return len(_records(folder)) >= least


def _simulators(folder: Path) -> list[Any]:
    records = [load_simulator(one.parent) for one in folder.glob("point-*/run.json")]
    return [one for one in records if one is not None and is_alive(one)]


def test_twenty_points_killed_twice_are_one_table(
    traffic: MakeTraffic, results_root: Path, tmp_path: Path
) -> None:
    """Once by Ctrl-C and once with no chance to clean up; what is done is not done again."""
    config, folder = traffic(ENDLESS), tmp_path / "mine"
    done: dict[str, int] = {}
    for least, number in ((2, signal.SIGINT), (5, signal.SIGKILL)):
        process = _command(config, folder)
        _wait_for(partial(_has, folder, least), process)
        _wait_for(lambda: bool(_simulators(folder)), process)
        process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT_S)
        limit = time.monotonic() + LIMIT_S
        while _simulators(folder):
            assert time.monotonic() < limit
            time.sleep(0.02)
        kept = _records(folder)
        assert done.items() <= kept.items() and least <= len(kept) < 20
        done = kept
        if number == signal.SIGINT:
            assert process.returncode == 130
            assert f"to go on: firesim sweep --resume {folder}" in said
            assert len([row for row in _table(folder) if row["token_hash"]]) == len(done)
    made = opened(folder)
    go(made, Settings(2, reports=False), QUIET)
    now = _records(folder)
    assert done.items() <= now.items() and len(now) == 20
    rows = _table(folder)
    assert [row["state"] for row in rows] == ["max_cycles"] * 20
    assert len({row["token_hash"] for row in rows}) == 20
    for at in (0, 19):
        outcome = pipeline.run(made.loaded(made.points[at]))
        assert outcome.result["token_hash"] == rows[at]["token_hash"]


_WAITING = """
import sys
from pathlib import Path
from firesim.sweep.folder import SweepFolder, opened
from firesim.sweep.go import Settings, go
from rich.console import Console
locked = SweepFolder.locked
def waiting(folder):
    print("about to lock", flush=True)
    sys.stdin.readline()
    return locked(folder)
SweepFolder.locked = waiting
go(opened(Path(sys.argv[1])), Settings(2, reports=False), Console(quiet=True))
"""
"""A sweep of a folder that is held up just before it takes the lock."""


def test_a_point_is_never_done_by_two_sweeps(
    traffic: MakeTraffic, results_root: Path, tmp_path: Path
) -> None:
    """One process comes to its lock, another does all points meanwhile: nothing is left to do."""
    made = make(load_file(traffic(SHORT)), {LATENCY: [100, 110]}, tmp_path / "mine")
    late = subprocess.Popen(
        python_command("-c", _WAITING, str(made.path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert late.stdout is not None and late.stdout.readline() == "about to lock\n"
    words = ("-m", "firesim.cli.main", "sweep", "--resume", str(made.path))
    other = subprocess.run(python_command(*words), capture_output=True, text=True, timeout=LIMIT_S)
    assert other.returncode == 0, other.stderr
    done = _records(made.path)
    assert len(done) == 2
    late.communicate("\n", timeout=LIMIT_S)
    assert late.returncode == 0 and _records(made.path) == done


def test_a_point_that_was_left_running_is_ended_as_the_message_says(
    traffic: MakeTraffic, results_root: Path
) -> None:
    made = make(load_file(traffic(SHORT)), {LATENCY: [100]}, None)
    folder = made.results(made.points[0])
    folder.mkdir()
    with subprocess.Popen(["sleep", "600"]) as left:
        threading.Thread(target=left.wait, daemon=True).start()
        save_record(folder, record_of(left.pid), None)
        with pytest.raises(InputError, match="still running, expected that it is over") as caught:
            made.clear(made.points[0])
        (words,) = re.findall(r"firesim (.*) ends it", str(caught.value))
        assert left.poll() is None
        assert CliRunner().invoke(app, words.split()).exit_code == 0
        assert left.wait(LIMIT_S) == -signal.SIGTERM
    made.clear(made.points[0])
    assert not folder.exists()
