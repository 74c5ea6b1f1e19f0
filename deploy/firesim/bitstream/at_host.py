# SPDX-License-Identifier: BSD-3-Clause
"""One job on one host of a build farm: sent by content, started or found again, followed, fetched.

The host layer is that of runs (firesim.hosts): a job is a run whose program is a line of words.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from firesim_common.tools import ToolError

from firesim.bitstream.builders.base import FAULT, STAGE, Job
from firesim.hosts.bundle import Bundler
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost

PROGRAM = "files/run"
SCRIPT = '#!/bin/sh\nexec "$@"\n'
"""What the agent starts: it starts programs of a run's folder only."""
LOG = "run.log"
POLL_S = 0.5
GRACE_S = 3.0
PIECE = 4 << 20
Follow = Callable[[str], None]
"""Is told the stage that a job is at."""


class JobFailed(ToolError):
    """A job ended with a fault of its own; the text is for the user."""


class Stopped(Exception):
    """A job was ended because all are to end."""


class HostJob:
    """A job under a name on a host."""

    def __init__(self, ready: ReadyHost, name: str, job: Job) -> None:
        """Take all that is needed; nothing is asked of the host."""
        self.ready, self.name, self.job = ready, name, job
        self.client = ready.client
        self._read = 0
        self._tail = ""
        self.fault = ""
        self.last = ""

    def run(self, folder: Path, follow: Follow, stop: threading.Event, again: bool = False) -> None:
        """Run it to its end and fetch what it leaves into `folder`; nothing stays on the host.

        With `again` a job of that name that runs there already is followed, and one that has
        ended well is fetched: its name says all that it depends on.

        Raises:
            JobFailed: it failed; its logs are in the folder.
            Stopped: `stop` was set.
            HostLost, HostError: the host is gone or refuses.
        """
        try:
            if not (again and self._is_there()):
                self.start()
            status = self._followed(follow, stop)
            self._fetch(folder, self.job.logs, must=False)
            if status != 0:
                raise JobFailed(f"{self.ready.name}: {self._why(status)}")
            self._fetch(folder, self.job.results, must=True)
        finally:
            self.clear()

    def _is_there(self) -> bool:
        if self.name not in self.client.runs():
            return False
        state = self.client.state(self.name)
        return state.alive or state.exit_status == 0

    def start(self) -> None:
        """Send and start it, in place of what was left of that name."""
        self.clear()
        self._send()
        self.client.start(self.name, PROGRAM, self.job.words, self.job.environment)

    def clear(self) -> None:
        """End it and remove its folder, if the host still answers."""
        with suppress(HostLost, HostError):
            self.client.end(self.name, GRACE_S)
            self.client.remove(self.name)

    def _send(self) -> None:
        bundler = Bundler()
        with tempfile.TemporaryDirectory() as name:
            program = Path(name) / "run"
            program.write_text(SCRIPT)
            files = {PROGRAM: program, **self.job.files}
            bundler.send(self.client, files)
            links = {place: bundler.sha256(file) for place, file in files.items()}
        self.client.make(self.name, links, self.job.texts)

    def _followed(self, follow: Follow, stop: threading.Event) -> int | None:
        """Return the job's exit status, None when something has killed it."""
        while True:
            if stop.is_set():
                raise Stopped
            state = self.client.state(self.name)
            self._look(follow)
            if not state.alive:
                self._look(follow)
                return state.exit_status
            stop.wait(POLL_S)

    def _look(self, follow: Follow) -> None:
        """Take what is new of the log."""
        with suppress(HostError):  # It is not there yet.
            text = self.client.read(self.name, LOG, self._read, PIECE)
            self._read += len(text)
            lines = (self._tail + text.decode(errors="replace")).split("\n")
            self._tail = lines.pop()
            for line in lines:
                self._line(line.strip(), follow)

    def _line(self, line: str, follow: Follow) -> None:
        if line.startswith(STAGE):
            follow(line.removeprefix(STAGE))
        elif line.startswith(FAULT):
            self.fault = self.fault or line.removeprefix(FAULT)
        elif line:
            self.last = line

    def _why(self, status: int | None) -> str:
        if self.fault:
            return f"{self.fault}."
        if status is None:
            return "the job was killed from outside."
        return f"the job ended with exit status {status}: {self.last or 'it said nothing'}."

    def _fetch(self, folder: Path, names: Sequence[str], must: bool) -> None:
        there = self.client.listing(self.name)
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            if name not in there:
                if must:
                    raise JobFailed(f"{self.ready.name}: the job left no {name}.")
                continue
            self._fetch_one(folder / name, name, there[name][0])

    def _fetch_one(self, file: Path, name: str, size: int) -> None:
        digest, offset = hashlib.sha256(), 0
        with file.open("wb") as stream:
            while offset < size:
                piece = self.client.read(self.name, name, offset, PIECE)
                if not piece:
                    break
                stream.write(piece)
                digest.update(piece)
                offset += len(piece)
        if digest.hexdigest() != self.client.digest(self.name, name, size):
            raise JobFailed(f"{self.ready.name}: {name} arrived changed.")
