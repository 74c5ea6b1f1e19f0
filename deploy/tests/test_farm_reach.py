# SPDX-License-Identifier: BSD-3-Clause
"""Ways from the manager into nodes that hosts of a farm simulate, and what stays on such hosts."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from firesim.access.door import door_of, wait_until_open
from firesim.config.loaded import Loaded
from firesim.farm import left
from firesim.farm.up import farm_of, up
from firesim.hosts.agent import Agent
from firesim.hosts.client import HostClient, HostError, sha256_of
from firesim.pipeline.collect import collect
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import make_ready
from firesim.remote import simulators
from firesim.run.again import attached, start_and_leave
from firesim.run.attach import found_again
from firesim.run.reach import reached
from firesim_common.errors import InputError
from rich.console import Console

MakeTraffic = Callable[..., Path]
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"
QUIET = Console(quiet=True)
COMMAND = [sys.executable, "-P", "-m", "firesim.cli.main"]
LIMIT_S = 120.0


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A farm of two processes on this computer, with a folder of the test's own."""
    path = tmp_path / "lab.yaml"
    path.write_text(f"kind: local\nprocesses: 2\nfolder: {tmp_path / 'hosts'}\n")
    return path


def on(lab: Path, traffic: MakeTraffic, *overrides: str) -> Loaded:
    return load_file(traffic(ENDLESS), [f'placement.run_farm="{lab}"', *overrides])


@pytest.fixture
def gateway_run(lab: Path, traffic: MakeTraffic, results_root: Path) -> Iterator[Path]:
    """A run that nobody watches, whose gateway is on its second host; its nodes answer nothing."""
    ssh = "{node: node1, port: 22, name: ssh}"
    gateway = f"system.gateway={{forwards: [{ssh}], latency_cycles: 2000}}"
    parts = "placement.parts={gateway: local1, node0: local0, tor0: local0}"
    loaded = on(lab, traffic, gateway, parts, "system.link.latency_cycles=2000")
    found = start_and_leave(loaded, None, QUIET)
    yield found.folder
    found_again(found.folder).stop()


def test_the_gateway_of_another_host_is_reached_through_it(gateway_run: Path) -> None:
    assert not (gateway_run / "gateway.json").exists(), "nobody has fetched it"
    door = door_of(gateway_run, "node1")
    assert (door.there, door.host) == ("local1", "127.0.0.1")
    with reached(gateway_run, "local1") as reach:
        status = json.loads(reach.text("gateway.json") or "")
        assert door.port == status["forwards"][0]["host_port"] > 0
        assert reach.text("none.json") is None
        with reach.log("status-local1.jsonl") as log:
            begin = log.read(9)
            assert begin.startswith(b'{"') and len(begin) == 9
            assert log.seek(0, os.SEEK_END) > 9
        with reach.log("not-yet.log") as log:
            assert log.read(9) == b""
    with pytest.raises(InputError, match=r"node1: found no answer from its ssh server within 0.5"):
        wait_until_open(door, 0.5)
    with pytest.raises(InputError, match='found "node9", expected one of the nodes with ssh'):
        door_of(gateway_run, "node9")
    words = ["ssh", "--run", str(gateway_run), "--wait", "0.5", "node1"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, "no answer from its ssh server" in done.stderr) == (2, True)


def test_a_run_without_a_gateway_says_so_wherever_it_is(
    lab: Path, traffic: MakeTraffic, results_root: Path
) -> None:
    found = start_and_leave(on(lab, traffic), None, QUIET)
    try:
        with pytest.raises(InputError, match="found no gateway in this run, expected one"):
            door_of(found.folder, "node1")
        words = ["console", "--run", str(found.folder), "node1"]
        done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
        assert (done.returncode, "one of the nodes with a console" in done.stderr) == (2, True)
    finally:
        found_again(found.folder).stop()


