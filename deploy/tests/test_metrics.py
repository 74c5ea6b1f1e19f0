# SPDX-License-Identifier: BSD-3-Clause
"""Figures for Prometheus, scraped from real runs: they become those of the results."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from firesim.cli.main import app
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.run.again import attached, start_and_leave
from firesim.watch.metrics_server import MetricsServer, close_all, metrics_server
from firesim_common.errors import InputError
from rich.console import Console
from typer.testing import CliRunner

from regression.support.scrape import Scraped, scrape, scraping

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"
LIMIT = "simulation.max_cycles=400000"
ANY_PORT = "simulation.monitoring.metrics_port=0"


def farm_of(folder: Path, processes: int) -> str:
    """Write a farm of processes of this computer; return the override that runs on it."""
    path = folder / "farm.yaml"
    path.write_text(f"kind: local\nprocesses: {processes}\nfolder: {folder / 'hosts'}\n")
    return f'placement.run_farm="{path}"'


def check_end(last: Scraped, outcome: Outcome) -> None:
    """Compare what was scraped when the run was over with its results."""
    result = outcome.result
    assert last.value("firesim_target_cycles") == result["end_cycle"]
    assert last.value("firesim_target_clock_hertz") == outcome.plan.clock_hz
    for kind, models in (("node", result["nodes"]), ("switch", result["switches"])):
        for model in models:
            labels = {"model": model["name"], "kind": kind}
            assert last.value("firesim_model_cycles", **labels) == model["cycles"]
            failed = bool(model.get("exit_code"))
            assert last.value("firesim_model_failed", **labels) == failed
    for link in result["links"]:
        for direction in ("a_to_b", "b_to_a"):
            labels = {"link": link["name"], "direction": direction}
            for what in ("flits", "packets"):
                value = last.value(f"firesim_link_{what}_total", **labels)
                assert value == link[direction][what], (labels, what)


def check_on_the_way(answers: list[Scraped], end_cycle: int) -> None:
    """Check that what was scraped before only ever grew."""
    cycles = [answer.value("firesim_target_cycles") for answer in answers if answer.values]
    assert cycles == sorted(cycles) and cycles[-1] <= end_cycle


@pytest.mark.parametrize("processes", [0, 2])
def test_what_is_scraped_becomes_the_result(
    traffic: MakeTraffic, tmp_path: Path, results_root: Path, processes: int
) -> None:
    overrides = [LIMIT, ANY_PORT]
    if processes:
        overrides.append(farm_of(tmp_path, processes))
    with scraping() as scraper:
        outcome = run(load_file(traffic(ENDLESS), overrides), console=scraper.console)
    assert outcome.result["end_cycle"] == 400_000
    last = scraper.answers[-1]
    check_end(last, outcome)
    check_on_the_way(scraper.answers, 400_000)
    assert last.value("firesim_goal_cycles") == 400_000
    assert last.value("firesim_goal_seconds") == 0
    hosts = {f"local{i}" for i in range(processes)} or {socket.gethostname()}
    assert last.labels("firesim_host_load", "host") == hosts
    assert last.labels("firesim_model_cycles", "host") == hosts
    for host in hosts:
        assert last.value("firesim_simulator_resident_bytes", host=host) > 1 << 20
        assert last.value("firesim_simulator_threads", host=host) >= 1
    plain = run(load_file(traffic(ENDLESS), [LIMIT]))
    assert outcome.result["token_hash"] == plain.result["token_hash"]


def test_a_run_that_is_attached_is_scraped(
    traffic: MakeTraffic, tmp_path: Path, results_root: Path
) -> None:
    loaded = load_file(traffic(ENDLESS), [LIMIT, farm_of(tmp_path, 2)])
    left = start_and_leave(loaded, None, Console(quiet=True))
    with scraping() as scraper:
        outcome = attached(left.folder, scraper.console, [ANY_PORT])
    check_end(scraper.answers[-1], outcome)
    assert scraper.answers[-1].value("firesim_run_info", folder=str(left.folder)) == 1


def test_only_this_computer_is_answered() -> None:
    try:
        server = metrics_server(0)
        assert metrics_server(0) is server
        port = server.port
        assert scrape(server.url).values == {}
        with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):
            pass
    finally:
        close_all()
    with pytest.raises(OSError):
        urllib.request.urlopen(server.url, timeout=5)


def test_a_port_in_use_is_refused_before_anything_starts(
    traffic: MakeTraffic, results_root: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        override = f"simulation.monitoring.metrics_port={port}"
        with pytest.raises(InputError) as caught:
            run(load_file(traffic(SHORT), [override]))
        with pytest.raises(InputError):
            MetricsServer(port)
    assert str(caught.value) == (
        f"simulation.monitoring.metrics_port: port {port} of 127.0.0.1 cannot be opened "
        "(Address already in use), expected a free one, or 0 for any free one."
    )
    assert not results_root.exists()


def test_a_run_that_is_left_alone_opens_no_port(
    traffic: MakeTraffic, tmp_path: Path, results_root: Path
) -> None:
    """The one that attaches to it does."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = f"simulation.monitoring.metrics_port={taken.getsockname()[1]}"
        loaded = load_file(traffic(SHORT), [farm_of(tmp_path, 1), port])
        left = start_and_leave(loaded, None, Console(quiet=True))
        with pytest.raises(InputError, match="Address already in use"):
            attached(left.folder, Console(quiet=True))
    try:
        assert attached(left.folder, Console(quiet=True)).reason == "ended"
    finally:
        close_all()


@pytest.mark.parametrize(
    ("option", "text", "expected"),
    [
        ("--metrics-port", "many", "from 0 to 65,535"),
        ("--metrics-port", "65536", "from 0 to 65,535"),
        ("--metrics-port", "-1", "from 0 to 65,535"),
        ("--eta-cycle", "0", "from 1 to 9,223,372,036,854,775,807"),
        ("--eta-cycle", "1ms", "from 1 to 9,223,372,036,854,775,807"),
    ],
)
@pytest.mark.parametrize("command", ["runworkload", "attach"])
def test_what_is_no_number_is_refused(
    results_root: Path, command: str, option: str, text: str, expected: str
) -> None:
    words = {"runworkload": ["-c", "quickstart"], "attach": ["some-folder"]}[command]
    done = CliRunner().invoke(app, [command, *words, option, text])
    assert (done.exit_code, done.stderr) == (
        2,
        f'{option}: found "{text}", expected a whole number {expected}.\n',
    )
    assert not results_root.exists()
