# SPDX-License-Identifier: BSD-3-Clause
"""Where on the host the ssh of a node is: the port that the run's gateway forwards."""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.config.errors import InputError, unknown
from firesim.topology.describe_gateway import STATUS
from firesim.topology.passes.gateway import SSH

FIRST_TRY_S = 1.0
LONGEST_TRY_S = 30.0


@dataclass(frozen=True)
class Door:
    """An address of the host that leads to the ssh of a node."""

    node: str
    host: str
    port: int
    run: Path
    """Results folder of the run."""


def door_of(run: Path, node: str) -> Door:
    """Return the way to a node's ssh.

    Raises:
        InputError: the run has no gateway, or no such node.
    """
    doors = {entry["node"]: entry for entry in _forwards(run) if entry["name"] == SSH}
    if node not in doors:
        raise InputError(unknown(node, "one of the nodes with ssh", list(doors)))
    entry = doors[node]
    # A gateway that listens on every address is reached at this one.
    host = "127.0.0.1" if entry["host"] == "0.0.0.0" else str(entry["host"])
    return Door(node, host, int(entry["host_port"]), run)


def _forwards(run: Path) -> list[dict[str, Any]]:
    try:
        status = json.loads((run / STATUS).read_text())
        return list(status["forwards"])
    except FileNotFoundError as error:
        raise InputError(
            f"{run}: found no gateway in this run, expected one: add gateway: {{}} to system, or "
            "-x system.gateway={} to the command."
        ) from error
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{run / STATUS}: cannot be read: {error}.") from error


def wait_until_open(door: Door, wait_s: float) -> None:
    """Wait until the node's ssh server greets; tries grow longer, for simulations that are slow.

    Raises:
        InputError: it does not within `wait_s` seconds.
    """
    limit = time.monotonic() + wait_s
    try_s = FIRST_TRY_S
    while True:
        left = limit - time.monotonic()
        if greets(door, min(try_s, max(left, 0.1))):
            return
        if time.monotonic() >= limit:
            raise InputError(
                f"{door.node}: found no answer from its ssh server within {wait_s:g} s, expected "
                "one: it may still be booting, or have none."
            )
        try_s = min(try_s * 2, LONGEST_TRY_S)


def greets(door: Door, within_s: float) -> bool:
    """Return whether an ssh server introduces itself within that time."""
    limit = time.monotonic() + within_s
    greeting = b""
    try:
        with socket.create_connection((door.host, door.port), timeout=within_s) as line:
            while b"SSH-" not in greeting and (left := limit - time.monotonic()) > 0:
                line.settimeout(left)
                part = line.recv(256)
                if not part:
                    break  # refused by the node
                greeting += part
    except OSError:
        pass
    if b"SSH-" in greeting:
        return True
    # A connection that ends at once must not make this a busy loop.
    time.sleep(max(0.0, min(limit - time.monotonic(), 0.2)))
    return False
