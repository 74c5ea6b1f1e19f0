# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots of runs on hosts that are kept in a shared folder or in S3, and gone on from there."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.config.keep import S3Place, kept, s3_place
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.remote.kept import InBucket, Kept, Shared
from firesim.remote.mirror import PENDING
from firesim.results.outcome import Outcome
from firesim.snapshots import bucket
from firesim.snapshots.files import read_snapshot, shared_snapshots, snapshots_of
from firesim.snapshots.restart import restart_from
from firesim_common.errors import InputError

from regression.support.hosts.cloud import REGION, Cloud, cloud

MakeTraffic = Callable[..., Path]
TRAFFIC = "0 00:12:6D:00:00:03 1500 repeat 4000000000 100\n"
LIMIT = "simulation.max_cycles=400000"
EVERY = "simulation.snapshots={interval_cycles: 100000}"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A farm of two processes on this computer, with a folder of the test's own."""
    path = tmp_path / "lab.yaml"
    path.write_text(f"kind: local\nprocesses: 2\nfolder: {tmp_path / 'hosts'}\n")
    return path


@pytest.fixture
def sky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    """Return AWS with a bucket `snaps`, and a cache of the test's own for what comes from there."""
    from firesim.snapshots import bucket as module
    from firesim_common import cache

    def own(kind: str, key: Any, build: Any) -> Path:
        monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
        try:
            return cache.cached(kind, key, build)
        finally:
            monkeypatch.delenv("FIRESIM_CACHE")

    monkeypatch.setattr(module, "cached", own)
    with cloud(tmp_path) as found:
        client().create_bucket(Bucket="snaps")
        yield found


def client() -> Any:
    import boto3

    return boto3.client("s3", REGION)


def on(lab: Path, config: Path, keep: str, *overrides: str) -> Loaded:
    more = [f'placement.run_farm="{lab}"', f'placement.keep_snapshots="{keep}"']
    return load_file(config, [*more, LIMIT, *overrides])


def from_place(lab: Path, config: Path, keep: str, text: str) -> Outcome:
    """Go on from a snapshot that is named as on the command line."""
    return run(on(lab, config, keep), restart=lambda plan: restart_from(text, plan, None))


def test_hosts_write_to_a_shared_folder_and_nothing_is_copied(
    traffic: MakeTraffic, lab: Path, results_root: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    first = run(on(lab, traffic(TRAFFIC), str(shared), EVERY))
    (place,) = shared.iterdir()
    names = ["auto-300000", "auto-400000"]
    assert sorted(path.name for path in place.iterdir()) == names
    links = sorted((first.folder / "snapshots").iterdir())
    assert [link.readlink() for link in links] == [place / name for name in names]
    assert [one.cycle for one in snapshots_of(first.folder)] == [300000, 400000]
    shutil.rmtree(first.folder)
    assert [one.path for one in shared_snapshots(shared)] == [place / name for name in names]
    for keep in (str(shared), "manager"):
        again = from_place(lab, traffic(TRAFFIC), keep, str(place / "auto-300000"))
        assert again.start_cycle == 300000
        assert again.result["token_hash"] == first.result["token_hash"]
    stored = sorted(path.name for path in tmp_path.glob("hosts/*/store/*"))
    assert stored, "the second one had the snapshot copied, the first one had not"


def test_a_run_goes_on_from_s3_when_its_results_are_gone(
    traffic: MakeTraffic, lab: Path, results_root: Path, sky: Cloud
) -> None:
    keep = "s3://snaps/me/firesim"
    first = run(on(lab, traffic(TRAFFIC), keep, EVERY))
    place = s3_place(keep)
    assert place is not None
    found = bucket.listed(place)
    assert [one.place.prefix.rpartition("/")[2] for one in found] == ["auto-300000", "auto-400000"]
    assert sorted(one.name for one in snapshots_of(first.folder)) == ["auto-300000", "auto-400000"]
    shutil.rmtree(first.folder)
    again = from_place(lab, traffic(TRAFFIC), "manager", str(found[0].place))
    assert again.start_cycle == 300000
    assert again.result["token_hash"] == first.result["token_hash"]
    with pytest.raises(
        InputError, match='expected one of the snapshots .*did you mean "s3://snaps'
    ):
        from_place(lab, traffic(TRAFFIC), "manager", f"{found[0].place}0")


def test_a_bucket_is_listed_by_cycle_however_they_arrived(sky: Cloud) -> None:
    arrived = ["a/auto-400000", "a/booted", "a/auto-90000", "a/cycle-100000", "b/auto-90000"]
    for name in arrived:
        client().put_object(Bucket="snaps", Key=f"me/{name}.tar", Body=b"")
    found = [one.place.prefix for one in bucket.listed(S3Place("snaps", "me"))]
    by_cycle = ["a/auto-90000", "a/cycle-100000", "a/auto-400000", "a/booted", "b/auto-90000"]
    assert found == [f"me/{name}" for name in by_cycle]


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ("s3://not-there/x", "found no bucket not-there, expected one that is there"),
        ("/nowhere/at/all", "found that this computer cannot write to"),
    ],
)
def test_a_place_of_no_use_is_refused_before_the_run(
    traffic: MakeTraffic, lab: Path, results_root: Path, sky: Cloud, keep: str, message: str
) -> None:
    with pytest.raises(InputError, match=f"^placement.keep_snapshots: .*{message}"):
        run(on(lab, traffic(TRAFFIC), keep))
    assert not results_root.exists()


