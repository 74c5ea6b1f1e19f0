# SPDX-License-Identifier: BSD-3-Clause
"""A service of compressed messages: its cluster, what its nodes print, and its frames by Python.

What a reply must be is worked out here once more, by cramjam and the Protobuf library; nothing of
the program `hyperscale` but its .proto file is shared with this file.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import cramjam
from firesim_common.paths import ROOT
from google.protobuf.message import DecodeError

from regression.support.captured_frames import Frame
from regression.support.cluster import Config
from regression.support.experiment import ExperimentError
from regression.support.protobuf_messages import Types
from regression.support.simulate import Run
from regression.support.two_nodes import USUAL_LINK
from regression.support.zstd_frames import library_reads

BLADES = {1: "rocket-1-hyperscale", 2: "rocket-2-hyperscale"}
"""By their cores, each of which has units of its own."""
PROTO = ROOT / "sw/firesim-software/programs/hyperscale/orders.proto"
MEMORY_CYCLES = 160
"""50 ns at 3.2 GHz, behind an L2 of 256 KiB."""
CLOCK_HZ = 3_200_000_000
UNIT_STEPS = ("decompress", "deserialise", "serialise", "compress")
"""Steps that a unit or software does."""
STEPS = ("receive", "decompress", "deserialise", "touch", "serialise", "compress", "send")
_HEAD = struct.Struct("<14x3Q")
"""Addresses and type; kind, number, and the bytes of the payload or the step that refused."""
_REQUEST, _REPLY, _REFUSED = 16, 17, 18
_COUNT = re.compile(r"(\w+)=(\d+)")
_CORE = re.compile(r"^core hart=\d+ answered=(\d+) ", re.M)
_LATENCY = re.compile(r"^request seq=\d+ due=\d+ cycles=(\d+)$", re.M)
_PATIENCE_CYCLES = 30_000_000
MOST_BYTES = 1 << 14
"""Of a message that is not compressed."""


@dataclass(frozen=True)
class Load:
    """What a client sends: counts, items of an order, and mean cycles from request to request."""

    requests: int
    items: int
    messages: int
    gap: int = 0
    clients: int = 1
    spoil: int = 0
    seed: int = 1
    format: str = "snappy"
    """Of compressed messages: snappy or zstd."""
    cores: int = 1
    """Of the server."""


def recipe(
    hardware: Iterable[str],
    load: Load,
    latency_cycles: int = 0,
    blade: str = BLADES[1],
    **simulation: object,
) -> Config:
    """Return a server in RTL, of which the `hardware` steps are done by units, and its clients.

    Clients are functional nodes. `latency_cycles` is added to each way of the units to memory.
    """
    units = set(hardware)
    steps = [f"{step}={'hardware' if step in units else 'software'}" for step in UNIT_STEPS]
    server = ["role=server", f"clients={load.clients}", f"latency={latency_cycles}", *steps]
    server += [f"format={load.format}", f"cores={load.cores}"]
    names = ("requests", "items", "messages", "gap", "spoil", "format")
    client = [f"{name}={getattr(load, name)}" for name in names]
    client += ["role=client", "peer=${node0.mac}", f"patience={_PATIENCE_CYCLES}"]
    clients = [f"node{index + 1}" for index in range(load.clients)]
    jobs = {
        name: {"args": [*client, f"seed={load.seed + 1000 * index}"]}
        for index, name in enumerate(clients)
    }
    memory = {"size_mib": 16, "timing": {"model": "fixed", "latency_cycles": MEMORY_CYCLES}}
    return {
        "system": {
            "topology": f"rack_{1 + load.clients}",
            "link": dict(USUAL_LINK),
            "node": {"blade": "rocket-1", "memory": memory},
            "nodes": {"node0": {"blade": blade}},
        },
        "workload": {
            "node": {"program": "hyperscale"},
            "nodes": {"node0": {"args": server}, **jobs},
        },
        "simulation": {**simulation, "engines": {name: "functional" for name in clients}},
    }


@dataclass(frozen=True)
class Served:
    """What a run printed. Cycles are those of all requests together."""

    cycles: dict[str, int]
    """By step, with `waiting` for requests."""
    answered: int
    refused: int
    plain_bytes: int
    """Of replies, before they were compressed to `payload_bytes`."""
    payload_bytes: int
    latencies: list[int]
    """Of the requests that were answered: from when one was due to its reply, in cycles."""
    lost: int
    span_cycles: int
    """From the first request to the last reply, of the client that took longest."""
    by_core: list[int]
    """Requests that each core answered; of a server with one core, none are told."""

    @property
    def handled(self) -> int:
        """Requests that the server took."""
        return self.answered + self.refused

    @property
    def busy_cycles(self) -> int:
        """Cycles of all steps."""
        return sum(self.cycles[step] for step in STEPS)

    def each(self, step: str) -> float:
        """Return the cycles that a request takes in a step."""
        return self.cycles[step] / self.handled

    @property
    def a_second(self) -> float:
        """Requests answered in a second of target time."""
        return self.answered / self.span_cycles * CLOCK_HZ


def _numbers(text: str, word: str) -> dict[str, int]:
    """Return the numbers of all lines that begin with a word."""
    lines = [line for line in text.splitlines() if line.startswith(f"{word} ")]
    return {name: int(value) for line in lines for name, value in _COUNT.findall(line)}


def served(run: Run, load: Load) -> Served:
    """Return what the nodes of a run printed.

    Raises:
        ExperimentError: a line is missing, or requests are not all answered, refused or lost.
    """
    server = run.console("node0")
    counts, cycles = _numbers(server, "service"), _numbers(server, "cycles")
    consoles = [run.console(f"node{index + 1}") for index in range(load.clients)]
    clients = [_numbers(text, "client") for text in consoles]
    if not counts or not all(clients) or not {*STEPS, "waiting"} <= cycles.keys():
        raise ExperimentError(f"{run.folder}: found no report of each node, expected it.")
    found = Served(
        cycles=cycles,
        answered=counts["answered"],
        refused=counts["refused"],
        plain_bytes=counts["plain"],
        payload_bytes=counts["payload"],
        latencies=[int(cycles) for text in consoles for cycles in _LATENCY.findall(text)],
        lost=sum(client["lost"] for client in clients),
        span_cycles=max(client["span"] for client in clients),
        by_core=[int(count) for count in _CORE.findall(server)],
    )
    if found.handled + found.lost != load.requests * load.clients:
        raise ExperimentError(
            f"{run.folder}: found {found.handled} requests handled and {found.lost} lost, expected "
            f"{load.requests * load.clients} together."
        )
    return found


def _touched(plain: bytes, types: Types) -> bytes:
    """Return what the service makes of a message."""
    order: Any = types.new("Order")
    order.ParseFromString(plain)
    order.total = sum(item.count * item.price for item in order.items)
    for item in order.items:
        item.rebate -= 1
    return bytes(order.SerializeToString(deterministic=True))


def _plain(payload: bytes, form: str) -> bytes | None:
    """Return what a library makes of compressed data; None: it refuses it."""
    if form == "zstd":
        return library_reads(payload, MOST_BYTES)
    try:
        return bytes(cramjam.snappy.decompress_raw(payload))
    except cramjam.DecompressionError:
        return None


def _by_request(frames: Iterable[Frame]) -> dict[tuple[bytes, int], dict[int, tuple[int, bytes]]]:
    """Return by client and number what was sent: by the kind of frame, `extra` and what follows."""
    found: dict[tuple[bytes, int], dict[int, tuple[int, bytes]]] = {}
    for frame in frames:
        kind, number, extra = _HEAD.unpack_from(frame.data)
        if kind in (_REQUEST, _REPLY, _REFUSED):
            client = frame.source if kind == _REQUEST else frame.destination
            sent = (extra, frame.data[_HEAD.size :])
            found.setdefault((client, number), {})[kind] = sent
    return found


def replies_right(frames: Iterable[Frame], form: str = "snappy") -> tuple[int, int]:
    """Return how many of the requests have the right reply, and how many there are.

    What the libraries refuse must be refused. Frames are those that came into the switches; `form`
    is that of `Load.format`.
    """
    types = Types(PROTO)
    right, requests = 0, _by_request(frames)
    for sent in requests.values():
        size, payload = sent[_REQUEST]
        plain = _plain(payload[:size], form)
        try:
            wanted = None if plain is None else _touched(plain, types)
        except DecodeError:
            wanted = None
        if wanted is None:
            right += _REFUSED in sent and _REPLY not in sent
        elif _REPLY in sent:
            size, payload = sent[_REPLY]
            right += _plain(payload[:size], form) == wanted
    return right, len(requests)
