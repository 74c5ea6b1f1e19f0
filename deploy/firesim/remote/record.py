# SPDX-License-Identifier: BSD-3-Clause
"""hosts.json in a results folder: where a run is, so that it is found again by anyone."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.whole_file import make_room
from pydantic import TypeAdapter

from firesim.config.keep import MANAGER
from firesim.farm import left
from firesim.farm.base import FarmError
from firesim.farm.up import farm_of
from firesim.hosts.ready import ReadyHost, connected
from firesim.work.folder import HOSTS_RECORD, write_json


@dataclass(frozen=True)
class HostsRecord:
    """Where a run is."""

    run: str
    """Its name on the hosts."""
    farm: str
    """The farm's file."""
    hosts: Sequence[str]
    """Names of its hosts, the first one's process first."""
    start_cycle: int = 0
    """Where it began: the cycle of its snapshot."""
    keep_snapshots: str = MANAGER
    """Where its snapshots are kept."""
    over: bool = False
    """Whether it has ended and its results are here."""
    exit_status: int = 0
    """How it ended, once it is over."""


def new_name(folder: Path) -> str:
    """Return a name for a run on the hosts that no other run of this or another user has."""
    return f"{folder.name[:80]}-{secrets.token_hex(4)}"


def save(folder: Path, record: HostsRecord) -> None:
    """Write the record of a run into its results folder, with room for how it will end."""
    write_json(folder / HOSTS_RECORD, asdict(record))
    if not record.over:
        make_room(folder / HOSTS_RECORD, 2 * (folder / HOSTS_RECORD).stat().st_size)


def load(folder: Path) -> HostsRecord | None:
    """Return the record of a run, None when it has none: it ran without a farm."""
    try:
        return TypeAdapter(HostsRecord).validate_python(read_json(folder / HOSTS_RECORD))
    except (InputError, ValueError):
        return None


def hosts_of(folder: Path) -> Sequence[str]:
    """Return the hosts of a run, none for one without a farm."""
    found = load(folder)
    return () if found is None else found.hosts


def is_over(folder: Path) -> bool:
    """Return whether a run on hosts has ended and all its results are here."""
    found = load(folder)
    return found is not None and found.over


def note_left(folder: Path, hosts: Collection[str]) -> None:
    """Note that what a run has on some hosts may have stayed there, and is not wanted any more."""
    found = load(folder)
    if found is not None and not found.over:
        left.note(found.run, Path(found.farm), set(found.hosts) & set(hosts))


def reconnected(record: HostsRecord, names: Sequence[str] = ()) -> list[ReadyHost]:
    """Return the hosts of a run, or those of its hosts that are named, connected again.

    Raises:
        InputError: the farm has changed, or a host does not answer.
    """
    _, farm = farm_of(Path(record.farm))
    try:
        hosts = {host.name: host for host in farm.hosts()}
    except FarmError as error:
        raise InputError(str(error)) from error
    gone = [name for name in names or record.hosts if name not in hosts]
    if gone:
        raise InputError(
            f"{record.farm}: found no host {gone[0]} up, expected it: {record.run} ran there."
        )
    return connected([hosts[name] for name in names or record.hosts])