def test_no_credentials_are_one_sentence(sky: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    with pytest.raises(InputError) as caught:
        bucket.check(S3Place("snaps", "me"))
    assert str(caught.value) == (
        "s3://snaps/me: found no AWS credentials, expected those of `aws configure` or "
        "`aws sso login`."
    )


def saved(folder: Path) -> Path:
    """Make a snapshot of one sparse file."""
    folder.mkdir(parents=True)
    with (folder / "node0.memory.region").open("wb") as stream:
        stream.truncate(256 << 20)
        stream.seek(100 << 20)
        stream.write(b"data")
    region = '{"file": "node0.memory.region", "bytes": 268435456}'
    (folder / "snapshot.json").write_text(
        '{"format": "firesim-snapshot", "cycle": 7, "models": [{"name": "node0", "kind": "rtl", '
        f'"regions": [{region}]}}]}}'
    )
    return folder


def test_holes_take_no_room_there_and_are_holes_again(sky: Cloud, tmp_path: Path) -> None:
    folder = saved(tmp_path / "auto-7")
    place = S3Place("snaps", "me/auto-7")
    bucket.send(folder, place)
    bucket.send(folder, place)
    (found,) = bucket.listed(S3Place("snaps", ""))
    assert found.place == place and found.bytes < 1 << 20
    again = bucket.fetched(place)
    name = "node0.memory.region"
    assert (again / name).stat().st_blocks * 512 < 2 << 20
    assert (again / name).read_bytes() == (folder / name).read_bytes()
    assert read_snapshot(again).cycle == 7
    bucket.remove(place)
    bucket.remove(place)
    assert bucket.listed(S3Place("snaps", "")) == []


def test_a_snapshot_that_is_removed_meanwhile_is_never_half_there(
    sky: Cloud, tmp_path: Path
) -> None:
    folder = saved(tmp_path / "auto-7")
    (folder / "node0.memory.region").unlink()
    with pytest.raises(OSError, match="changed or removed meanwhile"):
        bucket.send(folder, S3Place("snaps", "me/auto-7"))
    assert bucket.listed(S3Place("snaps", "")) == []


@pytest.mark.parametrize("name", ["../out", "/etc/out", "a/b", ".hidden", "link"])
def test_an_archive_of_anything_but_plain_files_is_refused(
    sky: Cloud, tmp_path: Path, name: str
) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo(name)
        if name == "link":
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member, io.BytesIO())
    client().put_object(Bucket="snaps", Key="bad.tar", Body=stream.getvalue())
    with pytest.raises(InputError, match="expected plain files"):
        bucket.fetched(S3Place("snaps", "bad"))
    assert not list((tmp_path / "cache/snapshots").glob("[!.]*"))


def _number(value: int) -> bytes:
    """Return a field of 12 bytes as GNU tar writes it: octal, or 11 bytes of its own."""
    if value < 8**11:
        return b"%011o\0" % value
    return b"\x80" + value.to_bytes(11, "big")


def _sparse(size: int, parts: list[tuple[int, int]]) -> bytes:
    """Return an archive with a file of holes, as GNU tar writes one."""
    member = tarfile.TarInfo("a.state")
    member.size, member.type = 512, tarfile.GNUTYPE_SPARSE
    head = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    for index, pair in enumerate(parts):
        for which, value in enumerate(pair):
            at = 386 + 24 * index + 12 * which
            head[at : at + 12] = _number(value)
    head[483:495] = _number(size)
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + b"x" * 512 + bytes(1024)


