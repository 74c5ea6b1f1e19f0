# SPDX-License-Identifier: BSD-3-Clause
"""The hardware database: entries, bitstreams and fingerprints that are not theirs."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

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


def test_another_fingerprint_is_refused_with_both() -> None:
    assert refusal("a", ENTRY, ENTRY.fingerprint, "the blade rocket-1") is None
    assert refusal("a", ENTRY, "f" * 16, "the blade rocket-1") == (
        'hwdb entry "a": found a bitstream with the fingerprint 0123456789abcdef, expected '
        "ffffffffffffffff, that of the blade rocket-1: firesim buildbitstream builds it anew."
    )
