# SPDX-License-Identifier: BSD-3-Clause
"""The hardware database: entries, bitstreams and fingerprints that are not theirs."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from firesim.bitstream.database import (
    bitstream_file,
    entry_of,
    read_database,
    refusal,
    set_entries,
)
from firesim.config.hwdb import HwdbEntry
from firesim_common.errors import InputError

ENTRY = HwdbEntry(
    bitstream="a/firesim.bit",
    fingerprint="0123456789abcdef",
    board="ulx3s",
    frequency_mhz=25.0,
    built="2026-11-23T14:00:00Z",
)


def test_the_database_keeps_what_others_wrote(tmp_path: Path) -> None:
    file = tmp_path / "hwdb.yaml"
    set_entries(file, {"a": ENTRY})
    set_entries(file, {"b": ENTRY.model_copy(update={"board": "ecpix5"})})
    assert {name: one.board for name, one in read_database(file).items()} == {
        "a": "ulx3s",
        "b": "ecpix5",
    }
    assert entry_of(file, "a") == ENTRY
    with pytest.raises(InputError, match=r'found "c", expected one of the entries "a" or "b"'):
        entry_of(file, "c")


def test_a_bitstream_with_another_content_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/firesim.bit").write_bytes(b"bits")
    entry = ENTRY.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(InputError, match=r"expected 0000000000000000\.\.\."):
        bitstream_file(tmp_path / "hwdb.yaml", "a", entry)
    assert bitstream_file(tmp_path / "hwdb.yaml", "a", ENTRY).read_bytes() == b"bits"
    file = ENTRY.model_copy(update={"bitstream": f"file:{tmp_path}/a/firesim.bit"})
    assert bitstream_file(tmp_path / "hwdb.yaml", "a", file).read_bytes() == b"bits"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("http://[", 'found "http://\\[", expected a path or a URI: Invalid IPv6 URL'),
        ("x" * 5_000, "found a path of 5,000 characters"),
        ("~nosuchuser/x", "there is no user ~nosuchuser"),
        ("/proc/kmsg", "found 0 bytes in /proc/kmsg, expected 1 to"),
        ("/dev/zero", "found no file /dev/zero"),
        ("huge", "found 5,368,709,120 bytes in huge, expected 1 to 4,294,967,296"),
    ],
)
def test_a_place_where_no_bitstream_can_be_is_one_sentence(
    tmp_path: Path, where: str, said: str
) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(5 << 30)
    entry = ENTRY.model_copy(update={"bitstream": where, "sha256": "0" * 64})
    with pytest.raises(InputError, match=f'^hwdb entry "a": .*{said}'):
        bitstream_file(tmp_path / "hwdb.yaml", "a", entry)


def test_a_bitstream_comes_from_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a.bit").write_bytes(b"bits")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        where = f"http://127.0.0.1:{server.server_port}"
        entry = ENTRY.model_copy(update={"bitstream": f"{where}/a.bit"})
        database = tmp_path / "hwdb.yaml"
        assert bitstream_file(database, "a", entry).read_bytes() == b"bits"
        missing = ENTRY.model_copy(update={"bitstream": f"{where}/b.bit"})
        with pytest.raises(InputError, match="b.bit not to be had .*404"):
            bitstream_file(database, "a", missing)
        server.shutdown()
    other = ENTRY.model_copy(update={"bitstream": "ftp://a/b.bit"})
    with pytest.raises(InputError, match='found "ftp", expected one of the kinds of URI'):
        bitstream_file(database, "a", other)


class Files(SimpleHTTPRequestHandler):
    """Serves one file with an ETag, or with the time of its change alone."""

    tag = ""
    answers: ClassVar[list[int]] = []

    def send_response(self, code: int, message: str | None = None) -> None:
        self.answers.append(code)
        super().send_response(code, message)

    def do_GET(self) -> None:
        if self.tag and self.headers.get("If-None-Match") == self.tag:
            self.send_response(304)
            self.end_headers()
            return
        super().do_GET()

    def end_headers(self) -> None:
        if self.tag:
            self.send_header("ETag", self.tag)
        super().end_headers()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of `a.bit`, which `tmp_path` holds."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Files, "answers", [])
    monkeypatch.setattr(Files, "tag", "")
    handler = partial(Files, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/a.bit"
        server.shutdown()


def test_what_a_server_has_now_is_taken(
    served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, file = ENTRY.model_copy(update={"bitstream": served}), tmp_path / "a.bit"

    def taken() -> bytes:
        return bitstream_file(tmp_path / "hwdb.yaml", "a", entry).read_bytes()

    def put(content: bytes, changed_s: int) -> None:
        file.write_bytes(content)
        os.utime(file, (changed_s, changed_s))

    put(b"first", 1_700_000_000)
    assert [taken(), taken()] == [b"first"] * 2
    assert Files.answers == [200, 304]  # by Last-Modified, long before it was sent
    put(b"second", 1_700_000_001)
    assert [taken(), taken()] == [b"second"] * 2
    # Changed just now: it may change once more in the same second, so it is sent each time.
    now_s = int(time.time())
    put(b"third", now_s)
    assert taken() == b"third"
    put(b"other", now_s)
    assert taken() == b"other"
    # By ETag, though the time is the same; a weak one is not enough.
    put(b"first", 1_700_000_000)
    monkeypatch.setattr(Files, "tag", '"1"')
    assert taken() == b"first"
    Files.answers.clear()
    assert (taken(), Files.answers) == (b"first", [304])
    put(b"sixth", 1_700_000_000)
    monkeypatch.setattr(Files, "tag", '"2"')
    assert taken() == b"sixth"
    monkeypatch.setattr(Files, "tag", 'W/"3"')
    put(b"tenth", now_s)
    assert taken() == b"tenth"
    Files.answers.clear()
    assert (taken(), Files.answers) == (b"tenth", [200])


def test_with_a_digest_what_is_kept_needs_no_server(served: str, tmp_path: Path) -> None:
    digest = hashlib.sha256(b"right").hexdigest()
    entry = ENTRY.model_copy(update={"bitstream": served, "sha256": digest})
    (tmp_path / "a.bit").write_bytes(b"wrong")
    with pytest.raises(InputError, match=r"its SHA-256 is \w{16}\.\.\., not "):
        bitstream_file(tmp_path / "hwdb.yaml", "a", entry)
    (tmp_path / "a.bit").write_bytes(b"right")  # nothing of what was wrong is kept
    assert bitstream_file(tmp_path / "hwdb.yaml", "a", entry).read_bytes() == b"right"
    gone = entry.model_copy(update={"bitstream": "http://127.0.0.1:9/gone.bit"})
    assert bitstream_file(tmp_path / "hwdb.yaml", "a", gone).read_bytes() == b"right"
    with pytest.raises(InputError, match=r"not to be had .* with its sha256 in the entry"):
        nameless = gone.model_copy(update={"sha256": None})
        bitstream_file(tmp_path / "hwdb.yaml", "a", nameless)


def test_another_fingerprint_is_refused_with_both() -> None:
    assert refusal("a", ENTRY, ENTRY.fingerprint, "the blade rocket-1") is None
    assert refusal("a", ENTRY, "f" * 16, "the blade rocket-1") == (
        'hwdb entry "a": found a bitstream with the fingerprint 0123456789abcdef, expected '
        "ffffffffffffffff, that of the blade rocket-1: firesim buildbitstream builds it again."
    )
