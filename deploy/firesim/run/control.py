# SPDX-License-Identifier: BSD-3-Clause
"""Talks to a running simulator through the control socket in its results folder."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError

from firesim.run.attach import RUNNING, is_remote, state
from firesim.run.attach import ask as ask_remote
from firesim.topology.describe import CONTROL_SOCKET as SOCKET
from firesim.work.folder import (
    is_alive,
    is_being_prepared,
    load_simulator,
    preparing_folders,
    run_folders,
)

LONGEST_ANSWER_BYTES = 16 << 20
CONNECT_S = 5.0
POLL_S = 0.2


def running_folder(explicit: Path | None, say: Callable[[str], None] = lambda text: None) -> Path:
    """Return the results folder of the one running simulation, or of the one that was named.

    One whose parts are still being built is waited for; `say` is told so.

    Raises:
        InputError: it is not running, or none or several are.
    """
    is_told = False
    while True:
        running, coming = _folders(explicit)
        if len(running) == 1:
            return running[0].absolute()
        if len(running) + len(coming) != 1:
            break
        if not is_told:
            is_told = True
            say(f"waiting for the run in {coming[0]}, which is being prepared")
        time.sleep(POLL_S)
    if explicit is not None:
        raise InputError(f"--run: found no running simulation in {explicit}, expected one.")
    if not running + coming:
        raise InputError("found no running simulation, expected one (or --run FOLDER).")
    names = ", ".join(str(folder) for folder in running + coming)
    count = len(running + coming)
    raise InputError(f"found {count} running simulations ({names}), expected --run.")


def _folders(explicit: Path | None) -> tuple[list[Path], list[Path]]:
    """Return the folders of the runs that are meant: those that run, and those that will.

    Who will is asked first: a run that begins meanwhile is then seen at least once.
    """
    coming = preparing_folders() if explicit is None else [explicit]
    coming = [folder for folder in coming if is_being_prepared(folder)]
    named = run_folders() if explicit is None else [explicit]
    running = [folder for folder in named if is_running(folder)]
    return running, [folder for folder in coming if folder not in running]


def is_running(folder: Path) -> bool:
    """Return whether the simulator of a results folder runs."""
    if is_remote(folder):
        return state(folder) == RUNNING
    record = load_simulator(folder)
    return record is not None and is_alive(record)


def ask(folder: Path, command: dict[str, Any]) -> dict[str, Any]:
    """Send one command to the simulator of a results folder and return its answer.

    Raises:
        InputError: there is nobody to ask, or the simulator refused; the message is its sentence.
    """
    if is_remote(folder):
        return _checked(ask_remote(folder, command))
    try:
        answer = json.loads(_exchange(folder, json.dumps(command).encode() + b"\n"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{folder / SOCKET}: the simulator cannot be reached: {reason}."
        ) from error
    except ValueError as error:
        raise InputError(
            f"{folder / SOCKET}: found no whole answer, the simulator ended meanwhile."
        ) from error
    return _checked(answer)


def _checked(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict) or not answer.get("ok"):
        what = answer.get("error") if isinstance(answer, dict) else answer
        raise InputError(f"the simulator refused: {what}")
    return answer


def _exchange(folder: Path, request: bytes) -> bytes:
    # The name of a socket has at most 107 characters; by way of the open folder it is short.
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(CONNECT_S)
            _connect(link, f"/proc/self/fd/{handle}/{SOCKET}", lambda: is_running(folder))
            link.settimeout(None)  # A snapshot of a large cluster takes what it takes.
            link.sendall(request)
            answer = b""
            while not answer.endswith(b"\n") and len(answer) < LONGEST_ANSWER_BYTES:
                part = link.recv(65536)
                if not part:
                    break
                answer += part
            return answer
    finally:
        os.close(handle)


def _connect(link: socket.socket, name: str, is_running: Callable[[], bool]) -> None:
    """Connect to a socket; for one that a simulator has yet to make, wait a little."""
    limit = time.monotonic() + CONNECT_S
    while True:
        try:
            return link.connect(name)
        except FileNotFoundError:
            if time.monotonic() > limit or not is_running():
                raise
            time.sleep(POLL_S)
