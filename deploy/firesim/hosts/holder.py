# SPDX-License-Identifier: BSD-3-Clause
"""Holds a node of Slurm: a job's script, below which programs are started on request.

Slurm kills the step of an srun that has died, and with it all that was started there. So an srun
of ours only carries bytes (`ask`): it hands its input and output to this program, which starts what
is wanted with them, in the job's own step. What is started so lives as long as the job, whatever
becomes of the manager, and ends with it, whatever Slurm keeps track of. The program is sent as text
and imports nothing of FireSim; it needs Python 3.8.
"""

from __future__ import annotations

import array
import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 3.0
KILLED_S = 10.0
MOST_BYTES = 1 << 16


def place(job: str) -> str:
    """Return the name of the socket of a job; it is no file, and goes with its owner."""
    return f"\0firesim-{os.getuid()}-{job}"


def below(top: int) -> list[int]:
    """Return all processes that descend from one."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                if fields[0] != "Z":
                    children.setdefault(int(fields[1]), []).append(int(name))
    found = list(children.get(top, []))
    for pid in found:  # It grows while it is read.
        found += children.get(pid, [])
    return found


def end_all(number: int, frame: object) -> None:
    """End all that was started here, then this program."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    limit = time.monotonic() + GRACE_S
    sent = signal.SIGTERM
    while found := below(os.getpid()):
        if time.monotonic() > limit + KILLED_S:
            break  # It waits in the kernel; the job is to be over.
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, sent)
        time.sleep(0.05)
        sent = signal.SIGKILL if time.monotonic() > limit else signal.SIGCONT
    os._exit(0)


def hold(job: str) -> None:
    """Start programs for the processes of this user that ask, until the job ends."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGCHLD, reap)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end_all)
    server = socket.socket(socket.AF_UNIX)
    server.bind(place(job))
    server.listen(64)
    while True:
        peer = server.accept()[0]
        if is_ours(peer):
            with suppress(OSError, ValueError):
                answer(peer, server)
        peer.close()


def is_ours(peer: socket.socket) -> bool:
    """Return whether the other end belongs to the same user: anyone may use such a name."""
    about = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", about)[1] == os.getuid())


def reap(number: int, frame: object) -> None:
    """Take note of children that have ended, of whatever generation."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def answer(peer: socket.socket, server: socket.socket) -> None:
    """Start what one asks for; the connection lasts as long as that."""
    peer.settimeout(5)
    space = socket.CMSG_SPACE(3 * array.array("i").itemsize)
    text, extra, _, _ = peer.recvmsg(MOST_BYTES, space)
    handed = array.array("i")
    for _, kind, data in extra:
        if kind == socket.SCM_RIGHTS:
            handed.frombytes(data[: len(data) - len(data) % handed.itemsize])
    try:
        words = json.loads(text.decode())
        if os.fork() == 0:
            server.close()
            peer.settimeout(None)
            start(words, list(handed), peer)
    finally:
        for descriptor in handed:
            os.close(descriptor)


def start(words: list[str], handed: list[int], peer: socket.socket) -> None:
    """Become a program with the input and output of another process. Does not return."""
    try:
        os.setsid()
        for number, descriptor in enumerate(handed):
            os.dup2(descriptor, number)
            os.close(descriptor)  # It is always above 2, and would be handed down.
        for name in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(name, signal.SIG_DFL)
        child = os.fork()
        if child == 0:
            os.execvp(words[0], words)
        for number in (0, 1, 2):
            os.close(number)
        guard(child, peer)
    finally:
        os._exit(0)


def guard(child: int, peer: socket.socket) -> None:
    """Wait for the end of a program, and end it when the process that asked for it is gone.

    It would not notice: Slurm keeps the pipes of a step open as long as anyone holds them.
    """
    signal.signal(signal.SIGCHLD, lambda number, frame: None)  # So that it wakes the wait.
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if peer in select.select([peer, woken], [], [])[0]:
            os.kill(child, signal.SIGHUP)
            os.waitpid(child, 0)
            return
        os.read(woken, 64)


def ask(job: str, words: list[str]) -> None:
    """Have the holder of a job start a program with our input and output; wait for its end."""
    with socket.socket(socket.AF_UNIX) as peer:
        limit = time.monotonic() + 5
        while True:
            try:
                peer.connect(place(job))
                break
            except ConnectionRefusedError:  # The job has only just begun.
                if time.monotonic() > limit:
                    sys.exit("found nothing of ours in the job, expected it to be held by FireSim")
                time.sleep(0.05)
        if not is_ours(peer):
            sys.exit("found another user's program in place of ours, expected the job's own")
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
        peer.sendmsg([json.dumps(words).encode()], rights)
        peer.recv(1)


if __name__ == "__main__":
    if sys.argv[1] == "hold":
        hold(sys.argv[2])
    else:
        ask(sys.argv[2], sys.argv[3:])
