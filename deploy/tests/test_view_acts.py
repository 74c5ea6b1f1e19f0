# SPDX-License-Identifier: BSD-3-Clause
"""What the live page does to simulations: it types, takes snapshots, peeks, as the commands do."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.run.control import is_running
from firesim.run.signals import peek
from firesim.snapshots.files import read_snapshot
from firesim.view.acts import Acts
from firesim.view.messages import MOST_BYTES, MOST_SIGNALS, MOST_TYPED
from firesim.view.server import ViewServer
from firesim.view.viewed import ViewedRun
from firesim_software.builder import own_program
from rich.console import Console

from regression.support.live_page import ECHO, act, going, posted, serving, until

QUIET = Console(quiet=True)
LIVE = """\
name: echo
system: {topology: rack_1, node: {memory: {size_mib: 16}}}
workload: {node: {elf: ELF}}
simulation: {engine: functional, uart_pty: true, status_interval_s: 0.05, max_cycles: 4000000000000}
"""
Commits = Callable[[Path], dict[int, int]]
TRACE_PC = "soc.system.tile.auto_trace_out_0_iaddr"


def asked(server: ViewServer, place: str) -> dict[str, Any]:
    """Return what a page is told at a place."""
    with urllib.request.urlopen(server.url + place, timeout=20) as answer:
        value: dict[str, Any] = json.loads(answer.read())
    return value


def ended(server: ViewServer, kind: str) -> dict[str, Any]:
    """Return how something that was begun has ended."""
    until(lambda: asked(server, "acts")[kind]["state"] != "going", kind)
    found: dict[str, Any] = asked(server, "acts")[kind]
    return found


@pytest.fixture
def echo(tmp_path: Path) -> str:
    """A run of a guest that echoes what is typed."""
    source = tmp_path / "echo.c"
    source.write_text(ECHO)
    return LIVE.replace("ELF", str(own_program([source], tmp_path / "echo.elf")))


def test_what_is_typed_reaches_the_guest_and_marks_the_run(
    echo: str, tmp_path: Path, results_root: Path
) -> None:
    folder = tmp_path / "run"
    log = folder / "node0/uart.log"
    text = "ä\x03<b>\r"
    with going(folder, echo) as outcomes, serving(folder) as server:
        until(lambda: log.exists() and b"type" in log.read_bytes(), "the guest's first line")
        assert act(server, "type", node="node0", text=text) == ""
        wanted = "".join(f"<{byte:x}>\n" for byte in text.encode())
        until(lambda: wanted in log.read_text(), "the echo")
        assert 'found "node1"' in act(server, "type", node="node1", text="x")
        assert act(server, "snapshot", name="page") == ""
        saved = ended(server, "snapshot")
        assert saved["state"] == "done" and saved["name"] == "page"
        assert 'found "page"' in taken_again(server)
        assert "auto-N" in taken_again(server, "auto-7")
        assert act(server, "type", node="node0", text="q") == ""
        until(lambda: not is_running(folder), "the end of the run")
        assert "the run is over" in act(server, "type", node="node0", text="x")
        assert "the run is over" in act(server, "snapshot", name="late")
        rows = asked(server, "acts")["saved"]
    (outcome,) = outcomes
    assert outcome.exit_status == 0 and outcome.result["deterministic"] is False
    snapshot = read_snapshot(folder / "snapshots/page")
    assert rows == [["page", f"{snapshot.cycle:,}"]]
    assert saved["cycle"] == f"{snapshot.cycle:,}" and snapshot.cycle > 0


def taken_again(server: ViewServer, name: str = "page") -> str:
    """Return why a snapshot was not taken."""
    assert act(server, "snapshot", name=name) == ""
    job = ended(server, "snapshot")
    assert job["state"] == "failed"
    return str(job["error"])


def test_without_a_terminal_a_console_is_only_watched(
    echo: str, tmp_path: Path, results_root: Path
) -> None:
    folder = tmp_path / "run"
    short = "simulation.max_cycles=2000000000"
    with going(folder, echo, "simulation.uart_pty=false", short), serving(folder) as server:
        if is_running(folder):
            assert "uart_pty=true" in act(server, "type", node="node0", text="x")
    assert ViewedRun(folder).typed_nodes == []


def test_a_run_that_goes_on_is_looked_at_where_it_has_been(
    echo: str, tmp_path: Path, results_root: Path
) -> None:
    folder = tmp_path / "run"
    rtl = ("simulation.engine=rtl", "simulation.max_cycles=4000000000")
    asks = {"node": "node0", "signals": [TRACE_PC]}
    with going(folder, echo, *rtl, "simulation.uart_pty=false"), serving(folder) as server:
        viewed = ViewedRun(folder)
        until(lambda: viewed.state().run["cycle"] > 20_000, "some cycles")
        assert act(server, "snapshot", name="here") == ""
        assert ended(server, "snapshot")["state"] == "done"
        assert "where the run is now" in act(server, "peek", **asks, cycles=[10**15])
        cycle = read_snapshot(folder / "snapshots/here").cycle
        cycles = [cycle + 500, cycle + 501]
        until(lambda: act(server, "peek", **asks, cycles=cycles) == "", "more cycles")
        shown = ended(server, "signals")
        assert is_running(folder)
    assert [row[0] for row in shown["rows"]] == [f"{cycle + 500:,}", f"{cycle + 501:,}"]
    with going(tmp_path / "typed", echo, *rtl), serving(tmp_path / "typed") as server:
        assert "somebody may type" in act(server, "peek", **asks, cycles=[0])


def test_a_peek_is_what_the_command_says(
    traced_hello: str, tmp_path: Path, results_root: Path, commits: Commits
) -> None:
    folder = run(load_text(traced_hello), results=tmp_path / "run", console=QUIET).folder
    cycle = sorted(commits(folder))[40]
    names = [TRACE_PC, "soc.system.tile.core.mem_ext.Memory[30]"]
    with serving(folder) as server:
        assert act(server, "peek", node="node0", signals=names, cycles=[cycle]) == ""
        refused = act(server, "signals", node="node0", texts=["x"])
        assert "found another that goes on" in refused
        shown = ended(server, "signals")
        assert act(server, "signals", node="node0", texts=["tile.core", "reg_mepc"]) == ""
        found = ended(server, "signals")
        assert act(server, "peek", node="node0", signals=["no.such"], cycles=[1]) == ""
        unknown = ended(server, "signals")
        far = act(server, "peek", node="node0", signals=names, cycles=[10**9])
        assert far == ""
        beyond = ended(server, "signals")
        assert "no RTL node" in act(server, "peek", node="node9", signals=names, cycles=[0])
    by_command = peek(folder, "node0", names, [cycle], [], tmp_path / "peek", QUIET)
    assert [row[2] for row in shown["rows"]] == [hex(one.value) for one in by_command]
    assert [row[0] for row in shown["rows"]] == [f"{cycle:,}"] * 2
    assert all("reg_mepc" in row[0] for row in found["names"]) and found["names"]
    assert unknown["state"] == "failed" and "no.such" in unknown["error"]
    assert beyond["state"] == "failed" and "cycle" in beyond["error"]
    assert not list(results_root.glob("*"))


GOOD = {"node": "node0", "text": "x"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (("Origin: -",), 403),
        (("Origin: null",), 403),
        (("Origin: http://evil.example",), 403),
        (("Host: evil.example",), 403),
        (("Origin: http://127.0.0.1:1",), 403),
        (("Content-Type: text/plain",), 415),
        (("Content-Type: application/x-www-form-urlencoded",), 415),
        (("Content-Type: multipart/form-data",), 415),
        (("Content-Type: -",), 415),
        (("Content-Length: -",), 411),
        (("Content-Length: x",), 400),
        (("Content-Length: -5",), 400),
        (("Transfer-Encoding: chunked",), 411),
        (("Content-Length: 3", "Content-Length: 4"), 400),
        ((f"Content-Length: {MOST_BYTES + 1}",), 413),
        (("Content-Length: 999999999",), 413),
    ],
)
@pytest.mark.parametrize("name", ["type", "snapshot", "peek", "signals"])
def test_strangers_act_on_nothing(
    stranger: ViewServer, name: str, headers: tuple[str, ...], status: int
) -> None:
    assert posted(stranger, name, json.dumps(GOOD).encode(), *headers)[0] == status


def test_who_does_not_say_all_of_a_message_is_left(
    stranger: ViewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firesim.view.door.IDLE_S", 0.1)
    assert posted(stranger, "snapshot", b'{"name": "a"}', "Content-Length: 9000")[0] == 408
    assert asked(stranger, "acts")["snapshot"] == {"state": "none"}


def test_nobody_acts_without_the_token(stranger: ViewServer) -> None:
    body = json.dumps(GOOD).encode()
    for token in ("x", stranger.token[:-1], f"{stranger.token}x", "%00", "../" + stranger.token):
        assert posted(stranger, "type", body, token=token) == (404, "Not Found")
    for name in ("", "events", "acts", "console", "kill", "type/x", "../type"):
        assert posted(stranger, name, body) == (404, "Not Found")


BROKEN = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"\xff\xfe",
    b"[" * 9000,
    b'{"node": 7, "text": "x", "signals": ["x"], "cycles": [1]}',
    b'{"node": "node0"}',
    b'{"node": "node0", "text": "", "name": "", "signals": [], "texts": [], "cycles": []}',
    b'{"node": "node0", "text": "\\ud800"}',
    b'{"node": "node0", "text": "x", "more": 1}',
    b'{"node": "node0", "signals": ["x"], "cycles": [-1]}',
    b'{"node": "node0", "signals": ["x"], "cycles": [1e400]}',
    b'{"node": "node0", "signals": ["x"], "cycles": [99999999999999999999]}',
    json.dumps({"node": "node0", "text": "x" * (MOST_TYPED + 1)}).encode(),
    json.dumps({"node": "n" * 300, "text": "x"}).encode(),
    json.dumps({"node": "node0", "signals": ["x"] * (MOST_SIGNALS + 1), "cycles": [1]}).encode(),
    json.dumps({"name": "x" * 300}).encode(),
]


@pytest.mark.parametrize("name", ["type", "snapshot", "peek", "signals"])
def test_broken_messages_get_a_sentence_and_do_nothing(
    stranger: ViewServer, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for body in BROKEN:
        status, text = posted(stranger, name, body)
        assert status == 409 and json.loads(text)["error"].endswith("."), (body, text)
    assert asked(stranger, "acts")["snapshot"] == {"state": "none"}
    assert capfd.readouterr().err == ""


def test_who_acts_too_often_is_told_so(stranger: ViewServer) -> None:
    body = json.dumps(GOOD).encode()
    said = [posted(stranger, "type", body)[0] for _ in range(120)]
    assert 429 in said and said[0] == 409


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[ViewServer]:
    """The page of a run that is over, with a console of a terminal."""
    folder = tmp_path / "run"
    folder.mkdir()
    uart = {"log": "node0/uart.log", "pty": "node0/uart.pty"}
    node = {"name": "node0", "kind": "rtl", "bridges": {"uart": uart}}
    (folder / "description.json").write_text(json.dumps({"nodes": [node]}))
    with serving(folder) as server:
        yield server


def test_a_page_that_types_waits_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "description.json").write_text(json.dumps({"nodes": [{"name": "node0"}]}))
    monkeypatch.setattr("firesim.view.acts.TYPING_S", 0.05)
    acts = Acts(ViewedRun(folder))
    with acts._typing, pytest.raises(Exception, match="found another page that types"):
        acts.by_name["type"](json.dumps(GOOD).encode())
