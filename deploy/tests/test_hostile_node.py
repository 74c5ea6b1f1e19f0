# SPDX-License-Identifier: BSD-3-Clause
"""A simulated machine that is asked for a file and sends anything else."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import tracemalloc
from pathlib import Path

import pytest
from firesim.access.copy import copy_from
from firesim.access.door import Door
from firesim.cli.cp import cp
from firesim_common.errors import InputError
from typer.testing import CliRunner

SENDS = """#!/bin/sh
[ ! -f "$ANSWER.words" ] || cat "$ANSWER.words" >&2
exec cat "$ANSWER"
"""
Member = tuple[str, dict[str, object], bytes]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file whose content is all that the node of `door` ever sends."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ssh").write_text(SENDS)
    (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("ANSWER", str(tmp_path / "answer"))
    return tmp_path / "answer"


def door(tmp_path: Path) -> Door:
    """A door to that node."""
    return Door("node0", "127.0.0.1", 1, tmp_path)


def tar(*members: Member) -> bytes:
    """Return what a node sends of a folder: its word, and a tar stream of these members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, settings, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in settings.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content))
    return b"folder\n" + out.getvalue()


LINK, HARD = {"type": tarfile.SYMTYPE}, {"type": tarfile.LNKTYPE}
OUT = "its link leads out of the folder"
LEFT_OUT: list[tuple[Member, str]] = [
    (("../outside", {}, b"x"), "its name leads out of the folder"),
    (("/outside", {}, b"x"), "its name leads out of the folder"),
    (("a/../../outside", {}, b"x"), "its name leads out of the folder"),
    (("l", {**LINK, "linkname": "/etc/passwd"}, b""), OUT),
    (("d/l", {**LINK, "linkname": "/etc/passwd"}, b""), OUT),
    (("l", {**LINK, "linkname": "../outside"}, b""), OUT),
    (("d/l", {**LINK, "linkname": "x/../../.."}, b""), OUT),
    (("l", {**LINK, "linkname": "d/.."}, b""), OUT),
    (("l", {**HARD, "linkname": "/etc/passwd"}, b""), OUT),
    (("l", {**HARD, "linkname": "../outside"}, b""), OUT),
    (("l", {**HARD, "linkname": ""}, b""), OUT),
    (("l", {**HARD, "linkname": "nothing"}, b""), "here it cannot be made: No such file"),
    (("l", {**LINK, "linkname": ""}, b""), "its link leads nowhere"),
    (("l", {**HARD, "linkname": "d"}, b""), "it is another name of what is no file"),
    (("pipe", {"type": tarfile.FIFOTYPE}, b""), "it is neither a file"),
    (("disk", {"type": tarfile.BLKTYPE, "devmajor": 8}, b""), "it is neither a file"),
    (("n" * 300, {}, b"x"), "here it cannot be made: File name too long"),
    (("/".join("d" * 200), {}, b"x"), "its name leads out of the folder"),
]


@pytest.mark.parametrize(("member", "why"), LEFT_OUT, ids=[why for _, why in LEFT_OUT])
def test_what_leads_elsewhere_is_left_out_and_named(
    answer: Path, tmp_path: Path, member: Member, why: str
) -> None:
    (tmp_path / "outside").write_text("mine")
    folder: Member = ("d", {"type": tarfile.DIRTYPE}, b"")
    answer.write_bytes(tar(folder, ("before", {}, b"1"), member, ("after", {}, b"2")))
    said = copy_from(door(tmp_path), "/some", tmp_path / "target")
    assert len(said) == 1 and said[0].startswith(f"left out {member[0][:200]}: {why}")
    files = {path.name for path in (tmp_path / "target").rglob("*") if path.name not in "d"}
    assert files == {"before", "after"}
    assert (tmp_path / "outside").read_text() == "mine"


