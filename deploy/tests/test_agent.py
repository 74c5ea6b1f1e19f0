# SPDX-License-Identifier: BSD-3-Clause
"""The agent on a host: files by content, processes that outlive it, nothing else touched."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from firesim.hosts import agent, agent_kernel, agent_processes
from firesim.hosts.channel import Channel, HostLost, LocalLink, ProcessChannel
from firesim.hosts.client import PARTS, STARTER, HostClient, HostError, sha256_of
from firesim.hosts.timed import QUIET_S

SLEEP = Path("/bin/sleep")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[HostClient]:
    host = HostClient("lab1", LocalLink(), str(tmp_path / "host"))
    host.about()
    yield host
    for run in host.runs():
        host.end(run, 0)
    host.close()


def made(client: HostClient, run: str, program: Path = SLEEP) -> None:
    """Make a run whose program is a file of this computer."""
    sha256 = sha256_of(program)
    if client.missing([sha256]):
        client.put(program, sha256)
    client.make(run, {"files/program": sha256}, {"note.txt": "hello\n"}, ["node0"])


def record_of(client: HostClient, run: str) -> dict[str, int]:
    file = Path(client.folder) / "runs" / run / "process.json"
    value: dict[str, int] = json.loads(file.read_text())
    return value


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)


def until_over(client: HostClient, run: str) -> int | None:
    while (state := client.state(run)).alive:
        time.sleep(0.02)
    return state.exit_status


def test_a_process_outlives_the_agent_and_is_found_again(client: HostClient) -> None:
    made(client, "one")
    client.start("one", "files/program", ["600"], {})
    pid = record_of(client, "one")["pid"]
    client.close()
    assert client.state("one").alive
    client.start("one", "files/program", ["600"], {})
    assert record_of(client, "one")["pid"] == pid, "what runs already is not started again"
    assert client.end("one", 5)
    assert not client.state("one").alive
    assert not client.end("one", 5)


def test_the_exit_status_of_a_process_that_nobody_waited_for_is_kept(client: HostClient) -> None:
    made(client, "false", Path("/bin/false"))
    client.start("false", "files/program", [], {})
    assert until_over(client, "false") == 1
    made(client, "killed")
    client.start("killed", "files/program", ["600"], {})
    os.killpg(record_of(client, "killed")["pid"], signal.SIGKILL)
    assert until_over(client, "killed") is None


def test_only_the_process_of_the_run_is_ever_ended(client: HostClient) -> None:
    made(client, "one")
    stranger = subprocess.Popen([SLEEP, "600"], start_new_session=True)
    try:
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # Its number, but another start: as when the number has been given to someone else.
        record = {"pid": stranger.pid, "started_ticks": 1, "boot_id": boot_id, "mark": "x"}
        (Path(client.folder) / "runs/one/process.json").write_text(json.dumps(record))
        assert not client.state("one").alive
        assert not client.end("one", 0)
        assert not client.ask("one")
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_what_is_left_of_a_run_is_ended_wherever_it_went(client: HostClient) -> None:
    """Its first process was killed, and another one has left its group and its session."""
    made(client, "one", Path("/bin/sh").resolve())
    client.start("one", "files/program", ["-c", "setsid sleep 600 & sleep 600"], {})
    record = record_of(client, "one")
    while len(found := agent_processes.marked(record)) < 4:
        time.sleep(0.02)
    os.kill(record["pid"], signal.SIGKILL)
    while client.state("one").alive:
        time.sleep(0.02)
    assert client.end("one", 0.1)
    assert not agent_processes.marked(record)
    assert not [pid for pid in found if agent_kernel.started_ticks(pid) is not None]
    assert not client.end("one", 0)


def test_a_process_that_ignores_the_request_is_ended_by_force(client: HostClient) -> None:
    made(client, "deaf", Path(sys.executable).resolve())
    code = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    client.start("deaf", "files/program", ["-c", code], {})
    assert client.end("deaf", 0.3)
    assert not client.state("deaf").alive


def test_holes_stay_holes_and_hashes_are_checked(client: HostClient, tmp_path: Path) -> None:
    sparse = tmp_path / "disk"
    with sparse.open("wb") as stream:
        stream.truncate(64 << 20)
        stream.seek(40 << 20)
        stream.write(b"data")
    sha256 = sha256_of(sparse)
    client.put(sparse, sha256)
    stored = Path(client.folder) / "store" / sha256
    assert stored.stat().st_size == 64 << 20
    assert stored.stat().st_blocks * 512 < 8 << 20
    with pytest.raises(HostError, match="arrived changed"):
        client.put(SLEEP, "0" * 64)
    assert sorted(path.name for path in stored.parent.iterdir()) == [sha256]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a//b", ".", "node0/../../x", ""])
def test_no_path_leads_out_of_the_run(client: HostClient, path: str) -> None:
    made(client, "one")
    with pytest.raises(HostError, match="expected one inside of the run"):
        client.read("one", path, 0, 1)


@pytest.mark.parametrize("run", ["..", "a/b", "", ".hidden", "x" * 129])
def test_no_run_leads_out_of_the_folder(client: HostClient, run: str) -> None:
    with pytest.raises(HostError, match="found the name"):
        client.make(run, {}, {})


def test_nothing_is_readable_by_others(client: HostClient) -> None:
    made(client, "one")
    client.start("one", "files/program", ["0"], {})
    until_over(client, "one")
    top = Path(client.folder)
    found = [top, *top.rglob("*")]
    assert [path for path in found if path.lstat().st_mode & 0o077] == []


def test_results_are_listed_without_what_was_sent(client: HostClient) -> None:
    made(client, "one")
    assert client.read("one", "note.txt", 2, 3) == b"llo"
    assert sorted(client.listing("one")) == ["note.txt"]
    assert client.digest("one", "note.txt", 7) == ""


def test_a_run_that_lives_is_not_removed(client: HostClient) -> None:
    made(client, "one")
    client.start("one", "files/program", ["600"], {})
    with pytest.raises(HostError, match="is not over"):
        client.remove("one")
    client.end("one", 5)
    client.remove("one")
    assert client.runs() == {}
    assert client.prune(0) > 0, "no run uses the program any more"


def test_what_a_run_uses_is_not_forgotten(client: HostClient) -> None:
    made(client, "one")
    (content,) = {file.name for file in Path(client.folder, "store").iterdir()}
    client.forget([content, "0" * 64])
    assert client.missing([content]) == set()
    client.remove("one")
    client.forget([content])
    assert client.missing([content]) == {content}


def test_free_ports_are_neighbours_in_their_span(client: HostClient) -> None:
    first = client.ports(20000, 300, 3)
    assert first in range(20000, 20298)
    with pytest.raises(HostError, match="no 3 free ports from 65534 to 65535"):
        client.ports(65534, 300, 3)


class _Elsewhere:
    """A host on which something else than the agent answers."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def open(self, words: Sequence[str]) -> Channel:
        return ProcessChannel(self.words)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["sh", "-c", "echo no python3 here >&2; exit 127"], "no python3 here"),
        (["true"], "expected Python"),
        (["yes"], "a login shell that says much"),
    ],
)
def test_a_host_without_the_agent_is_named(words: list[str], text: str, tmp_path: Path) -> None:
    with pytest.raises(HostLost, match=f"lab9: .*{text}"):
        HostClient("lab9", _Elsewhere(words), str(tmp_path)).about()


