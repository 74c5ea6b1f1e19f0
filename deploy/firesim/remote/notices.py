# SPDX-License-Identifier: BSD-3-Clause
"""Asks hosts that can be taken away whether they will be, and has the run saved before they are."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostClient, HostError
from firesim.hosts.host import Host
from firesim.snapshots.files import FILE as INDEX
from firesim.topology.describe import CONTROL_SOCKET, SNAPSHOTS_FOLDER

ASK_S = 5.0
"""Between two questions: EC2 says it two minutes before."""
SAVE_S = 120.0
"""After so long the host is gone."""
AGAIN_S = 1.0
"""Until a snapshot is tried again."""
TRIES = 60
"""Of a snapshot; a run that has just begun cannot be saved yet."""


@dataclass
class _Watched:
    """What is known of one host."""

    next_s: float = 0.0
    failures: int = 0
    is_noticed: bool = False
    is_silent: bool = False
    """Whether it was said that its service does not answer."""


@dataclass
class Notices:
    """The notices of one run's hosts; each host is looked at by a thread of its own."""

    run: str
    """The run's name on the hosts."""
    first: HostClient
    """The host whose simulator decides what snapshots there are."""
    folder: Path
    """Results folder."""
    say: Callable[[str], None]
    """Takes a line for the user."""
    hosts: dict[str, _Watched] = field(default_factory=dict)
    coming: dict[str, str] = field(default_factory=dict)
    """What to say when a snapshot is here, by the snapshot's name."""
    saving: threading.Lock = field(default_factory=threading.Lock)
    saved: tuple[float, str, int] = (float("-inf"), "", 0)
    """When the last snapshot was asked for, its name and its cycle."""

    def look(self, host: Host, client: HostClient) -> None:
        """Ask a host, now and then; at its first notice save the run.

        Raises:
            HostLost, HostError: this host is gone or refuses.
        """
        self._arrived()
        known = self.hosts.setdefault(host.name, _Watched())
        now_s = time.monotonic()
        if host.metadata is None or known.is_noticed or now_s < known.next_s:
            return
        known.next_s = now_s + ASK_S
        found = client.notice(host.metadata)
        if found.problem and not known.is_silent:
            known.is_silent = True
            self.say(f"{host.name}: spot notices cannot be read: {found.problem}")
        if found.action:
            self._save(host.name, f"{found.action} at {found.time}", known)

    def _save(self, host: str, what: str, known: _Watched) -> None:
        """Have the run saved, once for all notices that come at the same time."""
        seen_s = time.monotonic()
        with self.saving:
            try:
                if self.saved[0] < seen_s:
                    self.saved = self._saved()
            except (HostLost, HostError, ValueError) as error:
                known.failures += 1
                known.next_s = time.monotonic() + AGAIN_S
                known.is_noticed = known.failures == TRIES
                if known.is_noticed:
                    self.say(f"spot notice for {host}, {what}: the run is not saved: {error}")
                return
        known.is_noticed = True
        _, name, cycle = self.saved
        text = f"spot notice for {host}, {what}: the run is saved at cycle {cycle:,}, as {name}"
        self.coming[f"{host} {name}"] = text

    def _saved(self) -> tuple[float, str, int]:
        asked_s = time.monotonic()
        taken = {path.name for path in (self.folder / SNAPSHOTS_FOLDER).glob("spot-*")}
        name = next(text for i in range(1, 10_000) if (text := f"spot-{i}") not in taken)
        line = {"command": "snapshot", "name": name}
        answer = self.first.control(self.run, CONTROL_SOCKET, line, SAVE_S)
        if not answer.get("ok"):
            raise ValueError(answer.get("error"))
        return asked_s, name, int(answer["cycle"])

    def _arrived(self) -> None:
        """Say of each snapshot that has come that it is here."""
        for key in list(self.coming):
            name = key.rpartition(" ")[2]
            is_here = (self.folder / SNAPSHOTS_FOLDER / name / INDEX).exists()
            if is_here and (text := self.coming.pop(key, "")):
                self.say(text)
