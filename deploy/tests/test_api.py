# SPDX-License-Identifier: BSD-3-Clause
"""`import firesim`: YAML and Python as one, errors with places, and runs beside each other."""

from __future__ import annotations

import io
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import firesim
import networkx
import pytest
from firesim.config.layers import RECIPES, yaml_names
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from rich.console import Console

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"


def _made(text: str) -> firesim.Run:
    names: dict[str, firesim.Run] = {}
    exec(compile(text, "made.py", "exec"), names)
    return names["run"]


@pytest.mark.parametrize("name", yaml_names(RECIPES))
def test_yaml_and_python_are_one(name: str) -> None:
    given = firesim.load(name)
    assert _made(given.python()) == given
    assert firesim.parse(_made(given.python()).yaml()) == given
    assert firesim.parse(given.yaml()).python() == given.python()
    assert given.changed({"system.link.latency_cycles": 77}) != given
    assert given.check().links == firesim.parse(given.yaml()).check().links


def test_import_takes_nothing_along_until_a_name_is_used() -> None:
    text = "import firesim, sys; print('pydantic' in sys.modules); firesim.load('rack_8')"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        firesim.lode  # noqa: B018


def test_a_graph_becomes_a_system() -> None:
    graph = networkx.Graph()
    graph.add_edge("a", 7, latency_cycles=40)
    graph.add_edge(7, 8)
    graph.add_edge(8, 1)
    system = firesim.System.of_graph(graph, node=firesim.Node(blade="rocket-1"))
    assert system.topology.nodes == ["a", "node1"]
    assert system.topology.switches == ["switch7", "switch8"]
    plan = firesim.Run(system=system, workload="hello").check()
    latencies = {link.name: link.latency_cycles for link in plan.links}
    assert latencies == {"a--switch7": 40, "switch7--switch8": 6400, "switch8--node1": 6400}
    graph.nodes[8]["kind"] = "router"
    with pytest.raises(firesim.InputError, match=r'test_api.py:\d+: vertex 8: found kind "router"'):
        firesim.System.of_graph(graph)


def test_errors_have_a_place(tmp_path: Path) -> None:
    place = rf"{Path(__file__).name}:\d+: "
    with pytest.raises(firesim.InputError, match=place + 'found "colour".*one of the keys'):
        firesim.Link(colour="red")  # type: ignore[call-arg]
    topology = firesim.Topology(named="two_nodes")
    with pytest.raises(firesim.InputError, match=place + r'workload.base: found "helo"'):
        firesim.Run(system=firesim.System(topology=topology), workload="helo")
    file = tmp_path / "mine.yaml"
    file.write_text("system:\n  topology: rack_8\n  link: {latency: 1}\n")
    with pytest.raises(firesim.InputError, match=r"mine.yaml:3: system.link.latency: found 1"):
        firesim.load(file)
    with pytest.raises(firesim.InputError, match="-x system.clock_hz=1: "):
        firesim.load("rack_8").changed({"system.clock_hz": 1})


def test_runs_beside_each_other_have_the_hashes_that_each_has_alone(
    traffic: MakeTraffic, results_root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = traffic(SHORT)
    alone = [
        run(load_file(config, [f"system.link.latency_cycles={cycles}"])).result["token_hash"]
        for cycles in (100, 150)
    ]
    capfd.readouterr()
    given = firesim.load(config)
    runs = [given.changed({"system.link.latency_cycles": cycles}) for cycles in (100, 150)]
    handlers = [signal.getsignal(number) for number in range(1, 32)]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda one: one.run(), runs))
    assert [one.result["token_hash"] for one in done] == alone and len(set(alone)) == 2
    assert [(one.folder / "report.html").is_file() for one in done] == [True, True]
    assert runs[0].run(results_root / "main").result["token_hash"] == alone[0]
    assert [signal.getsignal(number) for number in range(1, 32)] == handlers
    assert capfd.readouterr() == ("", "")


def test_no_handler_is_set_while_a_run_goes_on(
    traffic: MakeTraffic, results_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a signal handler was set")

    monkeypatch.setattr(signal, "signal", refuse)
    assert firesim.load(traffic(SHORT)).run().exit_status == 0


def test_each_run_of_a_program_has_its_own_port_for_prometheus(
    traffic: MakeTraffic, results_root: Path
) -> None:
    """Both are read while they go on, and the ports are closed with the runs."""
    any_port = {"simulation.monitoring.metrics_port": 0, "simulation.max_cycles": 3_000_000}
    given = firesim.load(traffic(ENDLESS)).changed(any_port)
    texts = [io.StringIO(), io.StringIO()]
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(run.run, console=Console(file=text, width=200))
            for run, text in zip([given, given.changed({"name": "other"})], texts, strict=True)
        ]
        done = [one.result() for one in runs]
    urls = [re.findall(r"http://127\.0\.0\.1:\d+/metrics", text.getvalue()) for text in texts]
    assert len(urls[0]) == len(urls[1]) == 1 and urls[0] != urls[1]
    assert done[0].result["token_hash"] == done[1].result["token_hash"]
    for (url,) in urls:
        with pytest.raises(OSError):
            urllib.request.urlopen(url, timeout=5)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = {"simulation.monitoring.metrics_port": taken.getsockname()[1]}
        with pytest.raises(firesim.InputError, match="Address already in use"):
            given.changed(port).run()
