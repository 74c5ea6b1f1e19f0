# SPDX-License-Identifier: BSD-3-Clause
"""All that a worker has started, and nobody else's: found, counted, and ended should it stay.

A worker adopts what runs leave behind (as a subreaper), so its descendants are all that its faults
have started, under whatever name, and no process of another worker or session is among them.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from firesim.work.process_tree import descendants

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _reap(known: Sequence[subprocess.Popen[bytes]]) -> None:
    """Take the exit status of adopted children; those in `known` are waited for elsewhere."""
    pids, own = {str(process.pid) for process in known}, str(os.getpid())
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name not in pids:
            with suppress(OSError):  # It has ended meanwhile, and was somebody else's.
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                if (state, parent) == ("Z", own):
                    os.waitpid(int(entry.name), os.WNOHANG)


def left_of(runs: Sequence[subprocess.Popen[bytes]]) -> list[str]:
    """Return the commands of living descendants that belong to no run that goes on."""
    _reap(runs)
    spared = set()
    for process in runs:
        if process.poll() is None:
            spared |= {process.pid, *(record.pid for record in descendants(process.pid))}
    found = [record.pid for record in descendants(os.getpid()) if record.pid not in spared]
    return [f"{pid} {_command(pid)}" for pid in found]


def _command(pid: int) -> str:
    with suppress(OSError):
        text = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        return text.decode(errors="replace")[:200]
    return ""


def end_all(runs: Sequence[subprocess.Popen[bytes]]) -> None:
    """End every descendant, also those that are stopped."""
    while found := descendants(os.getpid()):
        for record in found:
            with suppress(ProcessLookupError):
                os.kill(record.pid, signal.SIGKILL)
        time.sleep(0.02)
        for process in runs:
            process.poll()
        _reap(runs)


def processor_s() -> float:
    """Return the processor time of all children that have ended and been waited for."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