def test_nothing_is_written_through_a_link(answer: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (target / "way").symlink_to(outside)
    (target / "file").symlink_to(outside / "file")
    answer.write_bytes(
        tar(
            ("way/x", {}, b"x"),
            ("file", {}, b"new"),
            ("there", {**LINK, "linkname": "deep"}, b""),
            ("deep/x", {}, b"x"),
            ("there/y", {}, b"y"),
        )
    )
    said = copy_from(door(tmp_path), "/target", tmp_path)
    assert said == [
        "left out way/x: here it cannot be made: Not a directory.",
        "left out there/y: here it cannot be made: Not a directory.",
    ]
    assert list(outside.iterdir()) == []
    assert (target / "file").read_bytes() == b"new" and not (target / "file").is_symlink()


def test_another_name_of_a_link_leads_where_the_link_would_from_there(
    answer: Path, tmp_path: Path
) -> None:
    deep: Member = ("a/b/l", {**LINK, "linkname": "../../x"}, b"")
    out: Member = ("m", {**HARD, "linkname": "a/b/l"}, b"")
    beside: Member = ("a/b/m", {**HARD, "linkname": "a/b/l"}, b"")
    answer.write_bytes(tar(("x", {}, b"x"), deep, out, beside))
    said = copy_from(door(tmp_path), "/some", tmp_path / "target")
    assert said == ["left out m: its link leads out of the folder."]
    assert not (tmp_path / "target/m").is_symlink()
    assert (tmp_path / "target/a/b/m").resolve() == tmp_path / "target/x"


@pytest.mark.parametrize("aim", ["kept", "nothing", "../x", "d"])
def test_a_link_that_cannot_be_made_takes_nothing_away(
    answer: Path, tmp_path: Path, aim: str
) -> None:
    folder: Member = ("d", {"type": tarfile.DIRTYPE}, b"")
    link: Member = ("kept", {**HARD, "linkname": aim}, b"")
    answer.write_bytes(tar(folder, ("kept", {}, b"content"), link))
    copy_from(door(tmp_path), "/some", tmp_path / "target")
    assert (tmp_path / "target/kept").read_bytes() == b"content"


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_headers_of_headers_end_somewhere(answer: Path, tmp_path: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 2
    one = header.tobuf(tarfile.GNU_FORMAT) + b"x\0".ljust(512, b"\0")
    answer.write_bytes(b"folder\n" + one * 3000)
    with pytest.raises(InputError, match="more than 16 headers for one member"):
        copy_from(door(tmp_path), "/some", tmp_path / "target")


def test_many_members_are_not_kept_in_memory(answer: Path, tmp_path: Path) -> None:
    header = tarfile.TarInfo("../x").tobuf(tarfile.GNU_FORMAT)
    answer.write_bytes(b"folder\n" + header * 40_000 + bytes(1024))
    tracemalloc.start()
    said = copy_from(door(tmp_path), "/some", tmp_path / "target")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(said) == 21 and said[-1] == "left out 39,980 more."
    assert most < 16 << 20


def test_a_name_begins_no_line_of_its_own(answer: Path, tmp_path: Path) -> None:
    answer.write_bytes(tar(("../a\nAll is well.", {}, b"x")))
    said = copy_from(door(tmp_path), "/some", tmp_path / "target")
    assert said == ["left out ../a\\nAll is well.: its name leads out of the folder."]


def test_a_node_that_complains_of_every_file_is_read_to_its_end(
    answer: Path, tmp_path: Path
) -> None:
    # More than a pipe holds: nobody who waits for the archive first would get it.
    Path(f"{answer}.words").write_bytes(b"tar: cannot open\n" * 100_000)
    answer.write_bytes(tar(("a", {}, b"content")))
    assert copy_from(door(tmp_path), "/some", tmp_path / "target") == []
    assert (tmp_path / "target/a").read_bytes() == b"content"


def test_a_device_keeps_its_mode(answer: Path, tmp_path: Path) -> None:
    answer.write_bytes(b"755\ncontent")
    before = Path("/dev/null").stat().st_mode
    copy_from(door(tmp_path), "/some", Path("/dev/null"))
    assert Path("/dev/null").stat().st_mode == before


def test_modes_and_owners_are_not_the_nodes_to_choose(answer: Path, tmp_path: Path) -> None:
    answer.write_bytes(
        tar(
            ("set", {"mode": 0o6777, "uid": 4242, "gid": 4242}, b"#!/bin/sh\n"),
            ("all", {"mode": 0o666}, b"x"),
            ("dir", {"type": tarfile.DIRTYPE, "mode": 0o7777}, b""),
        )
    )
    before = os.umask(0)
    try:
        assert copy_from(door(tmp_path), "/some", tmp_path / "target") == []
    finally:
        os.umask(before)
    found = {path.name: path.lstat() for path in (tmp_path / "target").iterdir()}
    modes = {name: stat.S_IMODE(status.st_mode) for name, status in found.items()}
    assert modes == {"set": 0o755, "all": 0o644, "dir": 0o755}
    assert {status.st_uid for status in found.values()} == {os.getuid()}


@pytest.mark.parametrize("first", [b"6755", b"777", b"0o644", b"4755\r", b"x" * 100_000])
def test_a_file_has_no_other_mode_than_ours(answer: Path, tmp_path: Path, first: bytes) -> None:
    answer.write_bytes(first + b"\ncontent")
    with pytest.raises(InputError, match="node0: found another answer than that of its shell"):
        copy_from(door(tmp_path), "/some", tmp_path / "target")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("source", ["..", "/tmp/..", "a/.."])
def test_a_path_that_ends_in_no_name_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(InputError, match="expected a path that ends in a name"):
        copy_from(door(tmp_path), source, tmp_path)


def test_no_stream_and_one_that_eats_memory_are_refused(answer: Path, tmp_path: Path) -> None:
    answer.write_bytes(b"folder\n" + b"no tar" * 1000)
    with pytest.raises(InputError, match="found no whole tar stream"):
        copy_from(door(tmp_path), "/some", tmp_path / "target")
    long_name = tarfile.TarInfo("x")
    long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, 1 << 40
    answer.write_bytes(b"folder\n" + long_name.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    with pytest.raises(InputError, match="a header of 1,099,511,627,776 bytes"):
        copy_from(door(tmp_path), "/some", tmp_path / "target")


def test_padding_behind_an_archive_is_read_and_endless_padding_refused(
    answer: Path, tmp_path: Path
) -> None:
    # More than a pipe holds: a sender whose reader goes away would end by SIGPIPE.
    archive = tar(("a", {}, b"content"))
    answer.write_bytes(archive + bytes(200_000))
    copy_from(door(tmp_path), "/some", tmp_path / "one")
    assert (tmp_path / "one/a").read_bytes() == b"content"
    answer.write_bytes(archive + bytes(2 << 20))
    with pytest.raises(InputError, match="found more behind the end of its archive"):
        copy_from(door(tmp_path), "/some", tmp_path / "two")


def test_what_is_left_out_reaches_no_terminal_as_it_is(
    answer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import typer

    answer.write_bytes(tar(("../\x1b[2J\x07", {}, b"x")))
    monkeypatch.setattr("firesim.access.door.door_of", lambda *_: door(tmp_path))
    monkeypatch.setattr("firesim.access.door.wait_until_open", lambda *_: None)
    monkeypatch.setattr("firesim.run.control.running_folder", lambda run, say: tmp_path)
    app = typer.Typer()
    app.command()(cp)
    done = CliRunner().invoke(app, ["node0:/some", str(tmp_path / "target")])
    assert done.exit_code == 0
    assert done.stderr == "left out ../\\x1b[2J\\x07: its name leads out of the folder.\n"
