# SPDX-License-Identifier: BSD-3-Clause
"""Finds runs on hosts again: to watch them to their end, to end them, to talk to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError

from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost, close_all
from firesim.remote import record
from firesim.remote.simulators import Simulators
from firesim.topology.describe import CONTROL_SOCKET

RUNNING = "running"
CONTROL_S = 3600.0
"""A snapshot of a large cluster takes what it takes."""


def is_remote(folder: Path) -> bool:
    """Return whether the run of a results folder is on hosts, and its results are not yet here."""
    found = record.load(folder)
    return found is not None and not found.over


def found_again(folder: Path) -> Simulators:
    """Return the simulators of a run on hosts, followed again; they may have ended meanwhile.

    Raises:
        InputError: there is no such run, its results are here already, or a host does not answer.
    """
    found = record.load(folder)
    if found is None:
        raise InputError(f"attach: found no hosts.json in {folder}, expected a run on hosts.")
    if found.over:
        raise InputError(f"attach: found the run of {folder} over, expected one that goes on.")
    hosts = record.reconnected(found)
    try:
        simulators = Simulators(hosts, found, folder)
    except BaseException:
        close_all(hosts)
        raise
    simulators.watch()
    return simulators


@contextmanager
def _hosts(folder: Path) -> Iterator[tuple[str, list[ReadyHost]]]:
    found = record.load(folder)
    assert found is not None, "the run is on hosts"
    hosts = record.reconnected(found)
    try:
        yield found.run, hosts
    finally:
        close_all(hosts)


def state(folder: Path) -> str:
    """Return in words what a run on hosts does: "running", "ended" or why nobody knows."""
    try:
        with _hosts(folder) as (run, hosts):
            alive = [ready.client.state(run).alive for ready in hosts]
    except (InputError, HostLost, HostError) as error:
        return str(error).splitlines()[0]
    return RUNNING if any(alive) else "ended, results not fetched yet"


def ask(folder: Path, command: Mapping[str, Any]) -> Any:
    """Return what the first simulator of a run on hosts answers to a command.

    Raises:
        InputError: it cannot be asked.
    """
    try:
        with _hosts(folder) as (run, hosts):
            return hosts[0].client.control(run, CONTROL_SOCKET, command, CONTROL_S)
    except (HostLost, HostError, ValueError) as error:
        raise InputError(f"{folder}: the simulator cannot be reached: {error}.") from error
