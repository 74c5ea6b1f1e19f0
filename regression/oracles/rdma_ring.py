# SPDX-License-Identifier: BSD-3-Clause
"""Ring all-reduce by a Linux program over Debian's libibverbs: 2, 4 and 8 nodes on a switch.

Functional Linux nodes have the RDMA NIC by its driver. Every rank must have the sum that NumPy
computes in the ring's order, bit for bit, in int32 and fp32, also when a link loses 1 % of the
packets, and when every other rank has Soft-RoCE (links of 1 Gb/s). Where nothing is lost, every
packet must be counted alike by both of its ends and by the capture between them. The full form has
bus bandwidths, 2 (N - 1) / N times S / T for vectors of S bytes and N nodes in a time of T, beside
the goodput of a link. One hash for any threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from regression.support.allreduce import Ring, expected_sum
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
)
from regression.support.own_kernel import add_kernel_argument, check_kernel
from regression.support.rdma_linux import (
    DRIVER,
    FRAME_BYTES,
    SOFT_ROCE,
    SOFT_ROCE_GBPS,
    Captured,
    Device,
    counts,
    hashes,
    loss,
    verdict,
)
from regression.support.simulate import Run

WORKLOAD = "linux-ring"
CYCLES_PER_TICK = 100
"""Of the time that a hart reads."""
TIMEOUT = 6
"""4.096 us << 6 is 0.3 ms, until a packet that was lost is sent again."""
KIB = 1_024
BASE = Ring(nodes=2, bytes=2 * 8 * KIB, segment=2_056, window=4, latency_cycles=640, gbps=200)
_SPEED_COLUMNS = [
    *("type", "nodes", "KiB", "cycles", "bytes a cycle"),
    *("of goodput (%)", "core adds (%)", "core posts (%)"),
]
_LINE = re.compile(
    r"rdmaring start_tick=(\d+) end_tick=(\d+) adding=(\d+) posting=(\d+) total=(\d+)\s+"
    r"rdmaring sum=([0-9a-f]+)"
)


@dataclass(frozen=True)
class _Case:
    """A ring, and the devices of its ranks, which take turns."""

    ring: Ring
    devices: tuple[Device, ...] = (DRIVER,)

    @property
    def names(self) -> list[str]:
        """Nodes by rank."""
        return [f"node{rank}" for rank in range(self.ring.nodes)]

    def device(self, rank: int) -> Device:
        """Return that of a rank."""
        return self.devices[rank % len(self.devices)]


@dataclass
class _Rows:
    """What the runs showed."""

    sums: list[list[object]] = field(default_factory=list)
    speeds: list[list[object]] = field(default_factory=list)
    captured: Captured = field(default_factory=Captured)


def _config(case: _Case) -> Config:
    """Return a rack with the program on every node, by the keys of a user's file."""
    ring, names = case.ring, case.names
    keys = ("nodes", "bytes", "type", "segment", "window", "warm", "seed", "mtu", "timeout")
    shared = " ".join(f"{key}={getattr(ring, key)}" for key in keys)

    def command(rank: int) -> str:
        after, before = names[(rank + 1) % ring.nodes], names[rank - 1]
        device = f"sh /etc/firesim/rdma-device {case.device(rank).name} {FRAME_BYTES}"
        words = f"rank={rank} next=${{{after}.ip}} previous=${{{before}.ip}} {shared}"
        return f"{device} ${{{after}.ip}} ${{{after}.mac}} rdmaring {words}"

    ranks = list(enumerate(names))
    config: Config = {
        "system": {
            "topology": f"rack_{ring.nodes}",
            "link": {"latency_cycles": ring.latency_cycles, "bandwidth_gbps": ring.gbps},
            "nodes": {name: case.device(rank).node for rank, name in ranks},
        },
        "workload": {
            "nodes": {name: {"linux": WORKLOAD, "command": command(rank)} for rank, name in ranks}
        },
        "simulation": {
            "engine": "functional",
            "captures": True,
            "throughput_interval_cycles": 0,
        },
    }
    return merged(config, loss(ring.seed)) if ring.lost_percent else config


def _printed(run: Run, name: str) -> list[str]:
    found = _LINE.search(run.console(name))
    if found is None:
        raise ExperimentError(f"{run.folder}: {name} has not printed its sum.")
    return list(found.groups())


