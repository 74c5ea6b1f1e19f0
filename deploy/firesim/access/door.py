# SPDX-License-Identifier: BSD-3-Clause
"""Where on the host the ssh of a node is: the port that the run's gateway forwards."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown

from firesim.run.control import is_running
from firesim.run.folder import saved_config
from firesim.topology.describe_gateway import STATUS
from firesim.topology.passes.gateway import SSH, SSH_PORT

FIRST_TRY_S = 1.0
LONGEST_TRY_S = 30.0
POLL_S = 0.1


@dataclass(frozen=True)
class Door:
    """An address of the host that leads to the ssh of a node."""

    node: str
    host: str
    port: int
    run: Path
    """Results folder of the run."""


def door_of(run: Path, node: str, say: Callable[[str], None] = lambda text: None) -> Door:
    """Return the way to a node's ssh; wait, and `say` so, for a gateway that is not open yet.

    Raises:
        InputError: the run has no gateway, or no such node, or ended before its gateway was open.
    """
    _wait_for_gateway(run, say)
    doors = {door.node: door for door in _doors(run)}
    if node not in doors:
        raise InputError(unknown(node, "one of the nodes with ssh", list(doors)))
    return doors[node]


def _wait_for_gateway(run: Path, say: Callable[[str], None]) -> None:
    """Wait until the gateway has said its ports; nodes that are many take a while to set up."""
    if not (run / STATUS).exists():
        if not _has_gateway(run):
            raise InputError(
                f"{run}: found no gateway in this run, expected one: add gateway: {{}} to system, "
                "or -x system.gateway={} to the command."
            )
        say(f"waiting for the gateway of {run}")
    while not (run / STATUS).exists():
        if not is_running(run):
            raise InputError(f"{run}: the run ended before its gateway was open.")
        time.sleep(POLL_S)


def _has_gateway(run: Path) -> bool:
    """Return whether the simulator was given a gateway."""
    try:
        nodes = json.loads((run / "description.json").read_text())["nodes"]
        return any(node.get("kind") == "gateway" for node in nodes)
    except (OSError, ValueError, KeyError):
        return False


def _doors(run: Path) -> list[Door]:
    try:
        status = json.loads((run / STATUS).read_text())
        if status["mode"] == "tap":
            return _addresses(run)
        return [_door(entry, run) for entry in status["forwards"] if entry["name"] == SSH]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{run / STATUS}: cannot be read: {error}.") from error


def _door(entry: dict[str, Any], run: Path) -> Door:
    # A gateway that listens on every address is reached at this one.
    host = "127.0.0.1" if entry["host"] == "0.0.0.0" else str(entry["host"])
    return Door(str(entry["node"]), host, int(entry["host_port"]), run)


def _addresses(run: Path) -> list[Door]:
    """Return the nodes' own addresses: a network interface of the host leads to them."""
    from firesim.config.load import load_file
    from firesim.topology.resolve import resolve

    plan = resolve(load_file(saved_config(run, "ssh")))
    names = plan.gateway.ssh_nodes if plan.gateway else []
    return [Door(name, plan.node(name).ip, SSH_PORT, run) for name in names]


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
