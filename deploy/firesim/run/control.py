# SPDX-License-Identifier: BSD-3-Clause
"""Talks to a running simulator through the control socket in its results folder."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError

from firesim.run.folder import is_alive, load_simulator, run_folders
from firesim.run.remote.attach import RUNNING, is_remote, state
from firesim.run.remote.attach import ask as ask_remote
from firesim.topology.describe import CONTROL_SOCKET as SOCKET

LONGEST_ANSWER_BYTES = 16 << 20
CONNECT_S = 5.0


def running_folder(explicit: Path | None) -> Path:
    """Return the results folder of the one running simulation, or of the one that was named.

    Raises:
        InputError: it is not running, or none or several are.
    """
    if explicit is not None:
        if not is_running(explicit):
            raise InputError(f"--run: found no running simulation in {explicit}, expected one.")
        return explicit.absolute()
    running = [folder for folder in run_folders() if is_running(folder)]
    if not running:
        raise InputError("found no running simulation, expected one (or --run FOLDER).")
    if len(running) > 1:
        names = ", ".join(str(folder) for folder in running)
        raise InputError(f"found {len(running)} running simulations ({names}), expected --run.")
    return running[0]


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
            link.connect(f"/proc/self/fd/{handle}/{SOCKET}")
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