@pytest.mark.parametrize(
    "answer",
    [
        "[1]",
        "{}",
        '{"ok": true}',
        '{"ok": true, "body_bytes": -1}',
        '{"ok": true, "body_bytes": 1e999}',
        '{"ok": true, "body_bytes": 999999999999}',
        '{"ok": false, "body_bytes": 0}',
        '{"ok": true, "body_bytes": 0}',
        '{"ok": true, "body_bytes": 0, "runs": 5}',
        '{"ok": true, "body_bytes": 0, "runs": {"a": "perhaps"}}',
        "[" * 5_000,
        "NaN",
    ],
)
def test_an_answer_that_no_agent_gives_is_one_sentence(answer: str, tmp_path: Path) -> None:
    says = (
        f"import sys; print({agent.MARK.decode()!r}, end=''); print({answer!r}); sys.stdin.read()"
    )
    host = HostClient("lab9", _Elsewhere(["python3", "-c", says]), str(tmp_path))
    with pytest.raises(HostLost, match="lab9: "):
        host.runs()


SHAPES: dict[str, Callable[[HostClient], object]] = {
    "hello": lambda host: host.about(),
    "ports": lambda host: host.ports(1, 2, 3),
    "load": lambda host: host.load(),
    "notice": lambda host: host.notice("address"),
    "missing": lambda host: host.missing([]),
    "prune": lambda host: host.prune(0),
    "state": lambda host: host.state("run"),
    "ask": lambda host: host.ask("run"),
    "end": lambda host: host.end("run", 0),
    "runs": lambda host: host.runs(),
    "listing": lambda host: host.listing("run"),
    "digest": lambda host: host.digest("run", "file", 1),
    "control": lambda host: host.control("run", "socket", {}, 1),
}
"""Requests whose answers say something."""


