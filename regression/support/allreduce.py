# SPDX-License-Identifier: BSD-3-Clause
"""Ring all-reduce: the cluster and the program, its sum by NumPy, and a law of the time it takes.

The vectors, the order of addition and the digest are those of the program `allreduce`, and nothing
of it is shared with this file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy

from regression.support.cluster import Config
from regression.support.experiment import ExperimentError
from regression.support.roce import HEADER_BYTES, UDP_PORT
from regression.support.simulate import Run
from regression.support.target_digest import memory_digest

NODE: Config = {"blade": "rocket-1-reduce", "memory": {"size_mib": 16}}
FULL_GBPS, FLIT_BYTES = 200, 8
"""Bytes that a link of this rate, by its name, carries in a cycle."""
MANTISSA_BITS = 23
Vector = numpy.ndarray[Any, numpy.dtype[Any]]
_TIMES = re.compile(r"allreduce start=(\d+) end=(\d+) adding=(\d+) posting=(\d+) total=(\d+)")
_COUNTS = re.compile(r"allreduce sent=(\d+) received=(\d+) went_back=(\d+) timed_out=(\d+)")
_SUM = re.compile(r"allreduce sum=([0-9a-f]+)")


@dataclass(frozen=True)
class Ring:
    """What the program is told, and the links. `slow` has settings of the link of rank 1."""

    nodes: int
    bytes: int
    type: str = "int32"
    way: str = "core"
    segment: int = 4_096
    window: int = 8
    warm: int = 1
    seed: int = 1
    mtu: int = 1_024
    timeout: int = 0
    latency_cycles: int = 640
    gbps: int = 100
    lost_percent: int = 0
    slow: tuple[tuple[str, int], ...] = ()

    @property
    def goodput(self) -> float:
        """Bytes of payload a cycle that a link can carry in packets of the MTU."""
        return self.gbps / FULL_GBPS * FLIT_BYTES * self.mtu / (self.mtu + HEADER_BYTES)

    def least_cycles(self, gbps: int) -> float:
        """Return what a reduction takes at a link's goodput of this rate, and no latency."""
        goodput = replace(self, gbps=gbps).goodput
        return 2 * (self.nodes - 1) * self.chunk / goodput

    @property
    def chunk(self) -> int:
        """Bytes that a rank sends in a step."""
        return self.bytes // self.nodes

    @property
    def messages(self) -> int:
        """Of a rank in a reduction."""
        return 2 * (self.nodes - 1) * -(-self.chunk // self.segment)

    def by(self, way: str) -> Ring:
        """Return the same ring another way; the NIC by itself has a window of all messages."""
        window = 1 << (self.messages - 1).bit_length() if way == "sequenced" else self.window
        return replace(self, way=way, window=window)


def recipe(ring: Ring, **simulation: object) -> Config:
    """Return a rack with the program on every node, by the keys of a user's file."""
    keys = ("nodes", "bytes", "type", "way", "segment", "window", "warm", "seed", "mtu", "timeout")
    shared = [f"{key}={getattr(ring, key)}" for key in keys]
    nodes = {
        f"node{rank}": {
            "args": [
                f"rank={rank}",
                f"next=${{node{(rank + 1) % ring.nodes}.mac}}",
                f"previous=${{node{(rank - 1) % ring.nodes}.mac}}",
                *shared,
            ]
        }
        for rank in range(ring.nodes)
    }
    link: Config = {"latency_cycles": ring.latency_cycles, "bandwidth_gbps": ring.gbps}
    if ring.lost_percent:
        lost = {"match": {"destination_port": UDP_PORT}, "probability": f"{ring.lost_percent}%"}
        rules = [{"fault": "drop", **lost}, {"fault": "duplicate", **lost}]
        link["faults"] = {"seed": ring.seed, "rules": rules}
    system: Config = {"topology": f"rack_{ring.nodes}", "link": link, "node": NODE}
    if ring.slow:
        system["links"] = {"node1--tor0": dict(ring.slow)}
    workload = {"node": {"program": "allreduce"}, "nodes": nodes}
    return {"system": system, "workload": workload, "simulation": simulation}


def _drawn(bytes_: int, seed: int) -> Vector:
    """Return the numbers of splitmix64."""
    with numpy.errstate(over="ignore"):
        count = numpy.arange(1, bytes_ // 8 + 1, dtype=numpy.uint64)
        z = numpy.uint64(seed) + count * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
        return z ^ z >> numpy.uint64(31)


def vector(ring: Ring, rank: int) -> Vector:
    """Return what a rank begins with: any int32, or floats that are small or very small."""
    words = _drawn(ring.bytes, ring.seed + rank).view(numpy.uint32)
    if ring.type == "int32":
        return words.view(numpy.int32)
    base = numpy.where(words >> 27 & 15 == 0, 0, 118).astype(numpy.uint32)
    exponent = (words >> MANTISSA_BITS & 15) + base
    mantissa = words & numpy.uint32((1 << MANTISSA_BITS) - 1)
    made = words & numpy.uint32(1 << 31) | exponent << MANTISSA_BITS | mantissa
    return made.view(numpy.float32)


def reduced(vectors: list[Vector]) -> Vector:
    """Return the sum: chunk c begins at rank c, and each next rank adds its own."""
    nodes = len(vectors)
    parts = [numpy.split(one, nodes) for one in vectors]
    chunks = []
    with numpy.errstate(over="ignore"):
        for chunk in range(nodes):
            total = parts[chunk][chunk]
            for step in range(1, nodes):
                total = total + parts[(chunk + step) % nodes][chunk]
            chunks.append(total)
    return numpy.concatenate(chunks)


def expected_sum(ring: Ring) -> int:
    """Return the digest of what every rank has after all its reductions."""
    vectors = [vector(ring, rank) for rank in range(ring.nodes)]
    for _ in range(ring.warm + 1):
        vectors = [reduced(vectors)] * ring.nodes
    return memory_digest(vectors[0].tobytes())


@dataclass(frozen=True)
class Seen:
    """One run. Cycles of the reduction that is timed, from the common start to the last end."""

    ring: Ring
    run: Run
    cycles: int
    adding: float
    """Share of the ranks' time; the mean of all."""
    posting: float
    exact: bool
    """Whether every rank has NumPy's sum, bit for bit."""
    went_back: int
    timed_out: int

    @property
    def bus(self) -> float:
        """Bus bandwidth in bytes a cycle: 2 (N - 1) / N times S / T."""
        nodes = self.ring.nodes
        return 2 * (nodes - 1) / nodes * self.ring.bytes / self.cycles

    @property
    def share(self) -> float:
        """Bus bandwidth, of the goodput of a link."""
        return self.bus / self.ring.goodput


def _found(pattern: re.Pattern[str], run: Run, node: str) -> list[str]:
    match = pattern.search(run.console(node))
    if match is None:
        raise ExperimentError(f"{run.folder}: found no line {pattern.pattern!r} of {node}.")
    return list(match.groups())


def seen(ring: Ring, run: Run) -> Seen:
    """Return what the ranks of a run printed.

    Raises:
        ExperimentError: a rank printed nothing, or they did not begin together.
    """
    names = [f"node{rank}" for rank in range(ring.nodes)]
    times = [list(map(int, _found(_TIMES, run, name))) for name in names]
    counts = [list(map(int, _found(_COUNTS, run, name))) for name in names]
    sums = {int(_found(_SUM, run, name)[0], 16) for name in names}
    starts = {row[0] for row in times}
    if len(starts) != 1:
        raise ExperimentError(f"{run.folder}: ranks began in different cycles: {starts}.")
    total = sum(row[4] for row in times)
    return Seen(
        ring=ring,
        run=run,
        cycles=max(row[1] for row in times) - starts.pop(),
        adding=sum(row[2] for row in times) / total,
        posting=sum(row[3] for row in times) / total,
        exact=sums == {expected_sum(ring)},
        went_back=sum(row[2] for row in counts),
        timed_out=sum(row[3] for row in counts),
    )


@dataclass(frozen=True)
class Law:
    """What a ring takes whose chunks are one message each.

    2 N messages are on the way one behind another: a grant, those of 2 (N - 1) steps, and the last
    acknowledgement. Each costs `message_cycles` and the latency of the two links on its way, and
    those of the steps `byte_cycles` for each byte of the chunk.
    """

    message_cycles: float
    byte_cycles: float

    def cycles(self, ring: Ring, delays: dict[int, int] | None = None) -> float:
        """Return what the order of messages makes of it; `delays` has more latency of links.

        A rank sends when its last message has gone and what the message passes on has come.
        """
        later, nodes = delays or {}, ring.nodes

        def way(one: int, other: int) -> float:
            return 2.0 * ring.latency_cycles + later.get(one, 0) + later.get(other, 0)

        to_next = [way(rank, (rank + 1) % nodes) for rank in range(nodes)]
        step = self.message_cycles + self.byte_cycles * ring.chunk
        sent = [self.message_cycles + links for links in to_next]  # when the grant has come
        came = [0.0] * nodes
        for _ in range(2 * (nodes - 1)):
            sent = [max(pair) for pair in zip(sent, came, strict=True)]
            came = [sent[rank - 1] + step + to_next[rank - 1] for rank in range(nodes)]
        acknowledged = [came[(rank + 1) % nodes] + to_next[rank] for rank in range(nodes)]
        return max(acknowledged) + self.message_cycles


def fit(found: list[Seen]) -> Law:
    """Return the law of reductions of two nodes, by least squares."""
    chunks = numpy.array([one.ring.chunk for one in found], dtype=float)
    links = numpy.array([Law(0, 0).cycles(one.ring) for one in found])
    cycles = numpy.array([one.cycles for one in found], dtype=float)
    slope, constant = numpy.polyfit(chunks, cycles - links, 1)
    return Law(message_cycles=float(constant) / 4, byte_cycles=float(slope) / 2)
