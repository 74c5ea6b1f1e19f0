# SPDX-License-Identifier: BSD-3-Clause
"""The manager's hands on a host: a program that is sent there and needs only Python 3.8.

It imports nothing of FireSim but its own parts, agent_*.py. It reads requests, one JSON object a
line, and answers each with one line, so no shell ever sees a name. A request may be followed by
`body_bytes`, and so may an answer. While it works on a request it writes an empty line now and
then, to say that it lives. After an answer to `relay` all that follows is that stream.
All that it touches lies below one folder, except what hosts share: `store/` has files by the
SHA-256 of their content, `runs/RUN/` has one run each. The other side is client.py.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import platform
import random
import re
import shutil
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Iterator  # noqa: UP035 (Python 3.8)

from .agent_kernel import boot_id, is_free, memory, network_bytes, processor, unended
from .agent_notice import taken_away
from .agent_processes import (
    Answer,
    Refused,
    is_alive,
    link,
    living,
    marked,
    read_record,
    signal_all,
    signal_group,
    start_apart,
    sync,
    write_text,
)
from .agent_relay import Relay, connected, terminal

MARK = b"firesim agent 1\n"
ALIVE_S = 2.0
"""Seconds between two signs of life."""
KILLED_S = 10.0
"""A process that was killed and takes longer to end waits in the kernel, for a disk perhaps."""
PIECE = 1 << 20
FILES = "files"
MANAGERS = "manager"
"""The manager's file in a folder that is shared."""
RELAYED = "relayed"
"""In an answer: the descriptor that is relayed from then on."""


