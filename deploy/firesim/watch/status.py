# SPDX-License-Identifier: BSD-3-Clause
"""Reads status.jsonl while it grows and works out rates."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from firesim_common.json_text import parsed

MAX_LINE_BYTES = 16 << 20
WINDOW_S = 4.0
"""Rates are over this much wall time: models move a whole batch at once."""


@dataclass(frozen=True)
class QueueStatus:
    """What waits in the output queues of a switch."""

    bytes: int
    """In all of them."""
    fullest: float
    """Share of its room that the fullest one takes, from 0 to 1."""


@dataclass
class ModelStatus:
    """One node or switch at one moment."""

    name: str
    cycle: int
    state: str
    waiting_for: str | None
    """Whose tokens it lacks; another process by its name."""
    packets_in: int
    packets_out: int
    busy_s: float = 0.0
    """Host time in which it was computed."""
    waiting_s: float = 0.0
    """Host time in which it lacked tokens."""
    exit_code: int | None = None
    """How it has ended, 0 for passed; None while it goes on."""
    queue: QueueStatus | None = None
    """What waits in it; None where it is no switch."""
    host: str = ""
    cycles_per_s: float = 0.0
    busy: float = 0.0
    """Share of the last seconds in which it was computed, from 0 to 1."""
    waiting: float = 0.0
    """Share of the last seconds in which it lacked tokens."""

    @property
    def has_failed(self) -> bool:
        """Whether it has ended and not passed."""
        return bool(self.exit_code)


@dataclass(frozen=True)
class HostStatus:
    """A host and the simulator on it at one moment."""

    name: str
    wall_s: float
    cores: int
    load: float
    """Processes that run or wait for a core, over the last minute."""
    memory_bytes: int
    available_bytes: int
    resident_bytes: int
    """Memory of the simulator."""
    cpu_s: float
    """Processor time of the simulator."""
    sent_bytes: int
    received_bytes: int
    sent_per_s: float | None = None
    """None until there are two samples."""
    received_per_s: float | None = None


@dataclass(frozen=True)
class TrafficCount:
    """What was put into one direction of a link."""

    flits: int
    packets: int


Directions = tuple[TrafficCount | None, TrafficCount | None]
"""Of a link: a to b, b to a; None where nobody has told yet."""


@dataclass
class Status:
    """The whole simulation at one moment."""

    wall_s: float = 0.0
    models: list[ModelStatus] = field(default_factory=list)
    hosts: list[HostStatus] = field(default_factory=list)
    links: Mapping[str, Directions] = field(default_factory=dict)
    threads: Mapping[str, int] = field(default_factory=dict)
    """Worker threads of each host."""

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

    def __init__(
        self, files: Mapping[str, Path], order: Sequence[str], start_cycle: int = 0
    ) -> None:
        """Take the file of each host and the names of the models in the order of the plan."""
        self.readers = [StatusReader(path, host, start_cycle) for host, path in files.items()]
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
        links: dict[str, Directions] = {}
        for status in known:
            for name, both in status.links.items():
                # Of a link that another process has an end of, each knows its direction.
                old = links.get(name)
                links[name] = (both[0] or old[0], both[1] or old[1]) if old else both
        hosts = [host for status in known for host in status.hosts]
        threads = {host: number for status in known for host, number in status.threads.items()}
        wall_s = max(status.wall_s for status in known)
        self.latest = Status(wall_s, models, hosts, links, threads)
        return self.latest


class StatusReader:
    """Follows one status file; incomplete last lines wait for their rest."""

    def __init__(self, path: Path, host: str = "", start_cycle: int = 0) -> None:
        """Take the file, the host it comes from and the cycle at which the run began."""
        self.path, self.host, self.start_cycle = path, host, start_cycle
        self.offset = 0
        self.latest: Status | None = None
        self.window: deque[Status] = deque()
        self.links: dict[str, Directions] = {}
        self.hosts: list[HostStatus] = []

    def update(self) -> Status | None:
        """Read what was added; return the newest status, None before the first."""
        while data := self._added():
            for line in data.splitlines():
                try:
                    self._take(parsed(line))
                except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
                    continue  # A torn line of a full disk: the next whole one counts.
        return self.latest

    def skip(self, most_bytes: int) -> bool:
        """Begin with the last lines of a long file, about `most_bytes` bytes; return if it did."""
        try:
            with self.path.open("rb") as stream:
                begin = stream.seek(0, 2) - most_bytes
                if begin <= self.offset:
                    return False
                stream.seek(begin)
                stream.readline()
                self.offset = stream.tell()
        except OSError:
            return False
        return True

    def _added(self) -> bytes:
        """Return whole lines that were not read yet, at most MAX_LINE_BYTES of them."""
        try:
            with self.path.open("rb") as stream:
                stream.seek(self.offset)
                data = stream.read(MAX_LINE_BYTES)
        except OSError:
            return b""
        whole = data.rfind(b"\n") + 1
        self.offset += whole
        return data[:whole]

    def _take(self, value: dict[str, Any]) -> None:
        status = Status(float(value["wall_s"]))
        while len(self.window) > 1 and status.wall_s - self.window[1].wall_s >= WINDOW_S:
            self.window.popleft()
        before = self.window[0] if self.window else Status()
        old = {model.name: model for model in before.models}
        passed_s = status.wall_s - before.wall_s
        for entry in value["models"]:
            model = _model(entry, self.host)
            first = old.get(model.name) or ModelStatus(model.name, self.start_cycle, "", None, 0, 0)
            _rate(model, first, passed_s)
            status.models.append(model)
        carried = {
            str(entry["name"]): (_count(entry["a_to_b"]), _count(entry["b_to_a"]))
            for entry in value.get("links", [])
        }
        # A new dictionary, as statuses that were handed out keep theirs.
        self.links = {**self.links, **carried} if carried else self.links
        if "host" in value:
            sample = _host(value["host"], self.host, status.wall_s)
            self.hosts = [_host_rate(sample, self.hosts[0]) if self.hosts else sample]
        status.links, status.hosts = self.links, self.hosts
        status.threads = {self.host: int(value.get("threads", 0))}
        self.window.append(status)
        self.latest = status


def _model(entry: dict[str, Any], host: str) -> ModelStatus:
    code, waiting_for = entry.get("exit_code"), entry.get("waiting_for")
    return ModelStatus(
        str(entry["name"]),
        int(entry["cycle"]),
        str(entry["state"]),
        None if waiting_for is None else str(waiting_for),
        int(entry.get("packets_in", 0)),
        int(entry.get("packets_out", 0)),
        float(entry.get("busy_s", 0)),
        float(entry.get("waiting_s", 0)),
        None if code is None else int(code),
        _queue(entry.get("queue")),
        host,
    )


def _queue(entry: dict[str, Any] | None) -> QueueStatus | None:
    if entry is None:
        return None
    return QueueStatus(int(entry["bytes"]), min(1.0, max(0.0, float(entry["fullest"]))))


def _rate(model: ModelStatus, before: ModelStatus, passed_s: float) -> None:
    """Fill in what a model did since it was at `before`."""
    if passed_s <= 0:
        return
    model.cycles_per_s = (model.cycle - before.cycle) / passed_s
    model.busy = min(1.0, max(0.0, (model.busy_s - before.busy_s) / passed_s))
    model.waiting = min(1.0, max(0.0, (model.waiting_s - before.waiting_s) / passed_s))


def _count(entry: dict[str, Any] | None) -> TrafficCount | None:
    return None if entry is None else TrafficCount(int(entry["flits"]), int(entry["packets"]))


def _host(entry: dict[str, Any], name: str, wall_s: float) -> HostStatus:
    return HostStatus(
        name,
        wall_s,
        int(entry["cores"]),
        float(entry["load"]),
        int(entry["memory_bytes"]),
        int(entry["available_bytes"]),
        int(entry["resident_bytes"]),
        float(entry["cpu_s"]),
        int(entry["sent_bytes"]),
        int(entry["received_bytes"]),
    )


def _host_rate(sample: HostStatus, before: HostStatus) -> HostStatus:
    """Return a sample with its rates since the one before."""
    passed_s = sample.wall_s - before.wall_s
    if passed_s <= 0:
        return sample
    return replace(
        sample,
        sent_per_s=max(0.0, (sample.sent_bytes - before.sent_bytes) / passed_s),
        received_per_s=max(0.0, (sample.received_bytes - before.received_bytes) / passed_s),
    )
