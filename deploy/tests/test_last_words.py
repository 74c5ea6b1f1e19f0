# SPDX-License-Identifier: BSD-3-Clause
"""A run always says how it ended: on a full disk, without a log, with a process that stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from firesim.hosts.answers import About
from firesim.hosts.client import HostClient
from firesim.pipeline import run as pipeline
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import make_ready
from firesim.remote.record import HostsRecord, load, save
from firesim.work import process, process_tree
from firesim.work.folder import (
    HOSTS_RECORD,
    RESULT,
    make_reserve,
    new_folder,
    record_of,
    release_rooms,
    write_json,
)
from firesim.work.process import Simulator
from firesim_common.errors import InputError
from firesim_common.whole_file import make_room, room_of, write_whole
from rich.console import Console

MakeTraffic = Callable[..., Path]
ENDLESS = "0 FF:FF:FF:FF:FF:FF 1500 repeat 4000000000 100\n"
QUIET = Console(quiet=True)
LIMIT_S = 120.0
FILL = """
import os
def fill(folder):
    with open(os.path.join(folder, "rest"), "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)): pass
        except OSError as error:
            assert error.errno == 28, error
"""
RECORDS = (
    FILL
    + """
import sys
from pathlib import Path
from firesim.work.folder import *
from firesim.remote.record import *
folder = Path(sys.argv[1])
record = HostsRecord("run", "farm", ["a", "b"])
make_reserve(folder)
save(folder, record)
fill(folder)
try:
    write_json(folder / "other.json", {"text": "x" * 5000})
    sys.exit("the disk is not full")
except OSError:
    pass
save_record(folder, record_of(os.getpid()), None)
save(folder, HostsRecord(**{**vars(record), "over": True}))
write_json(folder / RESULT, {"reason": "error", "message": "x" * 60_000})
assert load_simulator(folder) == record_of(os.getpid())
assert load(folder).over
assert saved_result(folder)["reason"] == "error"
"""
)
SLOW_MANAGER = (
    FILL
    + """
import sys, time
from firesim.cli.main import app
from firesim.work import process
save = process.save_record
def late(folder, *records):
    limit = time.monotonic() + 30
    while time.monotonic() < limit and os.statvfs(folder).f_bavail > 0:
        time.sleep(0.01)
    save(folder, *records)
process.save_record = late
app(sys.argv[1:])
"""
)
"""A manager that gets no processor until its simulator has filled the disk."""


def on_small_disk(disk: Path, mib: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command whose folder `disk` is a disk of its own; what is in it is copied beside it."""
    disk.mkdir()
    script = f'mount -t tmpfs -o size={mib}m tmpfs "$0" || exit 77; "$@"; status=$?; '
    script += 'cp -r "$0/out" "$0/../copy" 2> /dev/null; exit $status'
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", script, disk, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("this host allows no mount name spaces")
    return done


def test_records_are_written_on_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    done = on_small_disk(disk, 2, sys.executable, "-c", RECORDS, disk)
    assert done.returncode == 0, done.stderr


def test_a_disk_that_is_full_before_the_record_is_written_leaves_results(
    traffic: MakeTraffic, tmp_path: Path
) -> None:
    config, disk = traffic(ENDLESS), tmp_path / "disk"
    words = ["runworkload", "-c", str(config), "--results", str(disk / "out")]
    words += ["-x", "simulation.captures=true"]
    done = on_small_disk(disk, 8, sys.executable, "-c", SLOW_MANAGER, *words)
    assert done.returncode == 3, done.stdout + done.stderr
    result = json.loads((tmp_path / "copy" / RESULT).read_text())
    assert result["reason"] == "error"
    assert "No space left on device" in result["message"] or "is full" in result["message"]
    status = (tmp_path / "copy/status.jsonl").read_text().splitlines()
    assert all(json.loads(line)["models"] for line in status), "a line is whole or is not there"
    assert not list((tmp_path / "copy").glob(".*")), "nothing reserved is left"


def test_a_file_is_written_into_its_room(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    make_room(file, 10_000)
    room = room_of(file).stat()
    assert room.st_blocks * 512 >= 10_000
    write_whole(file, "short\n")
    assert (file.read_text(), file.stat().st_ino) == ("short\n", room.st_ino)
    assert not room_of(file).exists()
    (tmp_path / "target").write_text("kept")
    for planted in ("link", "hard link", "folder"):
        place = room_of(file)
        if planted == "link":
            place.symlink_to(tmp_path / "target")
        elif planted == "hard link":
            place.hardlink_to(tmp_path / "target")
        else:
            place.mkdir()
        write_whole(file, planted)
        assert (file.read_text(), (tmp_path / "target").read_text()) == (planted, "kept")
        place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


def test_what_was_reserved_is_given_back(tmp_path: Path) -> None:
    make_reserve(tmp_path)
    save(tmp_path, HostsRecord("run", "farm", ["a"]))
    assert room_of(tmp_path / HOSTS_RECORD).exists(), "the end of the run is noted, too"
    save(tmp_path, HostsRecord("run", "farm", ["a"], over=True))
    found = load(tmp_path)
    assert found is not None and found.over
    write_json(tmp_path / RESULT, {})
    release_rooms(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".reserve", HOSTS_RECORD, RESULT]


def simulator(folder: Path, script: str) -> Simulator:
    """Return a simulator that is a script of the shell."""
    program = folder / "simulator.sh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Simulator(program, folder / "description.json", folder)


def test_a_log_that_cannot_be_opened_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "run.log").mkdir()
    found = simulator(tmp_path, "yes 'a line' | head -n 100000; echo last; exit 3")
    try:
        assert found.process.wait(timeout=LIMIT_S) == 3
        assert found.last_words() == "last"
        said = [f"{tmp_path / 'run.log'}: cannot be written: Is a directory"]
        assert (found.news(), found.news()) == (said, [])
    finally:
        found.process.kill()


def test_a_simulator_that_does_not_end_is_left_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "KILLED_S", 0.1)
    # As one that waits in the kernel for a disk: no signal ends it.
    monkeypatch.setattr(Simulator, "_signal_group", lambda *_: None)
    found = simulator(tmp_path, f"trap '' INT; touch {tmp_path}/ready; sleep 600")
    while not (tmp_path / "ready").exists():
        time.sleep(0.02)
    try:
        assert found.stop(grace_s=0.1) == -signal.SIGKILL
        pid = found.process.pid
        assert found.unended.startswith(
            f"firesim-sim: process {pid} (simulator.sh) does not end after SIGKILL: it is in state"
        )
    finally:
        os.killpg(found.process.pid, signal.SIGKILL)
        found.process.wait()