@pytest.mark.parametrize("verb", SHAPES)
def test_an_answer_of_another_shape_is_one_sentence(verb: str, tmp_path: Path) -> None:
    text = '{"ok": true, "body_bytes": 0, "alive": [], "files": {"a": [1]}, "answer": 5}'
    says = f"import sys; print({agent.MARK.decode()!r}, end=''); print({text!r}); sys.stdin.read()"
    host = HostClient("lab9", _Elsewhere(["python3", "-c", says]), str(tmp_path))
    with pytest.raises(HostLost, match=f'lab9: found .* of the answer to "{verb}", expected what'):
        SHAPES[verb](host)


def test_a_process_that_does_not_end_is_refused_in_time(
    client: HostClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "KILLED_S", 0.1)
    # As one that waits in the kernel for a disk: no signal ends it.
    monkeypatch.setattr(agent, "signal_all", lambda *_: None)
    made(client, "one")
    client.start("one", "files/program", ["600"], {})
    request = {"run": "one", "grace_s": 0}
    with pytest.raises(
        agent_processes.Refused, match=r"process \d+ .* does not end after SIGKILL: it is in"
    ):
        agent.Agent(client.folder).end(request)


def test_the_status_of_a_process_has_its_room_before_it_starts(client: HostClient) -> None:
    made(client, "one", Path("/bin/sh").resolve())
    client.start("one", "files/program", ["-c", "trap 'exit 77' INT; sleep 600 & wait"], {})
    folder = Path(client.folder) / "runs/one"
    room = folder / ".exit_status"
    about = room.stat()
    assert about.st_size > len("255\n")
    until(lambda: len(agent_processes.marked(record_of(client, "one"))) == 3)
    client.ask("one")
    assert until_over(client, "one") == 77
    assert (folder / "exit_status").stat().st_ino == about.st_ino


def test_a_log_that_cannot_be_opened_is_refused(client: HostClient) -> None:
    made(client, "one")
    (Path(client.folder) / "runs/one/run.log").mkdir()
    with pytest.raises(HostError, match="could not be started: .*Is a directory"):
        client.start("one", "files/program", ["600"], {})


def test_what_a_login_shell_says_first_is_skipped(tmp_path: Path) -> None:
    script = f"echo Welcome; exec {sys.executable} -I -S -c {shlex.quote(STARTER)}"
    host = HostClient("lab1", _Elsewhere(["sh", "-c", script]), str(tmp_path))
    assert host.about().cores >= 1
    host.close()


def test_a_busy_computer_is_not_lost(client: HostClient) -> None:
    """An agent of this computer that gets no processor for a while still has its answer taken."""
    assert isinstance(client._channel, ProcessChannel)
    pid = client._channel.process.pid
    os.kill(pid, signal.SIGSTOP)
    waking = threading.Timer(QUIET_S + 1, os.kill, (pid, signal.SIGCONT))
    waking.start()
    began = time.monotonic()
    assert client.runs() == {}
    waking.join()
    assert time.monotonic() - began > QUIET_S


def test_the_agent_needs_nothing_of_ours() -> None:
    for name in PARTS:
        source = (Path(agent.__file__).parent / f"{name}.py").read_text()
        assert "import firesim" not in source and "from firesim" not in source
