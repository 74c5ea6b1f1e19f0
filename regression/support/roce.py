# SPDX-License-Identifier: BSD-3-Clause
"""RoCEv2 as a reference: packets of messages, what a responder answers, and frames by scapy.

Scapy makes Ethernet, IPv4, UDP, BTH and the ICRC. It knows no RETH and no immediate; they are part
of its payload. Nothing here is shared with the RTL.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from regression.support.captured_frames import Frame

UDP_PORT = 4791
HEADER_BYTES = 14 + 20 + 8 + 12 + 4
"""Of Ethernet, IPv4, UDP, BTH and ICRC."""
SEND, WRITE = 0x00, 0x06
"""First packets; the others follow: middle, last, last with immediate, only, only with it."""
READ_REQUEST, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = 0x0C, 0x0D, 0x0E, 0x0F, 0x10
ACKNOWLEDGE = 0x11
CNP = 0x81
"""A congestion notification packet."""
_OPCODE_AT = 42
_NO_CREDITS = 0x1F
_PSN_MASK = 0xFFFFFF
OPERATIONS = {
    0: "WRITE",
    1: "WRITE with immediate",
    2: "SEND",
    3: "SEND with immediate",
    4: "READ",
}
_WRITES, _SENDS, _IMMEDIATES, _READ = (0, 1), (2, 3), (1, 3), 4


def is_roce(captured: Frame) -> bool:
    """Return whether a frame is IPv4 and UDP for RoCEv2."""
    data = captured.data
    ports = struct.unpack_from(">2H", data, 34) if len(data) >= 42 else (0, 0)
    return data[12:14] == b"\x08\x00" and data[23] == 17 and ports[1] == UDP_PORT


def is_cnp(captured: Frame) -> bool:
    """Return whether a frame notifies of congestion."""
    return is_roce(captured) and captured.data[_OPCODE_AT] == CNP


@dataclass(frozen=True)
class End:
    """One end of a connection."""

    mac: str
    ip: str
    qp: int


@dataclass(frozen=True)
class Packet:
    """What stands behind the UDP header; `body` is extension headers and payload, not padded."""

    opcode: int
    psn: int
    acknowledge: bool
    body: bytes


@dataclass(frozen=True)
class Message:
    """A work request; addresses are offsets in the memory of either side."""

    operation: int
    size: int
    local: int
    remote: int
    remote_base: int
    key: int
    immediate: int

    @property
    def is_read(self) -> bool:
        """Whether data comes back."""
        return self.operation == _READ

    @property
    def has_immediate(self) -> bool:
        """Whether it carries four bytes for the receiver."""
        return self.operation in _IMMEDIATES

    @property
    def is_send(self) -> bool:
        """Whether the receiver chooses the place."""
        return self.operation in _SENDS

    @property
    def receives(self) -> bool:
        """Whether it takes a receive request."""
        return self.operation in (*_IMMEDIATES, *_SENDS)


def frame(packet: Packet, source: End, target: End, port: int, partition: int = 0xFFFF) -> bytes:
    """Return the whole frame, without the Ethernet checksum."""
    from scapy.contrib.roce import BTH
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import Ether
    from scapy.packet import Raw

    pad = -len(packet.body) % 4
    headers = Ether(src=source.mac, dst=target.mac)
    headers /= IP(src=source.ip, dst=target.ip, ttl=64, id=0, flags="DF")
    headers /= UDP(sport=port, dport=UDP_PORT, chksum=0)
    transport = BTH(
        opcode=packet.opcode,
        pkey=partition,
        padcount=pad,
        dqpn=target.qp,
        ackreq=int(packet.acknowledge),
        psn=packet.psn,
    )
    return bytes(headers / transport / Raw(packet.body + bytes(pad)))


def requests(message: Message, psn: int, mtu: int, data: bytes) -> list[Packet]:
    """Return the packets of a work request, whose data is `data` unless it is a READ."""
    reth = struct.pack(">QII", message.remote_base + message.remote, message.key, message.size)
    if message.is_read:
        return [Packet(READ_REQUEST, psn, True, reth)]
    parts = [data[at : at + mtu] for at in range(0, len(data), mtu)] or [b""]
    base = WRITE if message.operation in _WRITES else SEND
    found = []
    for index, part in enumerate(parts):
        first, last = index == 0, index == len(parts) - 1
        step = {(True, False): 0, (False, False): 1, (False, True): 2, (True, True): 4}[first, last]
        body = part
        if last and message.has_immediate:
            step += 1
            body = struct.pack(">I", message.immediate) + body
        if first and base == WRITE:
            body = reth + body
        found.append(Packet(base + step, (psn + index) & _PSN_MASK, last, body))
    return found


def packets_of(message: Message, mtu: int) -> int:
    """Return how many numbers of packets a work request takes."""
    return max(1, -(-message.size // mtu))


@dataclass
class Responder:
    """The other end: its memory, its receive requests, and what it answers."""

    memory: bytearray
    mtu: int
    places: Iterator[int]
    """Offsets of receive requests, in their order."""
    completed: int = 0
    """Messages so far, modulo 2^24."""
    immediates: list[int] = field(default_factory=list)
    receives: int = 0

    def answer(self, message: Message, psn: int, data: bytes) -> list[Packet]:
        """Do what a message asks, and return the packets that answer it."""
        self.completed = (self.completed + 1) & _PSN_MASK
        aeth = struct.pack(">I", _NO_CREDITS << 24 | self.completed)
        if message.receives:
            place = next(self.places)
            self.receives += 1
            if message.is_send:
                self.memory[place : place + message.size] = data
            if message.has_immediate:
                self.immediates.append(message.immediate)
        if message.is_read:
            return self._read(message, psn, aeth)
        if not message.is_send:
            self.memory[message.remote : message.remote + message.size] = data
        last = (psn + packets_of(message, self.mtu) - 1) & _PSN_MASK
        return [Packet(ACKNOWLEDGE, last, False, aeth)]

    def _read(self, message: Message, psn: int, aeth: bytes) -> list[Packet]:
        count, found = packets_of(message, self.mtu), []
        for index in range(count):
            at = message.remote + index * self.mtu
            end = min(message.remote + message.size, at + self.mtu)
            first, last = index == 0, index == count - 1
            opcode = {
                (True, True): READ_ONLY,
                (True, False): READ_FIRST,
                (False, True): READ_LAST,
                (False, False): READ_MIDDLE,
            }[first, last]
            body = (aeth if first or last else b"") + bytes(self.memory[at:end])
            found.append(Packet(opcode, (psn + index) & _PSN_MASK, False, body))
        return found
