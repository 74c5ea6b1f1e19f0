# SPDX-License-Identifier: BSD-3-Clause
"""What a page does to its simulation, by the same functions as the commands.

Typing is `firesim console`, a snapshot `firesim snapshot save`, a peek `firesim peek`: what they
refuse is refused here in the same sentence.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from firesim_common.printable import printable
from rich.console import Console

from firesim.access.keyboard import type_into
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.run.control import is_running
from firesim.run.saving import save_snapshot
from firesim.run.signals import list_signals, peek
from firesim.snapshots.files import snapshots_of
from firesim.view.job import Job
from firesim.view.messages import Peeked, Sought, TakeSnapshot, Typed, message
from firesim.view.viewed import ViewedRun

MOST_SNAPSHOTS = 200
"""Of a run, taken by pages: each takes disk space."""
MOST_FOUND = 200
"""Names of signals told."""
TYPING_S = 5.0
"""Longest wait for what another page types."""


class Acts:
    """Does what pages ask for; any thread."""

    def __init__(self, run: ViewedRun, peeks: threading.Semaphore | None = None) -> None:
        """Take the run, and what bounds how many peeks of its sweep go on."""
        self.run, self.folder = run, run.folder
        self.snapshot, self.signals = Job("snapshot"), Job("peek", peeks)
        self._typing = threading.Lock()
        self.by_name: dict[str, Callable[[bytes], None]] = {
            "type": self._type,
            "snapshot": self._snapshot,
            "peek": self._peek,
            "signals": self._find,
        }

    def state(self) -> dict[str, Any]:
        """Return what was begun, and the snapshots of the run."""
        saved = [
            [printable(one.name), f"{one.cycle:,}"]
            for one in snapshots_of(self.folder)[-MOST_SNAPSHOTS:]
        ]
        signals = self.signals.state()
        return {"snapshot": self.snapshot.state(), "signals": signals, "saved": saved}

    def _type(self, body: bytes) -> None:
        said = message(Typed, body)
        data = said.text.encode()
        if not self._typing.acquire(timeout=TYPING_S):
            raise InputError(f"{said.node}: found another page that types, expected its end.")
        try:
            type_into(self.folder, said.node, data)
        except (HostLost, HostError) as error:
            raise InputError(f"{said.node}: {error}.") from error
        finally:
            self._typing.release()

    def _snapshot(self, body: bytes) -> None:
        name = message(TakeSnapshot, body).name
        if not is_running(self.folder):
            raise InputError("the run is over, expected one that goes on: nothing was saved.")
        if len(snapshots_of(self.folder)) >= MOST_SNAPSHOTS:
            raise InputError(
                f"snapshot: found {MOST_SNAPSHOTS} of this run, expected fewer: delete some by "
                "firesim snapshot delete."
            )

        def work() -> dict[str, Any]:
            saved = save_snapshot(self.folder, name)
            return {"cycle": f"{saved.cycle:,}", "path": printable(str(saved.path))}

        self.snapshot.begin({"name": printable(name)}, work)

    def _peek(self, body: bytes) -> None:
        said = message(Peeked, body)
        self._check_peek(said)

        def work() -> dict[str, Any]:
            with tempfile.TemporaryDirectory(prefix="firesim-peek-") as place:
                results = Path(place) / "peek"
                quiet = Console(quiet=True)
                signals, cycles = said.signals, sorted(set(said.cycles))
                found = peek(self.folder, said.node, signals, cycles, [], results, quiet)
            rows = [
                [
                    f"{one.cycle:,}",
                    printable(one.signal if one.row is None else f"{one.signal}[{one.row}]"),
                    hex(one.value),
                ]
                for one in found
            ]
            return {"rows": rows}

        self.signals.begin({"node": said.node}, work)

    def _check_peek(self, said: Peeked) -> None:
        if said.node not in self.run.peeked_nodes:
            raise InputError(f"peek: {said.node}: found no RTL node of this run, expected one.")
        if not is_running(self.folder):
            return
        if self.run.may_be_entered:
            raise InputError(
                "peek: found a run that somebody may type or log into, expected its end: then it "
                "is known whether it can be repeated."
            )
        now = int(self.run.state().run["cycle"])
        if max(said.cycles) >= now:
            raise InputError(
                f"peek: found cycle {max(said.cycles):,}, expected one before {now:,}, where the "
                "run is now."
            )

    def _find(self, body: bytes) -> None:
        said = message(Sought, body)
        if said.node not in self.run.peeked_nodes:
            raise InputError(f"peek: {said.node}: found no RTL node of this run, expected one.")

        def work() -> dict[str, Any]:
            found = list_signals(self.folder, said.node, said.texts, [])
            names = [
                [printable(one.name), one.kind, str(one.width_bits), str(one.rows)]
                for one in found[:MOST_FOUND]
            ]
            return {"names": names, "more": max(0, len(found) - MOST_FOUND)}

        self.signals.begin({"node": said.node}, work)