def _run(experiment: Experiment, rows: _Rows, name: str, case: _Case) -> list[list[str]]:
    """Run a ring; return what its ranks printed.

    Raises:
        ExperimentError: a sum is not NumPy's, or packets were counted wrong.
    """
    ring = case.ring
    run = run_cluster(experiment, name, _config(case))
    printed = [_printed(run, node) for node in case.names]
    sums = {int(row[-1], 16) for row in printed}
    if sums != {expected_sum(ring)}:
        raise ExperimentError(f"{run.folder}: found the sums {sums}, expected NumPy's on each.")
    lossy = ring.lost_percent > 0
    packets = sum(rows.captured.note(run, lossy, case.names))
    counted = [counts(run, node) for node in case.names]
    lost = sum(one.sent for one in counted) - sum(one.received for one in counted)
    if (lost > 0) != lossy:
        raise ExperimentError(f"{run.folder}: {lost} packets have not arrived.")
    devices = ", ".join(device.what for device in case.devices)
    rows.sums.append([ring.type, ring.nodes, devices, ring.bytes // KIB, packets, lost])
    return printed


def _note_speed(rows: _Rows, ring: Ring, printed: list[list[str]]) -> None:
    """Note how long a reduction took, from the common start to the last end.

    Raises:
        ExperimentError: the ranks did not begin together.
    """
    starts = {int(row[0]) for row in printed}
    if len(starts) != 1:
        raise ExperimentError(f"{ring}: ranks began at different times: {starts}.")
    total = sum(int(row[4]) for row in printed)
    shares = [100 * sum(int(row[at]) for row in printed) / total for at in (2, 3)]
    cycles = CYCLES_PER_TICK * (max(int(row[1]) for row in printed) - starts.pop())
    bus = 2 * (ring.nodes - 1) / ring.nodes * ring.bytes / cycles
    figures = [f"{value:.2f}" for value in (bus, 100 * bus / ring.goodput, *shares)]
    rows.speeds.append([ring.type, ring.nodes, ring.bytes // KIB, cycles, *figures])


def _exact(experiment: Experiment) -> Iterator[_Case]:
    """Return small rings of every size and type, with and without losses, then mixed ones."""
    small = replace(BASE, seed=experiment.seed % 1_000_000)
    lossy = replace(small, lost_percent=1, timeout=TIMEOUT, bytes=64 * KIB)
    if experiment.quick:
        yield _Case(replace(small, type="fp32"))
        yield _Case(replace(lossy, nodes=4))
        return
    for ring in (small, lossy):
        for nodes in (2, 4, 8):
            for kind in ("int32", "fp32"):
                yield _Case(replace(ring, nodes=nodes, bytes=nodes * ring.bytes // 2, type=kind))
    for nodes in (2, 4):
        mixed = replace(small, nodes=nodes, gbps=SOFT_ROCE_GBPS, timeout=2 * TIMEOUT)
        yield _Case(mixed, (DRIVER, SOFT_ROCE))


def _fast(experiment: Experiment) -> Iterator[_Case]:
    """Return rings whose time is of interest."""
    large = replace(BASE, mtu=4_096, segment=32 * KIB, window=16, seed=experiment.seed % 1_000_000)
    for nodes in (2, 4, 8):
        for kib in (64, 1_024):
            for kind in ("int32", "fp32"):
                segment = min(32 * KIB, kib * KIB // nodes // 2)
                yield _Case(
                    replace(large, nodes=nodes, bytes=kib * KIB, type=kind, segment=segment)
                )


@experiment_named("rdma-ring", add_kernel_argument)
def run(experiment: Experiment) -> Verdict:
    """Hold when every rank has NumPy's sum, and packets are counted alike."""
    check_kernel(experiment)
    rows = _Rows()
    for index, case in enumerate(_exact(experiment)):
        _run(experiment, rows, f"exact-{index}", case)
    for index, case in enumerate(() if experiment.quick else _fast(experiment)):
        _note_speed(rows, case.ring, _run(experiment, rows, f"fast-{index}", case))
    experiment.table(
        "Sums that are NumPy's on every rank, bit for bit (measured)",
        ["type", "nodes", "devices", "KiB", "packets", "lost"],
        rows.sums,
    )
    if rows.speeds:
        experiment.table(
            "Bus bandwidth over links of 200 Gb/s, target time (measured)",
            _SPEED_COLUMNS,
            rows.speeds,
        )
    return verdict(
        experiment,
        rows.captured,
        hashes(experiment, _config(_Case(BASE))),
        f"{len(rows.sums)} sums of all ranks are NumPy's",
        sums=len(rows.sums),
    )
