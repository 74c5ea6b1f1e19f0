# SPDX-License-Identifier: BSD-3-Clause
"""A run as its page shows it, read from its results folder while it goes on or when it is over."""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from firesim_common.json_text import parsed, read_json
from firesim_common.positions import read_yaml
from firesim_common.printable import printable
from firesim_common.regular_file import opened_regular
from firesim_common.user_path import found_in

from firesim.engines import ENGINES
from firesim.metrics.own import read_own
from firesim.metrics.stock import with_own
from firesim.remote import record
from firesim.report import shape
from firesim.report.drawing import drawn
from firesim.report.network import Network, functional_words
from firesim.report.results import read_peers, read_start_cycle
from firesim.report.tables import end_state
from firesim.run.control import is_running
from firesim.topology.passes.gateway import NAME
from firesim.units import (
    count,
    duration,
    grouped,
    hertz,
    percent,
    seconds,
    significant,
    target_time,
)
from firesim.view.loads import BITS_A_FLIT, LinkLoad, LinkLoads
from firesim.view.moving import Moving
from firesim.view.waits import Holder, chain_words, holders
from firesim.watch.live_tables import doing, host_row
from firesim.watch.progress import progress, progress_line, slowest, slowest_line
from firesim.watch.status import ModelStatus, Status, StatusReaders
from firesim.work.folder import RESULT, saved_result

FRESH_S = 0.1
"""A state is read again when it is older; without a new line of the status that costs next to
nothing, and lines of many models come less often."""
MOST_STATUS_BYTES = 64 << 20
"""Of a status file that is longer the end is read: rates need a few seconds of it."""
SHORT_S = 10.0
"""Wall time below which parts of a second are shown."""
HISTORY_POINTS = 120
MOST_LINE_BYTES = 16 << 20
MOST_LINKS = 32
"""In the table, the fullest first."""

_NOTHING = Status()
_TEXTS = 4096
_target_time, _hertz, _count = (lru_cache(_TEXTS)(text) for text in (target_time, hertz, count))
"""Many models are in the same cycle, have the same rate, and have sent nothing."""


@dataclass(frozen=True)
class State:
    """A run at one moment, as texts and numbers that the page puts in their places."""

    run: dict[str, Any] = field(default_factory=dict)
    models: dict[str, list[str]] = field(default_factory=dict)
    """Of each model: target, rate, packets in and out, busy, waits, what it does, how it is."""
    boxes: list[str] = field(default_factory=list)
    """How the models of each box of the drawing are: failed, ended, busy, waits or calm."""
    lines: list[list[float]] = field(default_factory=list)
    """The fullest load of each line of the drawing in its direction and back, from 0 to 1."""
    queues: list[float] = field(default_factory=list)
    """How full the fullest queue of each box is, from 0 to 1; -1 where there is none."""
    pulls: list[int] = field(default_factory=list)
    """Which end of each line waits for the other, as `Moving.pulls` says."""
    waits: list[list[str]] = field(default_factory=list)
    """Who holds others up: name, models that wait for it, all behind it, the longest chain."""
    hosts: list[list[str]] = field(default_factory=list)
    """The cells of each host, as the live table has them."""
    links: list[list[str]] = field(default_factory=list)
    """Of the fullest links: name, load from a to b, load from b to a."""


