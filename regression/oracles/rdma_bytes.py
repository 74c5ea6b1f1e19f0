# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC on the wire: random messages between two nodes, byte for byte by a reference.

The reference draws the messages that the program `rdma` draws, makes their packets with scapy, and
answers them with memory of its own. Every frame of RoCEv2 that a switch captured must be its frame,
in its order: addresses, lengths, numbers of packets, ICRC. Both nodes' memory must be its memory at
the end, and a completion must have come for every message. One hash for threads and RTL engines.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from regression.support.captured_frames import frames_in
from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.rdma_traffic import Traffic, recipe
from regression.support.roce import (
    OPERATIONS,
    End,
    Message,
    Packet,
    Responder,
    frame,
    is_roce,
    packets_of,
    requests,
)
from regression.support.simulate import Run
from regression.support.splitmix import draws
from regression.support.target_digest import memory_digest
from regression.support.ways import run_ways

REMOTE_BASE, KEY = 0x7000_0000_0000, 0x107
CLIENT = End("00:12:6d:00:00:02", "10.0.0.1", 2)
SERVER = End("00:12:6d:00:00:03", "10.0.0.2", 2)
SOURCE_PORT = 0xC000
_RATIO = 1_000
"""Between the seeds of the client's memory, the server's, and the messages."""


