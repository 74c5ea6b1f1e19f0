# SPDX-License-Identifier: BSD-3-Clause
"""The processes of runs on a host: started apart from the agent, known for certain, ended.

A part of the agent (agent.py), so it imports nothing of FireSim but other parts.
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict  # noqa: UP035 (Python 3.8)

from .agent_kernel import boot_id, started_ticks

RECORD = "process.json"
MARKED = "FIRESIM_PROCESS"
"""In the environment of a run's processes: what is found there was started by this run."""
LOG = "run.log"
STATUS = ".exit_status"
"""Made before the process starts, so that a disk that is full at its end has room for it."""
SCRIPT = (
    """trap : INT TERM; "$@"; status=$?; trap '' INT TERM; """
    f"echo $status 1<> {STATUS} && mv {STATUS} exit_status"
)
"""Keeps the status of a process that nobody waits for; signals are for the process itself."""

Answer = Dict[str, Any]  # noqa: UP006 (Python 3.8)


class Refused(Exception):
    """What was asked for cannot be done; the text is for the user."""


def start_apart(folder: Path, words: list[str], environment: Answer) -> None:
    """Start a process in a session of its own, which outlives us; write its record."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        become(folder, words, environment, writing)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as stream:
        if fault := stream.read():
            raise Refused(f"the process could not be started: {fault}")


def become(folder: Path, words: list[str], environment: Answer, faults: int) -> None:
    """Fork once more, so that nobody has to wait, and become the process. Does not return."""
    try:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        os.setpgid(0, 0)
        os.chdir(folder)
        os.umask(0o077)
        for name in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_DFL)  # Python ignores some, and hands that down.
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        write_text(folder / STATUS, " " * 8)
        log = os.open(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for number in (1, 2):
            os.dup2(log, number)
        pid = os.getpid()
        record = {"pid": pid, "started_ticks": started_ticks(pid), "boot_id": boot_id()}
        record["mark"] = os.urandom(16).hex()
        write_text(folder / RECORD, json.dumps(record))
        command = ["/bin/sh", "-c", SCRIPT, "firesim", *words]
        os.execve(command[0], command, {**os.environ, **environment, MARKED: record["mark"]})
    except BaseException as error:
        os.write(faults, str(error).encode())
    os._exit(127)


def write_text(path: Path, text: str) -> None:
    """Write a file that is either old or whole, for its owner only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.parent / f".part-{os.getpid()}"
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        stream.write(text)
    part.rename(path)


def sync(folder: Path) -> None:
    """Have the names in a folder on its disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def link(content: Path, place: Path) -> None:
    """Put a content of the store at a place, whatever was there."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = place.parent / f".part-{os.getpid()}"
    with suppress(FileNotFoundError):
        part.unlink()
    os.link(content, part)
    part.replace(place)
    with suppress(FileNotFoundError):  # Of two links to one file, replacing keeps both.
        part.unlink()


def read_record(folder: Path) -> Answer | None:
    """Return the record of a run's process, None when there is no whole one."""
    try:
        record = json.loads((folder / RECORD).read_text())
        return {key: record[key] for key in ("pid", "started_ticks", "boot_id", "mark")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def living(folder: Path) -> Answer | None:
    """Return the record of a run's process if that lives."""
    record = read_record(folder)
    return record if record is not None and is_alive(record) else None


def is_alive(record: Answer) -> bool:
    """Return whether exactly that process lives, and not a later one with its number."""
    ticks = started_ticks(record["pid"])
    return ticks is not None and (boot_id(), ticks) == (record["boot_id"], record["started_ticks"])


def marked(record: Answer) -> list[int]:
    """Return the processes that descend from a run's, by their environment, wherever they went."""
    found = []
    mark = f"{MARKED}={record['mark']}".encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):  # Ended just now, or another user's.
                if mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found.append(int(name))
    return found


def signal_all(record: Answer, number: int) -> None:
    """Signal all processes of a run."""
    for pid in marked(record):
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def signal_group(record: Answer, number: int) -> None:
    """Signal the group that a process leads, which is its own as long as anyone is in it."""
    with suppress(ProcessLookupError):
        os.killpg(record["pid"], number)
