# SPDX-License-Identifier: BSD-3-Clause
"""A host of a run that goes on, for who wants into the nodes there: files and streams."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from firesim_common.errors import InputError
from firesim_common.json_text import read_json

from firesim.hosts.client import HostClient, HostError
from firesim.remote import record

MOST_TEXT_BYTES = 1 << 20


@dataclass(frozen=True)
class Reach:
    """One host of a run.

    Raises, all methods:
        HostLost: the host is gone.
        HostError: the host refuses.
    """

    client: HostClient
    run: str
    """The run's name there."""

    @property
    def host(self) -> str:
        """The host's name in its farm."""
        return self.client.name

    def is_running(self) -> bool:
        """Return whether the simulator on this host runs."""
        return self.client.state(self.run).alive

    def text(self, path: str) -> str | None:
        """Return a small file of the results there, None while there is none."""
        if path not in self.client.listing(self.run):
            return None
        return self.client.read(self.run, path, 0, MOST_TEXT_BYTES).decode()

    def log(self, path: str) -> BinaryIO:
        """Return a file of the results there that may still grow, or begin."""
        return cast(BinaryIO, io.BufferedReader(_Log(self, path), 1 << 16))


class _Log(io.RawIOBase):
    def __init__(self, reach: Reach, path: str) -> None:
        self.reach, self.path = reach, path
        self.offset = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            offset += self._size()
        elif whence == io.SEEK_CUR:
            offset += self.offset
        self.offset = offset
        return offset

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        client, run = self.reach.client, self.reach.run
        try:
            data = client.read(run, self.path, self.offset, len(buffer))
        except HostError:
            if self._size():
                raise
            return 0
        buffer[: len(data)] = data
        self.offset += len(data)
        return len(data)

    def _size(self) -> int:
        return self.reach.client.listing(self.reach.run).get(self.path, (0, 0))[0]


def simulated(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the nodes of a run and its gateway as its description has them, by name.

    On hosts each has the key `process`, the name of its host.
    """
    try:
        nodes = read_json(folder / "description.json")["nodes"]
        return {str(node["name"]): node for node in nodes}
    except (InputError, KeyError, TypeError):
        return {}


@contextmanager
def reached(folder: Path, host: str) -> Iterator[Reach]:
    """Connect to one host of a run that is on hosts.

    Raises:
        InputError: there is no such run, or the host does not answer.
    """
    found = record.load(folder)
    if found is None or host not in found.hosts:
        raise InputError(f"{folder}: found no host {host} of this run, expected one.")
    (ready,) = record.reconnected(found, [host])
    try:
        yield Reach(ready.client, found.run)
    finally:
        ready.client.close()
