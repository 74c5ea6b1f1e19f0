# SPDX-License-Identifier: BSD-3-Clause
"""Senders that WRITE to one receiver, and a victim of their congestion: recipe and traces.

Their racks hang on one root. The receiver has a rack of its own, so its congestion is at a port of
the root. The victim's sender shares a rack with the first senders; its receiver is in an idle rack.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from regression.support.captured_frames import Frame, read_capture
from regression.support.cluster import Config
from regression.support.dcqcn import Settings
from regression.support.experiment import ExperimentError
from regression.support.rdma_traffic import RDMA_NODE
from regression.support.roce import is_roce
from regression.support.simulate import Run

RECEIVER, VICTIM, VICTIM_RECEIVER = "r", "vs", "vr"
LATENCY_CYCLES = 640
_SAMPLE = re.compile(r"^sample (\d+) (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE)
_COUNTERS = re.compile(r"went_back=(\d+) cnps_sent=(\d+) cnps_received=(\d+) marked=(\d+)")


@dataclass(frozen=True)
class Incast:
    """What is run. Senders are spread over racks of two."""

    senders: int
    dcqcn: bool
    settings: Settings
    gbps: int
    start: int
    settled: int
    """The cycle from which on goodputs and queues are looked at."""
    end: int
    every: int
    window: int = 16
    size: int = 16_384
    mtu: int = 1_024
    ecn_least_bytes: int = 5_000
    ecn_most_bytes: int = 200_000
    ecn_most_percent: int = 1
    xoff_bytes: int = 32_768

    @property
    def names(self) -> list[str]:
        """The senders."""
        return [f"s{index}" for index in range(self.senders)]


def _racks(incast: Incast) -> dict[str, list[str]]:
    names = incast.names
    racks = {f"rack{at // 2}": names[at : at + 2] for at in range(0, len(names), 2)}
    racks["rack0"] = [*racks["rack0"], VICTIM]
    return {**racks, "rackr": [RECEIVER], "rackv": [VICTIM_RECEIVER]}


def recipe(incast: Incast, **simulation: object) -> Config:
    """Return the cluster, by the keys of a user's file."""
    settings = incast.settings
    shared = [
        f"{key}={getattr(incast, key)}"
        for key in ("start", "end", "every", "window", "size", "mtu")
    ]
    shared += [f"{key}={value}" for key, value in vars(settings).items()]
    shared.append(f"dcqcn={int(incast.dcqcn)}")
    to = {**dict.fromkeys(incast.names, RECEIVER), VICTIM: VICTIM_RECEIVER}
    nodes = {
        name: {"args": ["role=sender", f"index={at}", f"peer=${{{to[name]}.mac}}", *shared]}
        for at, name in [*enumerate(incast.names), (0, VICTIM)]
    }
    for name, count in ((RECEIVER, incast.senders), (VICTIM_RECEIVER, 1)):
        nodes[name] = {"args": ["role=receiver", f"senders={count}", *shared]}
    marks = {
        key: getattr(incast, key)
        for key in ("ecn_least_bytes", "ecn_most_bytes", "ecn_most_percent", "xoff_bytes")
    }
    switch = {
        "class_by": "dscp",
        "pause_classes": [0],
        "xon_bytes": incast.xoff_bytes // 2,
        "headroom_bytes": 45_000,
        **marks,
    }
    return {
        "system": {
            "topology": {"tree": {"root": _racks(incast)}},
            "link": {"latency_cycles": LATENCY_CYCLES, "bandwidth_gbps": incast.gbps},
            "node": RDMA_NODE,
            "switch": {"kind": "priority", "settings": switch, "buffer_bytes": 4 << 20},
        },
        "workload": {"node": {"program": "rdmaincast"}, "nodes": nodes},
        "simulation": {"captures": True, **simulation},
    }


@dataclass(frozen=True)
class Sample:
    """What a sender saw of itself; `alpha` in units of 2^-20."""

    cycle: int
    bytes: int
    rate_mbps: int
    target_mbps: int
    alpha: int


def samples(run: Run, node: str) -> list[Sample]:
    """Return what a sender printed.

    Raises:
        ExperimentError: that is nothing.
    """
    found = [Sample(*map(int, values)) for values in _SAMPLE.findall(run.console(node))]
    if len(found) < 2:
        raise ExperimentError(f"{run.folder}: found no samples of {node}.")
    return found


def counters(run: Run, node: str) -> tuple[int, int, int, int]:
    """Return what a NIC counted: returns to earlier packets, CNPs sent and received, marks."""
    found = _COUNTERS.search(run.console(node))
    if found is None:
        raise ExperimentError(f"{run.folder}: found no counters of {node}.")
    first, second, third, fourth = map(int, found.groups())
    return first, second, third, fourth


def goodput_gbps(run: Run, node: str, begin: int, end: int, clock_ghz: float = 3.2) -> float:
    """Return the acknowledged bits a nanosecond of a sender between two cycles."""
    inside = [one for one in samples(run, node) if begin <= one.cycle <= end]
    first, last = inside[0], inside[-1]
    return (last.bytes - first.bytes) * 8 * clock_ghz / (last.cycle - first.cycle)


def fairness(rates: Iterable[float]) -> float:
    """Return Jain's index: 1 when all are the same, 1 / n when one has everything."""
    values = list(rates)
    return sum(values) ** 2 / (len(values) * sum(one * one for one in values))


def capture(run: Run, switch: str) -> list[Frame]:
    """Return the frames of a switch."""
    return read_capture(next(Path(run.folder, switch).rglob("capture*.pcapng")))


@dataclass(frozen=True)
class Depth:
    """Bytes that wait in a switch for one port, after each change."""

    cycles: list[int]
    bytes: list[int]

    def at(self, cycle: int) -> int:
        """Return what waits then."""
        index = bisect_right(self.cycles, cycle) - 1
        return self.bytes[index] if index >= 0 else 0

    def over(self, begin: int, end: int, points: int = 600) -> tuple[list[int], list[int]]:
        """Return cycles at the same distance, and what waits in each."""
        step = max(1, (end - begin) // points)
        cycles = list(range(begin, end, step))
        return cycles, [self.at(cycle) for cycle in cycles]


def queue_depth(frames: list[Frame], destination: bytes) -> Depth:
    """Return what waits for a destination, from what came and what left."""
    changes = [
        (one.cycle, len(one.data) if one.inbound else -len(one.data))
        for one in frames
        if one.destination == destination and is_roce(one)
    ]
    changes.sort(key=lambda change: change[0])
    return Depth([cycle for cycle, _ in changes], list(accumulate(change for _, change in changes)))


def percentile(values: Iterable[int], share: float) -> int:
    """Return the value below which this share of them is."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def switch_sum(run: Run, key: str) -> int:
    """Return the sum of a counter over all ports of all switches."""
    return sum(
        int(port[key]) for one in run.result["switches"] for port in one["statistics"]["ports"]
    )