class ViewedRun:
    """Reads one run for all pages that show it; any thread."""

    def __init__(self, folder: Path, eta_cycle: int = 0) -> None:
        """Take a results folder with its description.

        Raises:
            InputError: it has none, or one that no run leaves.
        """
        self.folder = folder
        file = folder / "description.json"
        self.description: dict[str, Any] = read_json(file)
        shape.check(self.description, shape.DESCRIPTION, file)
        nodes = self.description.get("nodes", [])
        self._bridges: dict[str, dict[str, Any]] = {
            str(node["name"]): node.get("bridges") or {} for node in nodes
        }
        self.network = Network(self.description, read_peers(folder))
        self.moving = Moving(drawn(self.network))
        self.metrics = with_own(read_own(folder))
        self.clock_hz = int(self.description.get("clock_hz") or 3_200_000_000)
        self.start_cycle = read_start_cycle(folder)
        self.goal_cycle = eta_cycle or _goal_cycle(folder, self.description)
        self.models = [*self.network.nodes, *self.network.switching_cycles]
        self._lock = threading.Lock()
        self._state, self._read_s = State(), float("-inf")
        self._shown: Status | None = None
        """The status that the state was made of, while the run goes on."""
        self._files = _status_files(folder)
        self._reader = StatusReaders(self._files, self.models, self.start_cycle)
        cut = [one.skip(MOST_STATUS_BYTES) for one in self._reader.readers]
        self._loads = LinkLoads(self.start_cycle, not any(cut))

    def file_of(self, node: str, bridge: str, key: str) -> Path | None:
        """Return a file of a node's bridge in the results folder, None when there is none."""
        name = self._bridge(node, bridge).get(key)
        path = self.folder / str(name or "")
        return path if name and found_in(path, self.folder) else None

    def _bridge(self, node: str, bridge: str) -> dict[str, Any]:
        """Return what the description says of a node's bridge, nothing when it has none."""
        return self._bridges.get(node, {}).get(bridge) or {}

    def nodes_with(self, bridge: str) -> list[str]:
        """Return the nodes that have a bridge."""
        return [name for name, bridges in self._bridges.items() if bridge in bridges]

    @property
    def traced_nodes(self) -> list[str]:
        """The nodes of which call stacks are written."""
        nodes = self.nodes_with("tracerv")
        return [name for name in nodes if self._bridge(name, "tracerv").get("enabled") is not False]

    @property
    def counted_nodes(self) -> list[str]:
        """The nodes of which counters are written."""
        nodes = self.nodes_with("autocounter")
        triggers = {name: self._bridge(name, "autocounter").get("trigger") or {} for name in nodes}
        return [name for name in nodes if triggers[name].get("kind") != "none"]

    @property
    def typed_nodes(self) -> list[str]:
        """The nodes whose consoles can be typed into."""
        return [name for name in self.nodes_with("uart") if self._bridge(name, "uart").get("pty")]

    @property
    def peeked_nodes(self) -> list[str]:
        """The nodes whose signals can be looked at."""
        kinds = self.network.node_kind
        return [
            name for name in kinds if (found := ENGINES.get(kinds[name])) and found.shows_signals
        ]

    @property
    def may_be_entered(self) -> bool:
        """Whether something from outside may enter the run, so that no other run is like it."""
        return bool(self.typed_nodes) or NAME in self.network.nodes

    def state(self) -> State:
        """Return the run as it is now."""
        with self._lock:
            if time.monotonic() - self._read_s >= FRESH_S:
                self._state = self._now()
                self._read_s = time.monotonic()
            return self._state

    def _now(self) -> State:
        is_over = not is_running(self.folder)  # Asked first: what is read then is all of it.
        status = self._reader.update() or _NOTHING
        if status is self._shown and not is_over:
            return self._state
        self._shown = status
        loads = self._loads.update(status)
        by_name = {model.name: model for model in status.models}
        fullest = sorted(loads.items(), key=lambda entry: -entry[1].most)[:MOST_LINKS]
        return State(
            self._run(status, is_over),
            {model.name: self._row(model) for model in status.models},
            [
                _look([by_name[name] for name in box if name in by_name])
                for box in self.moving.drawn.boxes
            ],
            self.moving.flows(loads),
            self.moving.queues(by_name),
            [] if is_over else self.moving.pulls(status.models),
            [] if is_over else [_held(one) for one in holders(status.models)],
            [host_row(status, host) for host in status.hosts],
            [[name, *self._load(load)] for name, load in fullest if load.most > 0],
        )

    def _row(self, model: ModelStatus) -> list[str]:
        return [
            _target_time(model.cycle, self.clock_hz),
            _hertz(model.cycles_per_s),
            _count(model.packets_in),
            _count(model.packets_out),
            percent(model.busy),
            percent(model.waiting),
            doing(model),
            _look([model]),
        ]

    def _load(self, load: LinkLoad) -> list[str]:
        full_gbps = BITS_A_FLIT * self.clock_hz / 1e9
        return [
            f"{significant(share * full_gbps, 3)} Gb/s, {percent(share)}"
            for share in (load.a_to_b, load.b_to_a)
        ]

    def _run(self, status: Status, is_over: bool) -> dict[str, Any]:
        """Return the figures of the whole run; of a run that is over those it ended with."""
        result = self._result() if is_over else None
        going = None if is_over else progress(status, self.goal_cycle)
        found = None if is_over else slowest(status)
        ended = sum(model.state == "ended" for model in status.models)
        headline, detail, tone = "running" if status.models else "beginning", "", ""
        wall_s, rate = status.wall_s, status.cycles_per_s
        if is_over:
            headline, detail, tone = end_state(result)
            wall_s = float((result or {}).get("wall_s") or wall_s)
            rate = (status.cycle - self.start_cycle) / wall_s if wall_s > 0 else 0.0
        token_hash = (result or {}).get("token_hash")
        return {
            "over": is_over,
            "state": headline,
            "detail": printable(f"token hash {token_hash}" if token_hash else detail),
            "tone": tone,
            "wall_s": round(wall_s, 3),
            "wall": seconds(wall_s) if wall_s < SHORT_S else duration(wall_s),
            "cycle": status.cycle,
            "target": target_time(status.cycle, self.clock_hz),
            "rate": hertz(rate),
            "ended": f"{ended} of {len(self.models)}",
            "share": None if going is None else going.share,
            "progress": "" if going is None else progress_line(going),
            "slowest": "" if found is None else slowest_line(found, len(status.threads) > 1),
            "network": functional_words(result or {}, self.clock_hz),
        }

    def _result(self) -> dict[str, Any] | None:
        """Return the result.json of this run, None when there is no whole one."""
        result = saved_result(self.folder)
        try:
            shape.check(result, shape.RESULT, self.folder / RESULT)
        except InputError:
            return None
        return result or None

    def history(self) -> list[list[float]]:
        """Return wall time and target cycle at moments of the run so far, a bounded number."""
        first = next(iter(self._files.values()))
        points = [[0.0, float(self.start_cycle)]]
        for point in _sampled(first):
            if point[0] > points[-1][0] and point[1] >= points[-1][1]:
                points.append(point)
        return points