def test_a_network_interface_needs_its_host(lab: Path, traffic: MakeTraffic) -> None:
    tap = "system.gateway={mode: tap, device: tap0}"
    with pytest.raises(InputError, match=r"expected that host in placement.parts: {gateway: HOST}"):
        make_ready(resolve(on(lab, traffic, tap)), None, QUIET)


def test_a_folder_that_stayed_on_a_lost_host_goes_at_the_next_connection(
    lab: Path,
    traffic: MakeTraffic,
    results_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(left, "cache_root", lambda: tmp_path / "cache")
    found = start_and_leave(on(lab, traffic, "simulation.max_cycles=1000000"), None, QUIET)
    (place,) = tmp_path.glob("hosts/local1/runs/*")
    record = json.loads((place / "process.json").read_text())
    os.killpg(record["pid"], signal.SIGKILL)
    real, away = HostClient.remove, [place.name]

    def remove(self: HostClient, run: str) -> None:
        """Fail as long as the run's host is away."""
        if (self.name, run) == ("local1", *away):
            raise HostError("local1: away")
        real(self, run)

    monkeypatch.setattr(HostClient, "remove", remove)
    outcome = attached(found.folder, QUIET)
    away.clear()
    assert outcome.exit_status in (0, 1) and place.is_dir()
    other = place.with_name("other")
    other.mkdir()
    for ready in up(farm_of(lab)[1]):
        ready.client.close()
    assert not place.exists()
    assert list(tmp_path.glob("hosts/*/runs/*")) == [other], "it is not noted"
    assert list((tmp_path / "cache").rglob("*.json")) == []


def test_what_is_noted_for_a_host_that_is_not_there_stays_noted(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left, "cache_root", lambda: tmp_path / "cache")
    left.note("one", lab, {"local1", "local7"})
    other = tmp_path / "other" / lab.name
    left.note("other", other, {"local1"})
    for ready in up(farm_of(lab)[1]):
        ready.client.close()
    files = {path.stem: json.loads(path.read_text()) for path in tmp_path.rglob("cache/*/*.json")}
    assert files == {
        "one": {"farm": str(lab), "hosts": ["local7"]},
        "other": {"farm": str(other), "hosts": ["local1"]},
    }


def test_nobody_waits_for_a_simulator_that_could_not_start(
    lab: Path, traffic: MakeTraffic, results_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One whose ports are taken fails at once; without the manager the other waits for 60 s."""
    monkeypatch.setattr(simulators, "OTHERS_S", 1e9)
    parts = "placement.parts={node0: local0, tor0: local1}"
    loaded = on(lab, traffic, "placement.resume=never", parts, "simulation.max_cycles=100000")
    ready = make_ready(resolve(loaded), None, QUIET)
    places = json.loads((ready.folder / "description.json").read_text())["processes"]
    first = places[0]  # The second one comes to it.
    taken = [socket.create_server((first["host"], first["port"] + i)) for i in range(len(places))]
    outcome = collect(ready, QUIET)
    for one in taken:
        one.close()
    assert (outcome.exit_status, outcome.reason) == (3, "error")
    assert first["name"] in outcome.message, outcome
    said = (ready.folder / f"run-{places[1]['name']}.log").read_text()
    assert "60" not in said, "it was ended, and did not find out by itself"


def test_a_content_is_on_the_disk_before_its_host_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent(str(tmp_path))
    agent.hello({})
    content = tmp_path / "content"
    content.write_bytes(b"some" * 1000)
    steps: list[str] = []
    real_sync, real_rename = os.fsync, Path.rename

    def sync(descriptor: int) -> None:
        place = Path(f"/proc/self/fd/{descriptor}").readlink()
        steps.append("folder" if place.is_dir() else f"{place.stat().st_size} bytes")
        real_sync(descriptor)

    def rename(self: Path, target: Path) -> Path:
        steps.append("name")
        return real_rename(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "rename", rename)
    agent.put({"hash": sha256_of(content)}, iter([content.read_bytes()]))
    assert steps == ["4000 bytes", "name", "folder"]
