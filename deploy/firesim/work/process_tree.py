# SPDX-License-Identifier: BSD-3-Clause
"""Work in a session of its own, of which no process is left when it ends or is told to end.

Compilers, workers and simulators start processes of their own, in sessions of their own, from
several threads. So the work is done in a child, and its parent does nothing but wait: it adopts
every descendant whose own parent has ended (as a subreaper, PR_SET_CHILD_SUBREAPER), and so can
find, and end, exactly the processes that the work has started. Work that must stay in the process
that was called, such as what goes before a run, ends what it has started itself.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from firesim.hosts.agent_kernel import unended
from firesim.hosts.channel import kept
from firesim.work.folder import ProcessRecord, is_alive, record_of

GRACE_S = 30.0
"""How long processes may take to end after being asked to; a simulator writes its results."""
INTERRUPTED = 130
FAILED = 3
KILLED_S = 10.0
"""A process that was killed and takes longer to end waits in the kernel, for a disk perhaps."""
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_POLL_S = 0.05
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def in_session_of_its_own(work: Callable[[], int], grace_s: float = GRACE_S) -> int:
    """Run `work` in a child process and return its exit status, with no descendant left.

    SIGINT, SIGTERM and SIGHUP (unless ignored, as by nohup) end the work: all its processes get
    SIGTERM, which in Python is a KeyboardInterrupt, and after `grace_s` seconds, or at a second
    Ctrl-C, SIGKILL. The status is then 130. In the child this returns what `work` returns, or
    raises what it raises, for the caller to end with. Call it while there is only one thread.
    """
    endings = [number for number in _ENDINGS if signal.getsignal(number) is not signal.SIG_IGN]
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    sys.stdout.flush()
    sys.stderr.flush()
    # Blocked, so that none is lost between the fork and either side's being ready for it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*endings, signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        os.setsid()
        _interrupt_once()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return work()
    try:
        status = _wait(child, endings)
        end_descendants(endings, grace_s)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if status is not None and status < 0:
        print(f"ended by {signal.Signals(-status).name}.", file=sys.stderr)
        return FAILED
    return INTERRUPTED if status is None else status


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP (unless ignored) into what Ctrl-C is, for work that ends cleanly.

    Only the first: `timeout` sends one to the process and one to its group, and a second Ctrl-C
    means that the work is to end at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread may handle signals; it ends the work by an exception.
        return

    is_asked = False

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal is_asked
        if not is_asked:
            is_asked = True
            raise KeyboardInterrupt

    endings = [signal.SIGTERM, signal.SIGHUP]
    old = {number: signal.getsignal(number) for number in endings}
    for number in endings:
        if old[number] is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        if not is_asked:  # Else the report is yet to be written, and the next one would prevent it.
            for number, previous in old.items():
                signal.signal(number, previous)


@contextmanager
def ending_what_it_starts(grace_s: float = GRACE_S) -> Iterator[None]:
    """Let a signal that ends this process end everything that is started inside, too.

    For work that cannot go to another process. SIGINT, SIGTERM and SIGHUP (unless ignored) become a
    KeyboardInterrupt once; from then on whatever has been started here, and by that, gets SIGTERM
    and after `grace_s` seconds SIGKILL, so that no worker thread waits for a compiler or starts
    another one. Ways to hosts that are kept (`ways_kept`) stay until what keeps them is over. It is
    left when all have ended. Elsewhere than in the main thread, where Python handles signals, it
    does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    spared = {record for record in descendants(os.getpid())}
    ender = threading.Thread(target=_end_all, args=(spared, grace_s), daemon=True)

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in old:
            signal.signal(each, lambda number, frame: None)
        ender.start()
        raise KeyboardInterrupt

    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    endings = [number for number in _ENDINGS if signal.getsignal(number) is not signal.SIG_IGN]
    old = {number: signal.getsignal(number) for number in endings}
    for number in endings:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        if ender.ident is not None:
            _end_all(spared, grace_s)  # Nothing new can be started any more.
            _reap()
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0)
        for number, handler in old.items():
            signal.signal(number, handler)


def _ask(found: Iterable[ProcessRecord], asked: set[ProcessRecord], limit: float) -> None:
    """Ask each process to end that has not been `asked`; after the limit, kill all of them."""
    for record in found:
        if time.monotonic() >= limit:
            _send(record, signal.SIGKILL)
        elif record not in asked:
            asked.add(record)
            _send(record, signal.SIGTERM)


def _end_all(spared: set[ProcessRecord], grace_s: float) -> None:
    """End every descendant but `spared`. Their parents among our threads wait for them, not we."""
    limit = time.monotonic() + grace_s
    asked: set[ProcessRecord] = set()
    while found := _others(spared):
        if _waits_in_kernel(found, limit):
            return
        _ask(found, asked, limit)
        time.sleep(_POLL_S)


def _others(spared: set[ProcessRecord]) -> list[ProcessRecord]:
    """Return every descendant but `spared` and the ways to hosts that are kept."""
    with kept() as ways:
        return [one for one in descendants(os.getpid(), ways) if one not in spared]


def _interrupt_once() -> None:
    """Make the first signal a KeyboardInterrupt; cleaning up is not to be interrupted again."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in _ENDINGS:
            signal.signal(each, lambda number, frame: None)
        raise KeyboardInterrupt

    for number in _ENDINGS:
        signal.signal(number, interrupt)


def _wait(child: int, endings: list[signal.Signals]) -> int | None:
    """Return the exit status of a child (negative: its signal), None when told to end before."""
    while True:
        if signal.sigwait([*endings, signal.SIGCHLD]) in endings:
            return None
        if (status := _reap().get(child)) is not None:
            return status


def _reap() -> dict[int, int]:
    """Return the exit statuses of the children that have ended, by process id."""
    ended = {}
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = os.waitstatus_to_exitcode(found[1])
    return ended


def end_descendants(endings: list[signal.Signals], grace_s: float) -> None:
    """End every process that this one has started, and those that they have, and wait for it."""
    limit = time.monotonic() + grace_s
    asked: set[ProcessRecord] = set()
    while found := descendants(os.getpid()):
        if _waits_in_kernel(found, limit):
            return
        _ask(found, asked, limit)
        again = signal.sigtimedwait([*endings, signal.SIGCHLD], _POLL_S)
        if again is not None and again.si_signo == signal.SIGINT:
            limit = time.monotonic()
        _reap()


def _waits_in_kernel(left: list[ProcessRecord], killed_s: float) -> bool:
    """Return whether processes that were killed will not end, and say so."""
    if time.monotonic() < killed_s + KILLED_S:
        return False
    for record in left:
        print(f"{unended(record.pid)}; it is left behind.", file=sys.stderr)
    return True


def _send(record: ProcessRecord, number: signal.Signals) -> None:
    """Send a signal to exactly this process, never to a later one with its id."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(record.pid)
        try:
            if is_alive(record):
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


def descendants(pid: int, without: Collection[int] = ()) -> list[ProcessRecord]:
    """Return the living descendants of a process, parents before their children.

    Processes in `without` are left out, and theirs.
    """
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(path.name))
    found, rest = [], [pid]
    while rest:
        below = [one for one in children.get(rest.pop(0), []) if one not in without]
        rest += below
        found += [record for record in map(record_of, below) if record is not None]
    return found