def _held(one: Holder) -> list[str]:
    texts = (grouped(one.directly), grouped(one.behind), chain_words(one.chain))
    return [one.name, *texts]


def _look(models: list[ModelStatus]) -> str:
    """Return how some models are, in the word that the page's style sheet knows."""
    if any([model.exit_code for model in models]):
        return "failed"
    if models and all([model.state == "ended" for model in models]):
        return "ended"
    if any([model.busy > 0.5 for model in models]):
        return "busy"
    return "waits" if models and all([model.waiting > 0.5 for model in models]) else "calm"


def _goal_cycle(folder: Path, description: dict[str, Any]) -> int:
    """Return the cycle up to which the time left is estimated, 0 for none."""
    try:
        simulation = read_yaml(folder / "config.yaml").data["simulation"]
        if wanted := simulation["monitoring"]["eta_cycle"]:
            return int(wanted)
    except (InputError, KeyError, TypeError, ValueError):
        pass
    most = description.get("max_cycles")
    return most if isinstance(most, int) else 0


def _status_files(folder: Path) -> dict[str, Path]:
    """Return the status files of a run by host, as `remote/simulators.py` names them."""
    found = record.load(folder)
    if found is None or not found.hosts:
        return {platform.node(): folder / "status.jsonl"}
    first, *others = found.hosts
    names = {first: "status.jsonl", **{name: f"status-{name}.jsonl" for name in others}}
    return {host: folder / name for host, name in names.items()}


def _sampled(path: Path) -> Iterator[list[float]]:
    """Yield wall time and cycle of lines all over a status file, however long it is."""
    try:
        with opened_regular(path) as stream:
            size = stream.seek(0, 2)
            before = -1
            for index in range(HISTORY_POINTS):
                stream.seek(size * index // HISTORY_POINTS)
                if index:
                    stream.readline(MOST_LINE_BYTES)
                if stream.tell() == before:
                    continue  # The same line as the last time: the file is short.
                before = stream.tell()
                line = stream.readline(MOST_LINE_BYTES)
                try:
                    value = parsed(line)
                    cycle = min(int(model["cycle"]) for model in value["models"])
                    yield [float(value["wall_s"]), float(cycle)]
                except (ValueError, KeyError, TypeError):
                    continue  # Half a line, or one of a stranger.
    except OSError:
        return
