# SPDX-License-Identifier: BSD-3-Clause
"""The simulator as a child process: start, ask to stop, make stop, say how it ended."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from firesim.build.launch import start
from firesim.hosts.agent_kernel import unended
from firesim.work.folder import ProcessRecord, is_alive, record_of, save_record

GRACE_S = 30.0
"""How long a simulator may take to write its results after being asked to stop."""
KILLED_S = 10.0
"""How long one that was killed may take to end; else it waits in the kernel."""

TAIL_BYTES = 8192


class _Log:
    """Takes the simulator's output from a pipe: to run.log, and its end into memory.

    The end is kept apart because on a full disk the file is just what cannot be written. Whatever
    becomes of the file, the pipe is read: a simulator that nobody listens to would stop.
    """

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self.stream = stream
        self.path = path
        self.tail = b""
        self.fault = ""
        """Why there is no file."""
        self.thread = threading.Thread(target=self._copy, name="simulator log", daemon=True)
        self.thread.start()

    def _copy(self) -> None:
        with ExitStack() as stack:
            file: IO[bytes] | None = None
            try:
                file = stack.enter_context(self.path.open("ab", buffering=0))
            except OSError as error:
                self.fault = f"{self.path}: cannot be written: {error.strerror}"
            while data := self.stream.read1(65536):  # type: ignore[attr-defined]
                self.tail = (self.tail + data)[-TAIL_BYTES:]
                if file is not None:
                    with suppress(OSError):
                        file.write(data)

    def last_words(self) -> str:
        """Return the last line with anything in it, once the simulator has ended."""
        self.thread.join(timeout=5)
        lines = self.tail.decode(errors="replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")[:500]


class Simulator:
    """A running firesim-sim in a process group of its own."""

    def __init__(self, binary: Path, description: Path, folder: Path) -> None:
        """Start it; output goes to `run.log` in `folder`, the process is recorded there."""
        self.folder = folder
        self.process = start(description, subprocess.PIPE, binary=binary, own_group=True)
        assert self.process.stdout is not None
        self.log = _Log(self.process.stdout, folder / "run.log")
        self.unended = ""
        """Why it has not ended although it was killed."""
        self.record = record_of(self.process.pid)
        try:
            save_record(folder, self.record, record_of(os.getpid()))
        except BaseException:
            self.stop(grace_s=0)
            raise

    def poll(self) -> int | None:
        """Return the exit status (negative: ended by that signal), None while running."""
        return self.process.poll()

    def wait(self) -> int:
        """Wait for the end and return the exit status."""
        return self.process.wait()

    def last_words(self) -> str:
        """Return the last line that it printed, once it has ended."""
        return self.log.last_words()

    def lost(self) -> list[str]:
        """Return nothing: without this computer there is no run."""
        return []

    def news(self) -> list[str]:
        """Return what is to be said and was not yet returned: why there is no run.log."""
        fault, self.log.fault = self.log.fault, ""
        return [fault] if fault else []

    def status_files(self) -> dict[str, str]:
        """Return the names of the status files in the results folder, by host."""
        return {platform.node(): "status.jsonl"}

    def stop(self, grace_s: float = GRACE_S) -> int:
        """Ask the simulator to stop, end it after `grace_s` seconds; return its exit status."""
        try:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGINT)
                self.process.wait(timeout=grace_s)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            self._signal_group(signal.SIGKILL)
        try:
            return self.process.wait(timeout=KILLED_S)
        except subprocess.TimeoutExpired:
            self.unended = f"firesim-sim: {unended(self.process.pid)}"
            return -signal.SIGKILL

    def _signal_group(self, number: signal.Signals) -> None:
        # Not yet waited for, so the id is still this child's and so is the group.
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)


def end_recorded(record: ProcessRecord, grace_s: float = GRACE_S) -> bool:
    """End exactly the recorded simulator; return whether it had been running.

    It is asked first, so that it writes its results, and killed after `grace_s` seconds.
    """
    if not is_alive(record):
        return False
    try:
        os.kill(record.pid, signal.SIGTERM)
        limit = time.monotonic() + grace_s
        while is_alive(record) and time.monotonic() < limit:
            time.sleep(0.05)
        if is_alive(record):
            os.kill(record.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return True


def how_it_ended(status: int) -> str:
    """Return an exit status in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"signal {-status}"