def _filled(seed: int, size: int) -> bytearray:
    numbers = draws(seed)
    return bytearray(b"".join(struct.pack("<Q", next(numbers)) for _ in range(size // 8)))


def messages(traffic: Traffic) -> Iterator[Message]:
    """Yield the messages that the program draws."""
    numbers = draws(traffic.seed + 2 * _RATIO)
    for index in range(traffic.count):
        number, places = next(numbers), next(numbers)
        limit = min((7, 300, traffic.size)[(number >> 8) % 3], traffic.size)
        size = (number >> 16) % (limit + 1)
        room = traffic.memory - size + 1
        local, remote = (places & 0xFFFFFFFF) % room, (places >> 32) % room
        yield Message(number % 5, size, local, remote, REMOTE_BASE, KEY, index ^ 0x55AA0000)


def _places(traffic: Traffic) -> Iterator[int]:
    """Yield where the program's receive requests are."""
    half, stride = traffic.memory // 2, (traffic.size + 7) // 8 * 8 + 8
    places, index = max(1, half // stride), 0
    while True:
        yield half + index % places * stride
        index += 1


@dataclass(frozen=True)
class Expected:
    """What the reference says of a run."""

    to_server: list[Packet]
    to_client: list[Packet]
    client_memory: int
    server_memory: int
    receives: int
    immediates: int
    kinds: dict[str, tuple[int, int, int]]
    """Of each operation: messages, packets to the server, packets back."""

    @property
    def printed(self) -> tuple[int, int, int, int]:
        """Digests of both memories, the server's completions, and the sum of their immediates."""
        return self.client_memory, self.server_memory, self.receives, self.immediates


def expected(traffic: Traffic) -> Expected:
    """Return packets and memory of a run, by the reference."""
    memory = _filled(traffic.seed, traffic.memory)
    other = Responder(_filled(traffic.seed + _RATIO, traffic.memory), traffic.mtu, _places(traffic))
    there: list[Packet] = []
    back: list[Packet] = []
    kinds = dict.fromkeys(OPERATIONS.values(), (0, 0, 0))
    psn = traffic.psn
    for message in messages(traffic):
        data = bytes(memory[message.local : message.local + message.size])
        asked = requests(message, psn, traffic.mtu, data)
        answered = other.answer(message, psn, data)
        if message.is_read:
            source = other.memory[message.remote : message.remote + message.size]
            memory[message.local : message.local + message.size] = source
        psn = (psn + packets_of(message, traffic.mtu)) & 0xFFFFFF
        there += asked
        back += answered
        name = OPERATIONS[message.operation]
        count, out, home = kinds[name]
        kinds[name] = (count + 1, out + len(asked), home + len(answered))
    mixed = 0
    for immediate in other.immediates:
        mixed ^= immediate
    return Expected(
        there,
        back,
        memory_digest(memory),
        memory_digest(other.memory),
        other.receives,
        mixed,
        kinds,
    )


def captured(run: Run) -> dict[str, list[bytes]]:
    """Return the frames of RoCEv2 that each node sent, by its MAC address, in their order."""
    frames = frames_in(run.folder)
    sent: dict[str, list[bytes]] = {CLIENT.mac: [], SERVER.mac: []}
    for found in filter(is_roce, frames):
        sent[found.source.hex(":")].append(found.data)
    return sent


def _compare(found: list[bytes], packets: list[Packet], source: End, target: End) -> None:
    """Compare frames with the reference's.

    Raises:
        ExperimentError: a frame differs, or there are more or fewer.
    """
    for index, (data, packet) in enumerate(zip(found, packets, strict=False)):
        wanted = frame(packet, source, target, SOURCE_PORT)
        padded = wanted + bytes(-(len(wanted) + 2) % 8)
        if data != padded:
            raise ExperimentError(
                f"packet {index} of {source.mac}: found {data.hex()}, expected {padded.hex()}."
            )
    if len(found) != len(packets):
        raise ExperimentError(f"{source.mac}: found {len(found)} packets, expected {len(packets)}.")


def _printed(run: Run, node: str, key: str) -> str:
    match = re.search(rf"\brdma (?:\S+ )*?{key}=(\S+)", run.console(node))
    if match is None:
        raise ExperimentError(f"{node}: found no {key}.")
    return match[1]


def check(run: Run, wanted: Expected) -> int:
    """Compare a run with the reference; return its packets.

    Raises:
        ExperimentError: it differs.
    """
    sent = captured(run)
    _compare(sent[CLIENT.mac], wanted.to_server, CLIENT, SERVER)
    _compare(sent[SERVER.mac], wanted.to_client, SERVER, CLIENT)
    printed = (
        int(_printed(run, "node0", "memory"), 16),
        int(_printed(run, "node1", "memory"), 16),
        int(_printed(run, "node1", "receives")),
        int(_printed(run, "node1", "immediates"), 16),
    )
    reference = (wanted.client_memory, wanted.server_memory, wanted.receives, wanted.immediates)
    if printed != reference:
        raise ExperimentError(f"found memory and receives {printed}, expected {reference}.")
    return len(wanted.to_server) + len(wanted.to_client)


def _hashes(experiment: Experiment, traffic: Traffic) -> list[str]:
    """Return the hashes of one run in several ways."""
    runs = run_ways(experiment, lambda **simulation: recipe(traffic, **simulation))
    return [run.token_hash for run in runs.values()]


@experiment_named("rdma-bytes")
def run(experiment: Experiment) -> Verdict:
    """Hold when all packets and all memory are the reference's, with one hash."""
    seed = experiment.seed % 1_000_000
    share = 1 if experiment.quick else 100
    mtus = (256, 1_024) if experiment.quick else (256, 512, 1_024, 2_048, 4_096)
    rows, packets, count = [], 0, 0
    for mtu in mtus:
        traffic = Traffic(20 * share, 4 * mtu, mtu, 0xFFFFF0, seed + mtu, 16 * mtu)
        wanted = expected(traffic)
        ran = run_cluster(experiment, f"mtu-{mtu}", recipe(traffic, threads=1))
        packets += check(ran, wanted)
        count += traffic.count
        for name, (messages_of_it, there, back) in wanted.kinds.items():
            rows.append([mtu, name, messages_of_it, there, back])
    experiment.table(
        "Packets that are the reference's",
        ["MTU (bytes)", "operation", "messages", "packets there", "packets back"],
        rows,
    )
    hashes = _hashes(experiment, Traffic(20, 2_048, 512, 0xFFFFF0, seed, 8_192))
    experiment.keep(messages=count, packets=packets, token_hashes=hashes)
    return Verdict(
        len(set(hashes)) == 1,
        f"{count} messages: {packets} packets and both memories as the reference has them; "
        f"{hashes.count(hashes[0])} of {len(hashes)} runs with one hash",
        "every byte the same, one hash",
    )