def plain(name: str) -> str:
    """Return a name that is one part of a path."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", name):
        raise Refused(f"found the name {name!r}, expected letters, digits and . _ -")
    return name


def inside(folder: Path, path: str) -> Path:
    """Return a path below a folder, given by its plain names."""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\0" in path:
        raise Refused(f"found the path {path!r}, expected one inside of the run")
    return folder.joinpath(*parts)


class Agent:
    """Answers requests: each method that takes one is a verb."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(os.path.abspath(Path(folder).expanduser()))  # noqa: PTH100
        self.store = self.folder / "store"
        self.all_runs = self.folder / "runs"

    def run_folder(self, request: Answer) -> Path:
        return self.all_runs / plain(request["run"])

    # --- the host itself ---

    def hello(self, request: Answer) -> Answer:
        """Make the folder and say what this host is."""
        for folder in (self.folder, self.store, self.all_runs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        model, flags = processor()
        return {
            "hostname": socket.gethostname(),
            "folder": str(self.folder),
            "cores": len(os.sched_getaffinity(0)),
            "memory_bytes": memory("MemTotal"),
            "free_bytes": shutil.disk_usage(self.folder).free,
            "machine": platform.machine(),
            "processor": model,
            "flags": flags,
            "libc": platform.libc_ver()[1],
            "time_s": time.time(),
            "boot_id": boot_id(),
        }

    def ports(self, request: Answer) -> Answer:
        """Return the first of `count` neighbouring ports that are free, of `span` from `first` on.

        By chance: two runs that begin at the same time should not meet on the same ones.
        """
        first, count = int(request["first"]), int(request["count"])
        end = min(first + int(request["span"]), 65536)
        starts = list(range(first, end - count + 1, count))
        random.shuffle(starts)
        for start in starts:
            if all(is_free(port) for port in range(start, start + count)):
                return {"port": start}
        raise Refused(f"found no {count} free ports from {first} to {end - 1}, expected some")

    def load(self, request: Answer) -> Answer:
        """Say how busy this host is."""
        sent, received = network_bytes()
        return {
            "load": os.getloadavg()[0],
            "available_bytes": memory("MemAvailable"),
            "free_bytes": shutil.disk_usage(self.folder).free,
            "sent_bytes": sent,
            "received_bytes": received,
        }

    def notice(self, request: Answer) -> Answer:
        """Say whether EC2 is about to take this host away."""
        return taken_away(request["address"])

    def shares(self, request: Answer) -> Answer:
        """Find what the manager has written to a folder that we share, and write there, too."""
        folder = Path(request["shared"])
        if (folder / MANAGERS).read_text() != request["token"]:
            raise Refused(f"found another folder at {folder}, expected the one it shares with us")
        write_text(folder / plain(request["name"]), request["token"])
        return {}

    # --- files by content ---

    def missing(self, request: Answer) -> Answer:
        """Return those of some hashes that the store does not have."""
        wanted = request["hashes"]
        return {"missing": [name for name in wanted if not (self.store / plain(name)).is_file()]}

    def put(self, request: Answer, body: Iterator[bytes]) -> Answer:
        """Take a file into the store; blocks of zeros take no room."""
        wanted = plain(request["hash"])
        part = self.store / f".{wanted[:16]}.{os.getpid()}"
        digest = hashlib.sha256()
        try:
            with part.open("wb") as stream:
                for piece in body:
                    digest.update(piece)
                    if piece.count(0) == len(piece):
                        stream.seek(len(piece), 1)
                    else:
                        stream.write(piece)
                stream.truncate()
                stream.flush()
                os.fsync(stream.fileno())
            if digest.hexdigest() != wanted:
                raise Refused(f"a file arrived changed, expected the hash {wanted[:16]}")
            part.chmod(0o500)
            part.rename(self.store / wanted)
            sync(self.store)  # Or a host that goes down has the name, and not what it names.
        finally:
            with suppress(FileNotFoundError):
                part.unlink()
        return {}

    def prune(self, request: Answer) -> Answer:
        """Remove what no run uses; return the bytes that are free again."""
        freed = 0
        for path in self.store.iterdir():
            about = path.stat()
            if about.st_nlink == 1 and about.st_mtime < time.time() - request["older_s"]:
                freed += about.st_blocks * 512
                path.unlink()
        return {"freed_bytes": freed}

    def forget(self, request: Answer) -> Answer:
        """Remove those of some contents that no run uses."""
        for name in request["hashes"]:
            path = self.store / plain(name)
            with suppress(FileNotFoundError):
                if path.stat().st_nlink == 1:
                    path.unlink()
        return {}

    # --- one run ---

    def make(self, request: Answer) -> Answer:
        """Make the folder of a run: `links` by path to content, `texts` by path; repeatable."""
        run = self.run_folder(request)
        for folder in [run, *(inside(run, path) for path in request["folders"])]:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, name in request["links"].items():
            place = inside(run, path)
            link(self.store / plain(name), place)
        for path, text in request["texts"].items():
            write_text(inside(run, path), text)
        return {}

    def start(self, request: Answer) -> Answer:
        """Start a process in the folder of a run; what runs there already is left as it is."""
        folder = self.run_folder(request)
        with (folder / ".start").open("w") as lock:
            # An agent whose connection froze in here may go on when the next one starts the same.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if living(folder) is None:
                with suppress(FileNotFoundError):
                    (folder / "exit_status").unlink()
                words = [str(inside(folder, request["program"])), *request["arguments"]]
                start_apart(folder, words, request["environment"])
        return {}

    def state(self, request: Answer) -> Answer:
        """Say whether the process of a run lives, and its exit status when it has ended."""
        folder = self.run_folder(request)
        alive, status = living(folder) is not None, None
        if not alive:
            with suppress(OSError, ValueError):
                status = int((folder / "exit_status").read_text())
        return {"alive": alive, "exit_status": status, "started": read_record(folder) is not None}

    def ask(self, request: Answer) -> Answer:
        """Ask the process of a run to end, and do not wait."""
        record = living(self.run_folder(request))
        if record is not None:
            signal_group(record, signal.SIGINT)
        return {"asked": record is not None}

    def end(self, request: Answer) -> Answer:
        """End the process of a run for certain, and no other one; refuse if it does not end."""
        record = read_record(self.run_folder(request))
        if record is None or not marked(record):
            return {"ended": False}
        signal_all(record, signal.SIGTERM)
        limit = time.monotonic() + request["grace_s"]
        while is_alive(record) and time.monotonic() < limit:
            time.sleep(0.02)
        limit = time.monotonic() + KILLED_S
        while left := marked(record):  # Also when its first process was killed.
            if time.monotonic() > limit:
                raise Refused(unended(left[0]))
            signal_all(record, signal.SIGKILL)
            time.sleep(0.02)
        return {"ended": True}

    def runs(self, request: Answer) -> Answer:
        """Return the runs on this host and whether each one's process lives."""
        folders = sorted(self.all_runs.iterdir()) if self.all_runs.is_dir() else []
        return {"runs": {folder.name: living(folder) is not None for folder in folders}}

    def remove(self, request: Answer) -> Answer:
        """Remove the folder of a run whose process has ended."""
        folder = self.run_folder(request)
        if living(folder) is not None:
            raise Refused(f"the run {folder.name} is not over, expected it ended")
        shutil.rmtree(folder, ignore_errors=True)
        return {}

    # --- results ---

    def listing(self, request: Answer) -> Answer:
        """Return [size, time of change in ns] of each result of a run."""
        top = str(self.run_folder(request))
        found = {}
        for path, folders, names in os.walk(top):
            if path == top and FILES in folders:
                folders.remove(FILES)
            for name in names:
                file = Path(path, name)
                with suppress(OSError):  # Renamed just now: the next look finds it.
                    about = file.lstat()
                    if file.is_file() and not file.is_symlink() and name[0] != ".":
                        place = os.path.relpath(file, top)
                        found[place] = [about.st_size, about.st_mtime_ns]
        return {"files": found}

    def digest(self, request: Answer) -> Answer:
        """Return the SHA-256 of the first `size` bytes of a result."""
        digest = hashlib.sha256()
        left = int(request["size"])
        with inside(self.run_folder(request), request["path"]).open("rb") as stream:
            while left > 0:
                piece = stream.read(min(PIECE, left))
                if not piece:
                    break
                digest.update(piece)
                left -= len(piece)
        return {"sha256": digest.hexdigest(), "missing_bytes": left}

    def read(self, request: Answer) -> Answer:
        """Return bytes of a result from an offset."""
        with inside(self.run_folder(request), request["path"]).open("rb") as stream:
            stream.seek(request["offset"])
            return {"body": stream.read(min(request["most_bytes"], 8 * PIECE))}

    def control(self, request: Answer) -> Answer:
        """Hand one line to the control socket of a run and return what it answers."""
        os.chdir(self.run_folder(request))  # The path of a socket must be short.
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(request["limit_s"])
            peer.connect(plain(request["socket"]))
            peer.sendall(json.dumps(request["line"]).encode() + b"\n")
            return {"answer": peer.makefile("rb").readline().decode()}

    def relay(self, request: Answer) -> Answer:
        """Open a port, or a terminal of a run, to which this agent's own input and output lead."""
        if "terminal" not in request:
            return {RELAYED: connected(request["address"], int(request["port"]))}
        line = terminal(str(inside(self.run_folder(request), request["terminal"])))
        if line is None:
            raise Refused(f"found no terminal at {request['terminal']}, expected a node's")
        return {RELAYED: line}


# --- requests ---


def body_of(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Return the body of a request piece by piece."""
    while size > 0:
        piece = stream.read(min(PIECE, size))
        if not piece:
            raise Refused(f"a file ended {size} bytes early")
        size -= len(piece)
        yield piece


def answer_to(request: Answer, stream: IO[bytes]) -> tuple[Answer, bytes]:
    """Return the answer to one request as an object and a body."""
    body = body_of(stream, request["body_bytes"]) if "body_bytes" in request else None
    try:
        verb = getattr(Agent(request["folder"]), request["verb"])
        answer: Answer = verb(request) if body is None else verb(request, body)
        content = answer.pop("body", b"")
        return {"ok": True, **answer}, content
    except Refused as error:
        return {"ok": False, "error": str(error)}, b""
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            text = f"found the disk of {request['folder']} full, expected room on it"
            return {"ok": False, "error": text}, b""
        where = f": {error.filename}" if error.filename else ""
        return {"ok": False, "error": f"{error.strerror}{where}"}, b""
    finally:
        for _ in body or ():  # Whatever was not read must not be taken for the next request.
            pass


def say_alive(number: int, frame: object) -> None:
    """Write an empty line; nothing else is written while this may be called."""
    os.write(1, b"\n")


def main() -> None:
    """Answer requests until there are no more."""
    reader, writer = sys.stdin.buffer, sys.stdout.buffer
    signal.signal(signal.SIGALRM, say_alive)
    os.umask(0o077)
    writer.write(MARK)
    writer.flush()
    for line in iter(reader.readline, b""):
        signal.setitimer(signal.ITIMER_REAL, ALIVE_S, ALIVE_S)
        answer, content = answer_to(json.loads(line.decode()), reader)
        signal.setitimer(signal.ITIMER_REAL, 0)
        writer.write(json.dumps({**answer, "body_bytes": len(content)}).encode() + b"\n" + content)
        writer.flush()
        if RELAYED in answer:
            with suppress(BrokenPipeError):
                Relay(answer[RELAYED], ALIVE_S).run()
            return
