# SPDX-License-Identifier: BSD-3-Clause
"""Where the ssh of a node is: the port that the run's gateway forwards, here or on another host."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown

from firesim.hosts.client import HostError
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.run.attach import is_remote
from firesim.run.control import is_running
from firesim.run.reach import reached, simulated
from firesim.topology.describe_gateway import STATUS
from firesim.topology.passes.gateway import NAME, SSH, SSH_PORT
from firesim.work.folder import saved_config

FIRST_TRY_S = 1.0
LONGEST_TRY_S = 30.0
POLL_S = 0.1
REMOTE_POLL_S = 0.5
Dial = Callable[[float], socket.socket]
"""Opens a stream within a number of seconds."""


@dataclass(frozen=True)
class Door:
    """An address that leads to the ssh of a node."""

    node: str
    host: str
    port: int
    run: Path
    """Results folder of the run."""
    there: str | None = None
    """The host of the run's farm that has the address; None for this computer."""


def door_of(run: Path, node: str, say: Callable[[str], None] = lambda text: None) -> Door:
    """Return the way to a node's ssh; wait, and `say` so, for a gateway that is not open yet.

    Raises:
        InputError: the run has no gateway, or no such node, or ended before its gateway was open.
        HostLost, HostError: the host with the gateway is gone.
    """
    there = str(simulated(run).get(NAME, {}).get("process", "")) if is_remote(run) else ""
    if there:
        with reached(run, there) as reach:
            text = _opened(run, say, lambda: reach.text(STATUS), reach.is_running, REMOTE_POLL_S)
    else:
        text = _opened(run, say, lambda: _text(run / STATUS), lambda: is_running(run), POLL_S)
    doors = {door.node: door for door in _doors(text, run, there or None)}
    if node not in doors:
        raise InputError(unknown(node, "one of the nodes with ssh", list(doors)))
    return doors[node]


def _text(file: Path) -> str | None:
    return file.read_text() if file.exists() else None


def _opened(
    run: Path,
    say: Callable[[str], None],
    status: Callable[[], str | None],
    runs: Callable[[], bool],
    poll_s: float,
) -> str:
    """Return what the gateway says of its ports; nodes that are many take a while to set up."""
    text = status()
    if text is None:
        if NAME not in simulated(run):
            raise InputError(
                f"{run}: found no gateway in this run, expected one: add gateway: {{}} to system, "
                "or -x system.gateway={} to the command."
            )
        say(f"waiting for the gateway of {run}")
    while text is None:
        if not runs():
            raise InputError(f"{run}: the run ended before its gateway was open.")
        time.sleep(poll_s)
        text = status()
    return text


def _doors(text: str, run: Path, there: str | None) -> list[Door]:
    try:
        status = json.loads(text)
        if status["mode"] == "tap":
            return _addresses(run, there)
        return [_door(entry, run, there) for entry in status["forwards"] if entry["name"] == SSH]
    except (ValueError, KeyError) as error:
        raise InputError(f"{run / STATUS}: cannot be read: {error}.") from error


def _door(entry: dict[str, Any], run: Path, there: str | None) -> Door:
    # A gateway that listens on every address is reached at this one.
    host = "127.0.0.1" if entry["host"] == "0.0.0.0" else str(entry["host"])
    return Door(str(entry["node"]), host, int(entry["host_port"]), run, there)


def _addresses(run: Path, there: str | None) -> list[Door]:
    """Return the nodes' own addresses: a network interface of the host leads to them."""
    plan = resolve(load_file(saved_config(run, "ssh")))
    names = plan.gateway.ssh_nodes if plan.gateway else []
    return [Door(name, plan.node(name).ip, SSH_PORT, run, there) for name in names]


def wait_until_open(door: Door, wait_s: float) -> None:
    """Wait until the node's ssh server greets; tries grow longer, for simulations that are slow.

    Raises:
        InputError: it does not within `wait_s` seconds.
        HostLost: the host with the gateway is gone.
    """
    limit = time.monotonic() + wait_s
    try_s = FIRST_TRY_S
    with _dialling(door) as dial:
        while True:
            left = limit - time.monotonic()
            if greets(dial, min(try_s, max(left, 0.1))):
                return
            if time.monotonic() >= limit:
                raise InputError(
                    f"{door.node}: found no answer from its ssh server within {wait_s:g} s, "
                    "expected one: it may still be booting, or have none."
                )
            try_s = min(try_s * 2, LONGEST_TRY_S)


@contextmanager
def _dialling(door: Door) -> Iterator[Dial]:
    """Yield what opens a stream to a door, over one connection to its host."""
    if door.there is None:
        yield lambda within_s: socket.create_connection((door.host, door.port), timeout=within_s)
        return
    with reached(door.run, door.there) as reach:

        def dial(within_s: float) -> socket.socket:
            try:
                return reach.client.port(door.host, door.port)
            except HostError as error:
                raise ConnectionError(str(error)) from error

        yield dial


def greets(dial: Dial, within_s: float) -> bool:
    """Return whether an ssh server introduces itself within that time."""
    limit = time.monotonic() + within_s
    greeting = b""
    try:
        with dial(within_s) as line:
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
