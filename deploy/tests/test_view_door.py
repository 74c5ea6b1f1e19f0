# SPDX-License-Identifier: BSD-3-Clause
"""The live page against strangers: other origins, no token, broken requests, hostile guests."""

from __future__ import annotations

import json
import logging
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.view.consoles import MOST_BYTES, MOST_OPEN_BYTES, piece
from firesim.view.counters import read_counters
from firesim.view.libraries import kept_libraries
from firesim.view.server import ViewServer
from firesim.view.viewed import ViewedRun
from firesim.watch.local_server import ADDRESS, MOST_CLIENTS

from regression.support.live_page import raw, serving

MARKUP = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'


def _model(name: str) -> dict[str, Any]:
    return {"name": name, "cycle": 9, "state": "running", "waiting_for": MARKUP}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A results folder of a stranger: every name in it is markup."""
    bridges = {"uart": {"log": "uart.log"}, "autocounter": {"file": "counters.csv"}}
    ends = {"a": {"model": MARKUP}, "b": {"model": "switch"}, "latency_cycles": 9, "name": MARKUP}
    description = {
        "nodes": [{"name": MARKUP, "kind": "rtl", "bridges": bridges}],
        "switches": [{"name": "switch"}],
        "links": [ends],
    }
    place = tmp_path / "a<b>&c"
    place.mkdir()
    (place / "description.json").write_text(json.dumps(description))
    status = {"wall_s": 1, "models": [_model(MARKUP), _model("switch"), _model("unknown")]}
    (place / "status.jsonl").write_text(json.dumps(status) + "\n" + "[]\n{\n")
    (place / "uart.log").write_bytes(f"{MARKUP}\n\x1b]0;title\x07\x1b[31mred\u202e\0".encode())
    (place / "counters.csv").write_text(f"cycle,{MARKUP.replace(',', '')}\n5,7\n")
    return place


def _library_files() -> list[str]:
    """Return the files that a page of this computer has from its own server."""
    return [name for library in kept_libraries() for name in library.members]


@pytest.fixture
def server(folder: Path) -> Iterator[ViewServer]:
    """Serve the page of that folder."""
    with serving(folder) as made:
        yield made


def asked(server: ViewServer, path: str, *headers: str, method: str = "GET") -> tuple[int, str]:
    """Return status and body of a request with these headers, beside a right host."""
    lines = [f"{method} {path} HTTP/1.1", "Connection: close", *headers]
    if not any(line.lower().startswith("host:") for line in headers):
        lines.append(f"Host: {ADDRESS}:{server.server_port}")
    answer = raw(server, "\r\n".join([*lines, "", ""]).encode()).decode()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split()[1]), body


def test_who_knows_the_token_is_answered(server: ViewServer) -> None:
    here = f"/{server.token}/"
    port = server.server_port
    assert asked(server, here)[0] == 200
    assert asked(server, here, f"Origin: http://{ADDRESS}:{port}")[0] == 200
    # As a port that ssh -L forwards is called.
    assert asked(server, here, "Host: localhost:8080", "Origin: http://localhost:8080")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        ("Host: evil.example",),
        ("Host: 127.0.0.1.evil.example",),
        ("Host: localhost:80@evil.example",),
        ("Host:",),
        ("Origin: http://evil.example",),
        ("Origin: null",),
        ("Origin: https://127.0.0.1",),
        ("Host: localhost:8080", "Origin: http://localhost:8081"),
    ],
)
def test_other_hosts_and_origins_are_refused(server: ViewServer, headers: tuple[str, ...]) -> None:
    for place in ("", "events", "console?node=node0"):
        status, body = asked(server, f"/{server.token}/{place}", *headers)
        assert (status, body) == (403, "Forbidden")


def test_nothing_is_said_without_the_token(server: ViewServer) -> None:
    token = server.token
    assert len(token) >= 24
    guesses = [
        "/",
        "//",
        "/x/",
        f"/{token[:-1]}/",
        f"/{token}",
        f"/{token}x/",
        "/%C3%A9/",
        "/%00/events",
    ]
    answers = {asked(server, path) for path in guesses}
    answers |= {asked(server, f"/{token}/{name}") for name in ("../etc/passwd", "report.html", "x")}
    assert answers == {(404, "Not Found")}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "CONNECT", "HEAD"])
def test_other_methods_are_refused(server: ViewServer, method: str) -> None:
    assert asked(server, f"/{server.token}/", method=method)[0] == 405


def test_huge_and_broken_requests_end_nothing(
    server: ViewServer, capfd: pytest.CaptureFixture[str]
) -> None:
    token = server.token.encode()
    host = b"\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    for request in (
        b"\0\xff\n\n",
        b"GET\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1" + host,
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 10_000 + b"\r\n",
        b"GET /" + token + b"/console?" + b"a=1&" * 5_000 + b" HTTP/1.1" + host,
        b"GET /" + token + b"/console?node=x&from=" + b"9" * 5_000 + b" HTTP/1.1" + host,
        b"GET //[/" + token + b"/ HTTP/1.1" + host,
        b"GET /\xe9/" + token + b"/ HTTP/1.1" + host,
        b"GET /" + token + b"/ HTTP/1.1\r\nHost: evil.example" + host,
        b"GET /" + token + b"/ HTTP/1.0\r\n\r\n",
        b"GET /x/ HTTP/1.1\r\nUpgrade: websocket" + host.replace(b"close", b"close, Upgrade"),
        b"GET /" + token + b"/events HTTP/99" + host,
    ):
        answer = raw(server, request)
        assert b" 200 " not in answer[:20] and b"Traceback" not in answer
    assert asked(server, f"/{server.token}/")[0] == 200
    assert capfd.readouterr().err == ""


def test_idle_clients_keep_nobody_out(server: ViewServer) -> None:
    idle = [
        socket.create_connection((ADDRESS, server.server_port)) for _ in range(5 * MOST_CLIENTS)
    ]
    assert asked(server, f"/{server.token}/")[0] == 200
    for client in idle:
        client.close()


@pytest.mark.parametrize("begun", [b"", b"GET /"])
def test_silent_clients_are_left(
    folder: Path, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firesim.watch.local_server.IDLE_S", 1)
    with serving(folder) as server:
        assert raw(server, begun) == b""


def test_a_process_with_a_page_keeps_its_signals_and_loggers(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def state() -> list[object]:
        names = ("", "asyncio", "uvicorn", "uvicorn.error", "uvicorn.access")
        loggers = [logging.getLogger(name) for name in names]
        about = [(one.level, list(one.handlers), one.propagate) for one in loggers]
        return [[signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)], about]

    caplog.set_level(logging.INFO)
    before = state()
    with serving(folder) as server:
        assert asked(server, f"/{server.token}/")[0] == 200
        assert state() == before
    assert state() == before
    assert server.token not in caplog.text


def test_names_of_a_stranger_stay_text(server: ViewServer, folder: Path) -> None:
    _, page = asked(server, f"/{server.token}/")
    assert "alert(1)</script>" not in page and "<img" not in page
    scripts = 2 + sum(name.endswith(".js") for name in _library_files())
    assert page.count("<script") == page.count("</script>") == scripts
    assert "a&lt;b&gt;&amp;c" in page
    about = json.loads(page.partition('id="about">')[2].partition("</script>")[0])
    assert about["models"] == [MARKUP, "switch"]
    nonce = re.findall(r'nonce="([^"]+)"', page)
    assert len(nonce) == 2 + len([n for n in _library_files() if not n.endswith(".txt")])
    assert len(set(nonce)) == 1
    assert "innerHTML" not in page and "insertAdjacentHTML" not in page


def test_a_page_may_load_nothing_and_be_framed_nowhere(server: ViewServer) -> None:
    request = f"GET /{server.token}/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    head, _, page = raw(server, request.encode()).partition(b"\r\n\r\n")
    for rule in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert rule in head.decode()
    assert b"referrer-policy: no-referrer" in head and b"cache-control: no-store" in head
    outside = re.findall(rb'(?:src|href)="([^"#][^"]*)"', page)
    viewers = f"/{server.stage.token}/"  # Licences of those that have been fetched.
    others = {name.decode() for name in outside if not name.decode().startswith(viewers)}
    assert others <= {"data:,", *_library_files()}


def test_what_a_guest_prints_is_text(server: ViewServer, folder: Path) -> None:
    _, body = asked(server, f"/{server.token}/console?node={MARKUP.replace(' ', '%20')}")
    said = json.loads(body)
    assert said["lines"] == f"{MARKUP}\n"
    assert said["open_line"] == "red\\u202e\\x00"
    assert (folder / "uart.log").read_bytes()[said["next"] :].startswith(b"\x1b]0;title")


def test_a_console_that_leads_out_of_the_folder_is_not_read(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "uart.log").unlink()
    (folder / "uart.log").symlink_to(tmp_path / "secret")
    assert ViewedRun(folder).file_of(MARKUP, "uart", "log") is None


def test_a_line_is_what_a_terminal_would_show(tmp_path: Path) -> None:
    log = tmp_path / "uart.log"
    log.write_bytes(b"10 %\r100 %\r\nroot\x08\x08 \x08oo\n\x08\x1b[2K# ls")
    assert piece(log, 0).lines == "100 %\nrooo\n"
    assert piece(log, 0).open_line == "# ls"
    log.write_bytes(b"abc\x08 \x08d\n")
    assert piece(log, 0).lines == "abd\n"


def test_a_long_console_begins_with_its_end(tmp_path: Path) -> None:
    log = tmp_path / "uart.log"
    lines = [f"line {index}\n" for index in range(50_000)]
    log.write_text("".join(lines))
    said = piece(log, 0)
    assert said.is_cut and len(said.lines) <= MOST_BYTES and said.lines.startswith("line ")
    assert said.lines.endswith(lines[-1]) and said.next == log.stat().st_size
    with log.open("a") as stream:
        stream.write("more\nand")
    added = piece(log, said.next)
    assert (added.lines, added.open_line, added.is_cut) == ("more\n", "and", False)
    log.write_bytes(b"x" * (MOST_OPEN_BYTES + 1))
    assert piece(log, 0).open_line == "" and piece(log, 10**9).next == MOST_OPEN_BYTES + 1
    assert piece(tmp_path / "none", 7).next == 0


def test_counters_that_are_half_written_are_those_before(tmp_path: Path) -> None:
    file = tmp_path / "counters.csv"
    file.write_text("# a comment\ncycle,a.x,b.x\n1000,1,2\n2000,5,2\n3000,7")
    found = read_counters(file)
    assert found is not None and found.cycle == 2000
    assert [(one.name, one.total, one.rate) for one in found.counters] == [
        ("a.x", 5, 4.0),
        ("b.x", 2, 0.0),
    ]
    for text in ("", "cycle,x\n", "cycle,x\nno,row\n", "\0"):
        file.write_text(text)
        assert read_counters(file) is None
