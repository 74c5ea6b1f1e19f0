# SPDX-License-Identifier: BSD-3-Clause
"""HyperLogLog: the nodes and the program, and the unit's registers worked out by NumPy.

The hash, the ranks and the order of keys are those of the unit and of the program `hll`; nothing of
either is shared with this file.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy

from regression.support.captured_frames import read_capture
from regression.support.cluster import Config
from regression.support.experiment import ExperimentError
from regression.support.simulate import Run
from regression.support.splitmix import draws
from regression.support.two_nodes import USUAL_LINK, small_node, two_nodes

Words = numpy.ndarray[Any, numpy.dtype[numpy.uint64]]
SEED, KEY_BYTES = 0xBAADF00D, 4
INDEX_BITS, RANK_BITS, NO_BIT = 16, 24, 63
REGISTERS = 1 << INDEX_BITS
PARTS, HEAD_BYTES = 8, 38
"""Frames that bring registers to the sender, and what is in each in front of them."""
DATA_KIND, MESSAGE_TYPE = 5, b"\x88\xb5"
SIZES = (64, 128, 256, 512, 1_024, 1_408)
"""Bytes of payload whose speed the program measures."""
_COUNTS = re.compile(r"hll lanes=(\d+) packets=(\d+) keys=(\d+) cycles=(\d+) dropped=(\d+)")
_ESTIMATE = re.compile(r"hll estimate=(\d+) empty=(\d+) digest=([0-9a-f]+)")
_SPEED = re.compile(
    r"hll speed bytes=(\d+) consume=(\d) count=(\d) packets=(\d+) keys=(\d+) cycles=(\d+)"
)


@dataclass(frozen=True)
class Stream:
    """What the sender is told of its keys, and the counter of their packets."""

    keys: str
    count: int
    bytes: int = 1_408
    first: int = 0
    seed: int = 1
    distinct: int = 0
    consume: int = 1

    @property
    def packets(self) -> int:
        """Packets of these keys; the last one may be shorter."""
        return -(-self.count // (self.bytes // KEY_BYTES))


def nodes_of(sender: list[str], counter: list[str], **simulation: object) -> Config:
    """Return a sender and a counter of the program `hll`, by the keys of a user's file."""
    roles = {"sender": sender, "counter": counter}
    functional = simulation.get("engine") == "functional"
    node = small_node("rocket-1-big-hll" if functional else "rocket-1-hll")
    return two_nodes("hll", node, roles, USUAL_LINK, **simulation)


def recipe(stream: Stream, **simulation: object) -> Config:
    """Return the nodes that count one stream."""
    names = ("keys", "count", "bytes", "first", "seed", "distinct")
    sender = [f"{name}={getattr(stream, name)}" for name in names]
    return nodes_of(sender, [f"consume={stream.consume}"], **simulation)


def keys_of(stream: Stream) -> Words:
    """Return the keys that the sender sends."""
    if stream.keys == "sequence":
        found = numpy.arange(stream.first, stream.first + stream.count, dtype=numpy.uint64)
        return found & numpy.uint64(0xFFFFFFFF)
    words = numpy.array(list(islice(draws(stream.seed), -(-stream.count // 2))), dtype="<u8")
    keys = words.view("<u4").astype(numpy.uint64)[: stream.count]
    return keys % numpy.uint64(stream.distinct) if stream.distinct else keys


def _finished(word: Words) -> Words:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        word = (word ^ word >> numpy.uint64(33)) * numpy.uint64(factor)
    return word ^ word >> numpy.uint64(33)


def hashes(keys: Words) -> Words:
    """Return MurmurHash3's (x64, 128 bits) low words of keys of four bytes."""
    mixed = keys * numpy.uint64(0x87C37B91114253D5)
    mixed = mixed << numpy.uint64(31) | mixed >> numpy.uint64(33)
    mixed *= numpy.uint64(0x4CF5AD432745937F)
    start = numpy.uint64(SEED ^ KEY_BYTES)
    first = (mixed ^ start) + start
    return _finished(first) + _finished(first + start)


def registers_of(keys: Words) -> bytes:
    """Return the 65,536 registers after these keys, a byte each."""
    found = hashes(keys)
    low = found & numpy.uint64((1 << RANK_BITS) - 1)
    lowest = low & (~low + numpy.uint64(1))
    ranks = numpy.where(low == 0, NO_BIT, numpy.log2(numpy.maximum(lowest, 1)) + 1)
    registers = numpy.zeros(REGISTERS, dtype=numpy.uint8)
    buckets = (found >> numpy.uint64(64 - INDEX_BITS)).astype(numpy.int64)
    numpy.maximum.at(registers, buckets, ranks.astype(numpy.uint8))
    return registers.tobytes()


def raw_estimate(registers: bytes) -> float:
    """Return HyperLogLog's estimate without corrections (Flajolet and others, 2007)."""
    ranks = numpy.frombuffer(registers, dtype=numpy.uint8).astype(float)
    alpha = 0.7213 / (1 + 1.079 / REGISTERS)
    return float(alpha * REGISTERS**2 / (2.0**-ranks).sum())


def captured_registers(run: Run) -> bytes:
    """Return the unit's registers as the counter sent them to the sender.

    Raises:
        ExperimentError: a part of them is not in the switch's capture.
    """
    parts: dict[int, bytes] = {}
    for frame in read_capture(next(run.folder.rglob("capture*.pcapng"))):
        if not frame.inbound or frame.data[12:14] != MESSAGE_TYPE:
            continue
        kind, number = struct.unpack_from("<QQ", frame.data, 14)
        if kind == DATA_KIND:
            parts[number] = frame.data[HEAD_BYTES : HEAD_BYTES + REGISTERS // PARTS]
    if sorted(parts) != list(range(PARTS)):
        raise ExperimentError(f"{run.folder}: found parts {sorted(parts)} of the registers.")
    return b"".join(parts[number] for number in range(PARTS))


@dataclass(frozen=True)
class Told:
    """What the counter printed of a stream."""

    lanes: int
    packets: int
    keys: int
    cycles: int
    dropped: int
    estimate: int
    empty: int
    digest: int


def told(run: Run) -> Told:
    """Return what the counter printed.

    Raises:
        ExperimentError: a line is missing.
    """
    text = run.console("node1")
    counts, estimate = _COUNTS.search(text), _ESTIMATE.search(text)
    if counts is None or estimate is None:
        raise ExperimentError(f"{run.folder}: found no lines of the counter.")
    lanes, packets, keys, cycles, dropped = map(int, counts.groups())
    rest = int(estimate[1]), int(estimate[2]), int(estimate[3], 16)
    return Told(lanes, packets, keys, cycles, dropped, *rest)


@dataclass(frozen=True)
class Speed:
    """Packets of one size; `consume` and `count` say how the unit treated them."""

    bytes: int
    consume: bool
    count: bool
    packets: int
    keys: int
    cycles: int

    @property
    def bytes_a_cycle(self) -> float:
        """Payload from the first flit of the first packet to the last flit of the last one."""
        return self.packets * self.bytes / self.cycles


def speeds(run: Run) -> list[Speed]:
    """Return what the counter printed of all sizes.

    Raises:
        ExperimentError: there are not all four ways of each size.
    """
    lines = _SPEED.findall(run.console("node1"))
    found = [
        Speed(int(size), consume == "1", count == "1", *map(int, rest))
        for size, consume, count, *rest in lines
    ]
    if sorted(one.bytes for one in found) != sorted(SIZES * 4):
        raise ExperimentError(f"{run.folder}: found {len(found)} speeds, expected {4 * len(SIZES)}")
    return found
