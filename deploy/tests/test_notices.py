# SPDX-License-Identifier: BSD-3-Clause
"""Spot notices: what a host's metadata service says, and the snapshot that answers it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.hosts.answers import Notice
from firesim.hosts.channel import HostLost, LocalLink
from firesim.hosts.client import HostClient, HostError
from firesim.hosts.host import Host
from firesim.remote import notices
from firesim.remote.notices import TRIES, Notices

from regression.support.hosts.metadata import ACTION, NOTICE, TOKEN, Service

GOES = f"spot notice for lab1, terminate at {NOTICE['time']}: the run is"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service("127.0.0.1", 0, tmp_path / "notice") as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[HostClient]:
    host = HostClient("lab1", LocalLink(), str(tmp_path / "host"))
    yield host
    host.close()


def address(service: Service) -> str:
    return f"http://127.0.0.1:{service.server_port}"


def test_a_host_learns_that_it_is_taken_away(
    client: HostClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # It must not be asked.
    stays = Notice("", "", "")
    assert [client.notice(address(service)) for _ in range(2)] == [stays, stays]
    service.tokens.clear()  # As when they are too old.
    assert client.notice(address(service)) == stays
    service.notice.touch()
    assert client.notice(address(service)) == Notice(NOTICE["action"], NOTICE["time"], "")
    assert service.asked == [
        f"PUT {TOKEN} 200",
        f"GET {ACTION} 404",
        f"GET {ACTION} 404",
        f"GET {ACTION} 401",
        f"PUT {TOKEN} 200",
        f"GET {ACTION} 200",
    ]


def test_a_service_that_is_not_there_is_a_problem_and_no_notice(client: HostClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    found = client.notice(f"http://127.0.0.1:{port}")
    assert (found.action, found.time) == ("", "") and "refused" in found.problem


class _Client:
    """What hosts answer: to questions for notices, and to orders of snapshots."""

    def __init__(self, notice: Notice, saves: list[Any]) -> None:
        self.found, self.saves = notice, saves
        self.ordered: list[str] = []

    def notice(self, address: str) -> Notice:
        return self.found

    def control(self, run: str, name: str, line: dict[str, str], limit_s: float) -> Any:
        self.ordered.append(line["name"])
        answer = self.saves.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def watching(
    folder: Path, client: _Client, monkeypatch: pytest.MonkeyPatch
) -> tuple[Notices, list[str]]:
    monkeypatch.setattr(notices, "ASK_S", 0.0)
    monkeypatch.setattr(notices, "AGAIN_S", 0.0)
    said: list[str] = []
    return Notices("run", client, folder, said.append), said  # type: ignore[arg-type]


def spot(name: str = "lab1") -> Host:
    return Host(name, "127.0.0.1", LocalLink(), "~", metadata="http://169.254.169.254")


def arrive(folder: Path, name: str) -> None:
    (folder / "snapshots" / name).mkdir(parents=True)
    (folder / "snapshots" / name / "snapshot.json").write_text(json.dumps({}))


def test_a_notice_has_the_run_saved_once_and_says_so_when_that_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive(tmp_path, "spot-1")  # Of before another loss.
    client = _Client(Notice(**NOTICE, problem=""), [{"ok": True, "cycle": 12345}])
    found, said = watching(tmp_path, client, monkeypatch)
    for _ in range(3):
        found.look(spot(), client)  # type: ignore[arg-type]
    assert client.ordered == ["spot-2"] and said == []
    arrive(tmp_path, "spot-2")
    found.look(spot(), client)  # type: ignore[arg-type]
    assert said == [f"{GOES} saved at cycle 12,345, as spot-2"]


def test_a_host_that_is_not_spot_is_never_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = _Client(Notice(**NOTICE, problem=""), [])
    found, said = watching(tmp_path, client, monkeypatch)
    found.look(Host("lab1", "127.0.0.1", LocalLink(), "~"), client)  # type: ignore[arg-type]
    assert client.ordered == [] and said == []


@pytest.mark.parametrize("error", [HostLost("lab2: gone"), HostError("lab2: gone"), {"error": "x"}])
def test_a_run_that_cannot_be_saved_is_tried_again_and_then_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    client = _Client(Notice(**NOTICE, problem=""), [error] * TRIES)
    found, said = watching(tmp_path, client, monkeypatch)
    for _ in range(TRIES + 2):
        found.look(spot(), client)  # type: ignore[arg-type]
    assert len(client.ordered) == TRIES
    assert len(said) == 1 and said[0].startswith(f"{GOES} not saved: ")


def test_a_silent_service_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = _Client(Notice("", "", "timed out"), [])
    found, said = watching(tmp_path, client, monkeypatch)
    for _ in range(3):
        found.look(spot(), client)  # type: ignore[arg-type]
    assert said == ["lab1: spot notices cannot be read: timed out"]
