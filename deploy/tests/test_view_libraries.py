# SPDX-License-Identifier: BSD-3-Clause
"""Libraries of the live page: pinned, kept, served here; the page is whole without them."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError

import pytest
from firesim.view import libraries
from firesim.view.consoles import MOST_BYTES, raw_piece
from firesim.view.libraries import LIBRARIES, Library, LibraryError, fetch_libraries, fetched, kept

from regression.support.live_page import serving

NOBODY = "http://127.0.0.1:9/x.tgz"
"""The port of discard: nothing listens."""


@contextmanager
def registry(data: bytes) -> Iterator[tuple[str, list[str]]]:
    """Serve an archive; give its address, and what was asked for so far."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/x.tgz", asked
        server.shutdown()


def archive(library: Library) -> bytes:
    """Return an archive with the members of a library, each of which says what it is."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as made:
        for member in library.members.values():
            about = tarfile.TarInfo(member)
            about.size = len(member)
            made.addfile(about, io.BytesIO(member.encode()))
    return data.getvalue()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with no library."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A results folder of a node whose console has said something."""
    place = tmp_path / "run"
    place.mkdir()
    node = {"name": "node0", "kind": "functional", "bridges": {"uart": {"log": "uart.log"}}}
    about = {"nodes": [node], "switches": [], "links": []}
    (place / "description.json").write_text(json.dumps(about))
    (place / "uart.log").write_bytes(b"\x1b[31mred\xff")
    return place


def got(url: str) -> tuple[str, bytes]:
    """Return the type and the content of an address."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.headers["Content-Type"], answer.read()


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda one: one.name)
def test_a_library_is_fetched_once_and_served_with_its_licence(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = archive(library)
    with registry(data) as (url, asked):
        mine = replace(library, archive=url, sha256=hashlib.sha256(data).hexdigest())
        monkeypatch.setattr(libraries, "LIBRARIES", (mine,))
        assert fetched(mine) == fetched(mine)
        fetch_libraries(pytest.fail)
        assert asked == ["/x.tgz"]
    with serving(folder) as server:
        for name, member in library.members.items():
            kind, content = got(server.url + name)
            assert content.decode() == member
            assert kind.startswith("text/") and kind.endswith("utf-8")
        page = got(server.url)[1].decode()
    assert f'<a href="{library.licence_file}">{library.licence} licence</a>' in page
    assert f"{library.name} {library.version}" in page


def test_another_archive_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with registry(b"no archive") as (url, _):
        evil = replace(LIBRARIES[0], archive=url)
        with pytest.raises(LibraryError, match="its SHA-256 is"):
            fetched(evil)
        monkeypatch.setattr(libraries, "MOST_BYTES", 5)
        with pytest.raises(LibraryError, match="too large"):
            fetched(evil)
    assert kept(evil) is None


def test_without_a_network_the_page_is_whole_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = tuple(replace(one, archive=NOBODY) for one in LIBRARIES)
    monkeypatch.setattr(libraries, "LIBRARIES", alone)
    said: list[str] = []
    fetch_libraries(said.append)
    assert len(said) == len(LIBRARIES)
    for sentence, library in zip(said, LIBRARIES, strict=True):
        assert library.name in sentence and library.without in sentence
    with serving(folder) as server:
        page = got(server.url)[1].decode()
        assert '<pre id="console"' in page and "licence" not in page
        assert '<link rel="stylesheet"' not in page and " src=" not in page
        for library in LIBRARIES:
            for name in library.members:
                with pytest.raises(HTTPError):
                    got(server.url + name)


def test_a_terminal_is_told_the_bytes(folder: Path) -> None:
    with serving(folder) as server:
        told = json.loads(got(f"{server.url}terminal?node=node0&from=0")[1])
        assert base64.b64decode(told["data"]) == b"\x1b[31mred\xff"
        assert told["next"] == 9 and told["is_cut"] is False
        again = json.loads(got(f"{server.url}terminal?node=node0&from=9")[1])
        assert again == {"data": "", "next": 9, "is_cut": False}
        with pytest.raises(HTTPError):
            got(f"{server.url}terminal?node=node1&from=0")


def test_of_a_long_console_a_terminal_is_told_the_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "uart.log"
    log.write_bytes(b"0123456\n" * MOST_BYTES)
    told = raw_piece(log, 0)
    data = base64.b64decode(told.data)
    assert told.is_cut and told.next == 8 * MOST_BYTES
    assert data == b"0123456\n" * (len(data) // 8) and len(data) > MOST_BYTES - 10