def _long_names(count: int) -> bytes:
    member = tarfile.TarInfo("././@LongLink")
    member.size, member.type = 10, tarfile.GNUTYPE_LONGNAME
    return (member.tobuf() + b"a.state".ljust(512, b"\0")) * count


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (_sparse(1 << 62, [(0, 512)]), "found 4,611,686,018,427,387,904 bytes in it"),
        (_sparse(4096, [(2048, 512), (0, 512)]), "no whole archive"),
        (_sparse(4096, [(0, 4096)]), "no whole archive"),
        (_long_names(3_000), "more than 16 headers for one member"),
        (b"\x80" * 4096, "no whole archive"),
        (b"", "no whole archive"),
    ],
)
def test_an_archive_that_never_ends_is_refused(sky: Cloud, content: bytes, said: str) -> None:
    client().put_object(Bucket="snaps", Key="bad.tar", Body=content)
    with pytest.raises(InputError, match=said):
        bucket.fetched(S3Place("snaps", "bad"))


def test_a_file_of_a_tebibyte_of_holes_is_there_at_once(sky: Cloud, tmp_path: Path) -> None:
    client().put_object(Bucket="snaps", Key="big.tar", Body=_sparse(1 << 40, [(1 << 39, 512)]))
    file = bucket.fetched(S3Place("snaps", "big")) / "a.state"
    assert file.stat().st_size == 1 << 40 and file.stat().st_blocks * 512 < 1 << 20
    with file.open("rb") as stream:
        stream.seek(1 << 39)
        assert stream.read(513) == b"x" * 512 + b"\0"


@pytest.mark.parametrize("text", ["s4://a", "s3://UPPER/x", "s3://", "scratch", "s3://abc/a b"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f'found "{text}", expected "manager", a folder such as'):
        kept(text)


def complete(folder: Path, name: str, index: str = "snapshot.json") -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / index).write_text('{"models": [{"name": "a", "state": null}]}')
    return folder / name


def test_the_last_automatic_one_stays_until_a_later_one_is_here(tmp_path: Path) -> None:
    """A host may be lost at any moment, also while the later one is on its way."""
    old = complete(tmp_path / "snapshots", "auto-1")
    new = tmp_path / "snapshots/auto-2"
    found = Kept(tmp_path)
    found.look(set())
    found.look({"auto-2"})
    assert old.exists()
    complete(tmp_path / "snapshots", "auto-2", PENDING)
    found.look({"auto-2"})
    assert not old.exists() and (new / "snapshot.json").exists()


def test_a_run_that_ends_between_two_looks_keeps_no_more_than_its_hosts(tmp_path: Path) -> None:
    for name in ("auto-1", "auto-2"):
        complete(tmp_path / "snapshots", name)
    mine = complete(tmp_path / "snapshots", "mine")
    found = Kept(tmp_path)
    found.look({"auto-1", "auto-2", "mine"})
    complete(tmp_path / "snapshots", "auto-3", PENDING)
    found.finish({"auto-2", "auto-3", "mine"})
    names = sorted(path.name for path in (tmp_path / "snapshots").iterdir())
    assert names == ["auto-2", "auto-3", "mine"] and mine.exists()


def test_shared_ones_of_before_a_loss_go_with_the_end_of_the_run(tmp_path: Path) -> None:
    before, now = tmp_path / "shared/run-1", tmp_path / "shared/run-2"
    old, kept_one = complete(before, "auto-1"), complete(before, "mine")
    (tmp_path / "results").mkdir()
    Shared(tmp_path / "results", before).look(set())
    found = Shared(tmp_path / "results", now)
    found.finish(set())
    assert old.exists(), "there is no later one"
    complete(now, "auto-2")
    found.look(set())
    assert old.exists(), "hosts may read from it"
    found.finish(set())
    names = sorted(path.name for path in (tmp_path / "results/snapshots").iterdir())
    assert not old.exists() and kept_one.exists() and names == ["auto-2", "mine"]
    assert os.access(now / "auto-2", os.R_OK)


def test_what_is_in_s3_stays_there_until_a_later_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    refused = {"auto-2"}

    def send(folder: Path, place: S3Place) -> None:
        steps.append(f"send {folder.name}")
        if folder.name in refused:
            raise InputError("S3 refuses: no.")

    monkeypatch.setattr(bucket, "send", send)
    monkeypatch.setattr(bucket, "remove", lambda place: steps.append(f"remove {place}"))
    said: list[str] = []
    found = InBucket(tmp_path, S3Place("snaps", "run"), said.append)
    for number in (1, 2, 3):
        complete(tmp_path / "snapshots", f"auto-{number}")
        found.look({f"auto-{number}"})
    found.finish({"auto-3"})
    gone = [f"remove s3://snaps/run/auto-{number}" for number in (1, 2)]
    assert steps == ["send auto-1", "send auto-2", "send auto-3", *gone]
    assert said == [
        "snapshots are kept below s3://snaps/run",
        "auto-2 is only here: S3 refuses: no.",
    ]
