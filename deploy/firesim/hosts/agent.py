# SPDX-License-Identifier: BSD-3-Clause
"""The manager's hands on a host: a program that is sent there and needs only Python 3.8.

It imports nothing of FireSim. It reads requests, one JSON object a line, and answers each with one
line, so no shell ever sees a name. A request may be followed by `body_bytes`, and so may an answer.
While it works on a request it writes an empty line now and then, to say that it lives.
All that it touches lies below one folder: `store/` has files by the SHA-256 of their content,
`runs/RUN/` has one run each. The other side is client.py.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Dict, Iterator  # noqa: UP035 (Python 3.8)

MARK = b"firesim agent 1\n"
ALIVE_S = 2.0
"""Seconds between two signs of life."""
PIECE = 1 << 20
RECORD = "process.json"
FILES = "files"
MARKED = "FIRESIM_PROCESS"
"""In the environment of a run's processes: what is found there was started by this run."""
SCRIPT = (
    'trap : INT TERM; "$@" > run.log 2>&1 < /dev/null; '
    "echo $? > .exit_status && mv .exit_status exit_status"
)
"""Keeps the status of a process that nobody waits for; signals are for the process itself."""

Answer = Dict[str, Any]  # noqa: UP006 (Python 3.8)


class Refused(Exception):
    """What was asked for cannot be done; the text is for the user."""


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
        """Return the first of `count` neighbouring ports that are free, from `first` on."""
        port, count = int(request["first"]), int(request["count"])
        while port + count <= 65536:
            taken = [number for number in range(port, port + count) if not is_free(number)]
            if not taken:
                return {"port": port}
            port = taken[-1] + 1
        raise Refused(f"found no {count} free ports from {request['first']} on, expected some")

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
            if digest.hexdigest() != wanted:
                raise Refused(f"a file arrived changed, expected the hash {wanted[:16]}")
            part.chmod(0o500)
            part.rename(self.store / wanted)
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
        """End the process of a run for certain, and no other one."""
        record = read_record(self.run_folder(request))
        if record is None or not marked(record):
            return {"ended": False}
        signal_all(record, signal.SIGTERM)
        limit = time.monotonic() + request["grace_s"]
        while is_alive(record) and time.monotonic() < limit:
            time.sleep(0.02)
        while marked(record):  # Whatever of it is left, also when its first process was killed.
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


# --- processes ---


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
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
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


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def started_ticks(pid: int) -> int | None:
    """Return when a process started, None when there is none or it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


# --- what the kernel says of the host ---


def is_free(port: int) -> bool:
    """Return whether nobody listens on a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


def memory(key: str) -> int:
    """Return a line of /proc/meminfo in bytes."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))


def processor() -> tuple[str, list[str]]:
    """Return the name of the processor and what it can do, of the first core."""
    found: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    return found.get("model name", ""), found.get("flags", "").split()


def network_bytes() -> tuple[int, int]:
    """Return the bytes sent and received over all interfaces but loopback."""
    sent = received = 0
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        name, _, rest = line.partition(":")
        if name.strip() != "lo":
            numbers = rest.split()
            received, sent = received + int(numbers[0]), sent + int(numbers[8])
    return sent, received


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


if __name__ == "__main__":
    main()
