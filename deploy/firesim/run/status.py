# SPDX-License-Identifier: BSD-3-Clause
"""Reads status.jsonl while it grows and works out rates."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_LINE_BYTES = 16 << 20
WINDOW_S = 4.0
"""Rates are over this much wall time: models move a whole batch at once."""


@dataclass
class ModelStatus:
    """One node or switch at one moment."""

    name: str
    cycle: int
    state: str
    waiting_for: str | None
    packets_in: int
    packets_out: int
    cycles_per_s: float = 0.0


@dataclass
class Status:
    """The whole simulation at one moment."""

    wall_s: float = 0.0
    models: list[ModelStatus] = field(default_factory=list)

    @property
    def cycle(self) -> int:
        """The cycle every model has reached."""
        return min((model.cycle for model in self.models), default=0)

    @property
    def cycles_per_s(self) -> float:
        """The rate of the slowest model, which is the rate of the simulation."""
        return min((model.cycles_per_s for model in self.models), default=0.0)


class StatusReaders:
    """Follows the status files of several processes as if they were one."""

    def __init__(self, paths: Sequence[Path], order: Sequence[str]) -> None:
        """Take the files and the names of the models in the order of the plan."""
        self.readers = [StatusReader(path) for path in paths]
        self.order = {name: index for index, name in enumerate(order)}
        self.latest: Status | None = None

    def update(self) -> Status | None:
        """Read what was added; return the newest status of all, None before the first of each."""
        before = [reader.latest for reader in self.readers]
        now = [reader.update() for reader in self.readers]
        known = [status for status in now if status is not None]
        if now == before or len(known) < len(now):
            return self.latest
        # Models that stand for another process are in no plan.
        models = [m for status in known for m in status.models if m.name in self.order]
        models.sort(key=lambda model: self.order[model.name])
        self.latest = Status(max(status.wall_s for status in known), models)
        return self.latest


class StatusReader:
    """Follows one status file; incomplete last lines wait for their rest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0
        self.latest: Status | None = None
        self.window: deque[Status] = deque()

    def update(self) -> Status | None:
        """Read what was added; return the newest status, None before the first."""
        try:
            with self.path.open("rb") as stream:
                stream.seek(self.offset)
                data = stream.read(MAX_LINE_BYTES)
        except OSError:
            return self.latest
        whole = data.rfind(b"\n") + 1
        self.offset += whole
        for line in data[:whole].splitlines():
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError):
                continue  # A torn line of a full disk: the next whole one counts.
        return self.latest

    def _take(self, value: dict[str, Any]) -> None:
        status = Status(float(value["wall_s"]))
        while len(self.window) > 1 and status.wall_s - self.window[1].wall_s >= WINDOW_S:
            self.window.popleft()
        before = self.window[0] if self.window else None
        old = {model.name: model.cycle for model in before.models} if before else {}
        for entry in value["models"]:
            model = ModelStatus(
                str(entry["name"]),
                int(entry["cycle"]),
                str(entry["state"]),
                entry.get("waiting_for"),
                int(entry.get("packets_in", 0)),
                int(entry.get("packets_out", 0)),
            )
            since = status.wall_s - (before.wall_s if before else 0.0)
            done = model.cycle - old.get(model.name, 0)
            model.cycles_per_s = done / since if since > 0 else 0.0
            status.models.append(model)
        self.window.append(status)
        self.latest = status
