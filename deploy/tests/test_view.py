# SPDX-License-Identifier: BSD-3-Clause
"""The live page of real runs: what it shows is in the results, and it changes no target cycle."""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.cli.main import app
from firesim.pipeline.load import load_file, load_text
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.units import target_time
from firesim.view.chosen import viewed_folder
from firesim_common.errors import InputError
from rich.console import Console
from typer.testing import CliRunner

from regression.support.live_page import serving

MakeTraffic = Callable[..., Path]
ENDLESS = "0 00:12:6D:00:00:03 1500 repeat 4000000000 300\n"
LIVE = "simulation.max_cycles=3000000000"
SHORT = "simulation.max_cycles=3000000"
LIVE_S = 2.0
"""A page of a run that has begun must show it within this time."""
COUNTED = """\
name: counted
system: {topology: rack_1, node: {memory: {size_mib: 16}}}
workload: {node: {program: hello}}
simulation:
  max_cycles: 20000
  autocounter: {enabled: true, interval_cycles: 1000}
"""


def got(url: str) -> bytes:
    """Return what is at an address."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        return bytes(answer.read())


def told(url: str) -> Iterator[dict[str, Any]]:
    """Yield what a page is told, to the end of the run."""
    with urllib.request.urlopen(f"{url}events", timeout=30) as answer:
        for line in answer:
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def test_a_run_that_is_over_is_shown_as_its_result(
    traffic: MakeTraffic, results_root: Path
) -> None:
    outcome = run(load_file(traffic(ENDLESS), [SHORT]), console=Console(quiet=True))
    with serving(outcome.folder) as server:
        (news,) = told(server.url)
        page = got(server.url).decode()
    found, result = news["run"], outcome.result
    assert found["over"] and found["state"] == "max cycles" and found["tone"] == "warn"
    assert found["detail"] == f"token hash {result['token_hash']}"
    assert found["target"] == target_time(result["end_cycle"], outcome.plan.clock_hz)
    models = [one["name"] for one in (*result["nodes"], *result["switches"])]
    assert list(news["models"]) == models
    about = json.loads(page.partition('id="about">')[2].partition("</script>")[0])
    assert about["models"] == models
    sent = {link["name"]: link for link in result["links"]}["node0--tor0"]["a_to_b"]["flits"]
    share = sent / result["end_cycle"]
    assert share > 0.3
    # Both lines begin at their node: up from node0, down to the other one.
    assert news["lines"][0] == pytest.approx([share, 0], abs=0.01)
    assert news["lines"][1] == pytest.approx([0, share], abs=0.01)
    assert news["pulls"] == [] and news["waits"] == []
    assert [len(row) for row in news["hosts"]] == [7]
    assert page.count('<g class="link"') == len(news["lines"])
    assert page.count('<g class="box') == len(news["boxes"]) == 3
    assert f"{100 * share:.0f} %" in news["links"][0][1]


def _run_beside(path: Path, results: Path) -> tuple[threading.Thread, list[Outcome]]:
    """Begin a run in a thread; its outcome will be in the list."""
    outcomes: list[Outcome] = []

    def go() -> None:
        loaded = load_file(path, [LIVE])
        outcomes.append(run(loaded, results=results, console=Console(quiet=True)))

    thread = threading.Thread(target=go)
    thread.start()
    return thread, outcomes


def test_a_run_is_shown_while_it_goes_on_and_stays_as_it_is(
    traffic: MakeTraffic, results_root: Path
) -> None:
    path = traffic(ENDLESS)
    alone = run(load_file(path, [LIVE]), console=Console(quiet=True))
    folder = results_root / "watched"
    thread, outcomes = _run_beside(path, folder)
    while not (folder / "run.json").exists():
        assert thread.is_alive()
        time.sleep(0.01)
    begun_s = time.monotonic()
    seen: list[dict[str, Any]] = []
    with serving(folder) as server:
        for news in told(server.url):
            if not seen and news["run"]["cycle"]:
                assert time.monotonic() - begun_s < LIVE_S
            if news["run"]["cycle"]:
                seen.append(news)
    thread.join()
    running = [news["run"] for news in seen if not news["run"]["over"]]
    cycles = [one["cycle"] for one in running]
    assert len(set(cycles)) >= 2 and cycles == sorted(cycles)
    assert any(0 < one["share"] < 1 and "left" in one["progress"] for one in running)
    assert any(max(line) > 0.3 for news in seen[:-1] for line in news.get("lines", []))
    assert seen[-1]["run"]["over"]
    (outcome,) = outcomes
    assert seen[-1]["run"]["cycle"] == outcome.result["end_cycle"]
    assert outcome.result["token_hash"] == alone.result["token_hash"]


def test_counters_are_those_of_the_file(results_root: Path) -> None:
    outcome = run(load_text(COUNTED), console=Console(quiet=True))
    with serving(outcome.folder) as server:
        shown = json.loads(got(f"{server.url}counters?node=node0"))
        said = json.loads(got(f"{server.url}console?node=node0&from=0"))
        with pytest.raises(urllib.error.HTTPError, match="404"):
            got(f"{server.url}counters?node=node1")
    lines = (outcome.folder / "node0/counters.csv").read_text().splitlines()
    *_, before, last = [line.split(",") for line in lines if not line.startswith("#")]
    assert shown["cycle"] == f"cycle {int(last[0]):,}"
    assert [row[1] for row in shown["rows"]] == [f"{int(value):,}" for value in last[1:]]
    passed = int(last[0]) - int(before[0])
    grown = [1000 * (int(b) - int(a)) / passed for a, b in zip(before[1:], last[1:], strict=True)]
    shown_rates = [float(row[2].replace(",", "")) for row in shown["rows"]]
    assert shown_rates == pytest.approx(grown, rel=0.01)
    assert said["lines"] + said["open_line"] == (outcome.folder / "node0/uart.log").read_text()


def test_the_newest_run_is_shown_when_none_runs(results_root: Path) -> None:
    with pytest.raises(InputError, match="view: found no run, expected one"):
        viewed_folder(None, lambda text: None)
    for name in ("2026-01-01-a", "2026-01-02-b"):
        (results_root / name).mkdir(parents=True)
        (results_root / name / "run.json").write_text("{}")
    assert viewed_folder(None, lambda text: None).name == "2026-01-02-b"
    assert viewed_folder("2026-01-01-a", lambda text: None).name == "2026-01-01-a"
    with pytest.raises(InputError, match='view: .*"2026-01-02-c".*2026-01-02-b'):
        viewed_folder("2026-01-02-c", lambda text: None)


def test_a_folder_without_a_description_is_refused(results_root: Path) -> None:
    folder = results_root / "empty"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    before = os.getpriority(os.PRIO_PROCESS, 0)
    answer = CliRunner().invoke(app, ["view", str(folder)])
    assert answer.exit_code == 2
    assert "description.json" in answer.output
    assert os.getpriority(os.PRIO_PROCESS, 0) == before  # else all later tests run behind others