def test_a_descendant_that_does_not_end_is_left_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(process_tree, "KILLED_S", 0.1)
    monkeypatch.setattr(process_tree, "_send", lambda *_: None)
    child = subprocess.Popen(["sleep", "600"])
    try:
        spared = {one for one in process_tree.descendants(os.getpid()) if one.pid != child.pid}
        process_tree._end_all(spared, 0.1)
        said = f"process {child.pid} (sleep) does not end after SIGKILL"
        assert said in capsys.readouterr().err
        assert record_of(child.pid) is not None
    finally:
        child.kill()
        child.wait()


def refuse(*_: object) -> None:
    raise InputError("refused.")


@pytest.mark.parametrize("was_there", [True, False])
def test_a_refused_run_leaves_the_folder_of_the_user_as_it_was(
    was_there: bool, traffic: MakeTraffic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "build", refuse)
    results = tmp_path / "mine"
    if was_there:
        results.mkdir()
    with pytest.raises(InputError, match="refused"):
        make_ready(resolve(load_file(traffic(ENDLESS))), results, QUIET)
    assert results.is_dir() == was_there
    if was_there:
        assert list(results.iterdir()) == []
        assert new_folder("name", results) == results


@pytest.mark.parametrize("step", ["open_metrics", "new_folder", "build", "describe", "bring"])
def test_no_connection_stays_when_a_later_step_refuses(
    step: str,
    traffic: MakeTraffic,
    tmp_path: Path,
    results_root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[HostClient] = []
    about = HostClient.about

    def noted(host: HostClient) -> About:
        seen.append(host)
        return about(host)

    monkeypatch.setattr(HostClient, "about", noted)
    monkeypatch.setattr(pipeline, step, refuse)
    farm = tmp_path / "lab.yaml"
    farm.write_text(f"kind: local\nprocesses: 2\nfolder: {tmp_path / 'hosts'}\n")
    with pytest.raises(InputError, match="refused"):
        loaded = load_file(traffic(ENDLESS), [f'placement.run_farm="{farm}"'])
        make_ready(resolve(loaded), None, QUIET)
    assert len(seen) == 2
    assert [host.name for host in seen if host._channel is not None] == []


def test_a_host_that_cannot_be_followed_ends_the_run(
    traffic: MakeTraffic, tmp_path: Path, results_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state(host: HostClient, run: str) -> NoReturn:
        raise KeyError("alive")

    monkeypatch.setattr(HostClient, "state", state)
    farm = tmp_path / "lab.yaml"
    farm.write_text(f"kind: local\nprocesses: 2\nfolder: {tmp_path / 'hosts'}\n")
    placement = f'placement={{run_farm: "{farm}", resume: never}}'
    outcome = pipeline.run(load_file(traffic(ENDLESS), [placement]))
    assert outcome.exit_status == 3
    assert "cannot be followed: KeyError: 'alive'" in outcome.message
    records = [
        json.loads(file.read_text()) for file in tmp_path.glob("hosts/*/runs/*/process.json")
    ]
    assert len(records) == 2
    assert not [one for one in records if record_of(one["pid"]) is not None]
