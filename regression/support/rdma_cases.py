# SPDX-License-Identifier: BSD-3-Clause
"""Test-case files of the RDMA NIC: packets that are sent to it, and the packets that come back.

A case is one YAML file. It is checked as recipes are; what is not known is refused with its line.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from firesim_common.base import Strict
from firesim_common.explain import checked
from firesim_common.positions import read_yaml
from pydantic import AfterValidator, Field, model_validator

from regression.support.roce import End, Packet, frame

REMOTE_BASE = 0x7000_0000_0000
SOURCE = End("00:12:6d:00:00:02", "10.0.0.1", 2)
TARGET = End("00:12:6d:00:00:03", "10.0.0.2", 2)
SOURCE_PORT = 0xC000
FIRST_CYCLE = 400_000
"""Of the first packet; the target has been set up by then."""
LAST_WAIT_CYCLES = 20_000
"""From the last packet to the end of the target."""
_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_MESSAGE_START, _MESSAGE_BYE = 3, 7
_ORDERS = {"forget": 1, "receive": 2}
OPCODES = {
    "send_first": 0x00,
    "send_middle": 0x01,
    "send_last": 0x02,
    "send_last_immediate": 0x03,
    "send_only": 0x04,
    "send_only_immediate": 0x05,
    "write_first": 0x06,
    "write_middle": 0x07,
    "write_last": 0x08,
    "write_last_immediate": 0x09,
    "write_only": 0x0A,
    "write_only_immediate": 0x0B,
    "read_request": 0x0C,
    "read_response_first": 0x0D,
    "read_response_middle": 0x0E,
    "read_response_last": 0x0F,
    "read_response_only": 0x10,
    "acknowledge": 0x11,
    "send_last_invalidate": 0x16,
    "send_only_invalidate": 0x17,
}
SYNDROMES = {
    "acknowledge": 0x1F,
    "not_ready": 0x21,
    "sequence_error": 0x60,
    "invalid_request": 0x61,
    "remote_access_error": 0x62,
}
MTUS = (256, 512, 1024, 2048, 4096)
if TYPE_CHECKING:
    OpcodeName = str
    SyndromeName = str
else:
    OpcodeName = Literal[tuple(OPCODES)]
    SyndromeName = Literal[tuple(SYNDROMES)]
Psn = Annotated[int, Field(ge=0, lt=1 << 24)]
Word32 = Annotated[int, Field(ge=0, lt=1 << 32)]
PayloadBytes = Annotated[int, Field(ge=0, le=4096)]


def _mtu(value: int) -> int:
    if value not in MTUS:
        raise ValueError(f"found {value}, expected one of {', '.join(map(str, MTUS))}.")
    return value


Mtu = Annotated[int, AfterValidator(_mtu)]


class Target(Strict):
    """The queue pair and the region that packets are sent to: arguments of program rdmatarget."""

    mtu: Mtu = 256
    """Bytes of a packet."""
    psn: Psn = 0
    """Number of the first packet."""
    bytes: Annotated[int, Field(ge=8, le=65_536, multiple_of=8)] = 4_096
    """Size of the region, which begins at address 0x700000000000 and has key 0x107."""
    access: Annotated[int, Field(ge=0, le=7)] = 7
    """Rights of the region: 1 local write, 2 remote read, 4 remote write; their sum."""
    domain: Annotated[int, Field(ge=0, lt=1 << 16)] = 9
    """Protection domain of the queue pair."""
    region_domain: Annotated[int, Field(ge=0, lt=1 << 16)] = 9
    """Protection domain of the region."""
    places: Annotated[int, Field(ge=0, le=64)] = 0
    """Places for receive requests, behind the region."""
    size: Annotated[int, Field(ge=8, le=4_096, multiple_of=8)] = 1_024
    """Bytes of a receive request."""
    receives: Annotated[int, Field(ge=0, le=64)] = 0
    """Receive requests that are posted before the first packet."""


class Sent(Strict):
    """A packet to the NIC, or an order to the software of its node."""

    after: Annotated[int, Field(ge=0, le=1_000_000)] = 4_000
    """Cycles since the one before."""
    opcode: OpcodeName | None = None
    psn: Psn = 0
    acknowledge: bool = False
    """Whether it asks for an acknowledgement."""
    qp: Annotated[int, Field(ge=0, lt=1 << 24)] = TARGET.qp
    partition: Annotated[int, Field(ge=0, lt=1 << 16)] = 0xFFFF
    source_ip: str = SOURCE.ip
    address: Annotated[int, Field(ge=-(1 << 40), le=1 << 40)] | None = None
    """Where a WRITE goes or a READ begins: bytes from the beginning of the region."""
    key: Word32 = 0x107
    length: Word32 = 0
    """Bytes of the whole message, in the header of a WRITE or READ."""
    immediate: Word32 | None = None
    """The immediate, or the key to be invalidated."""
    payload: PayloadBytes = 0
    """Bytes of payload; byte i is (7 x PSN + i) modulo 256."""
    wrong_icrc: bool = False
    order: Literal["forget", "receive"] | None = None
    """In place of a packet: the software takes the region back, or posts a receive request."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Sent:
        if (self.opcode is None) == (self.order is None):
            raise ValueError('expected one of the keys "opcode" and "order".')
        return self

    def data(self) -> bytes:
        """Return the payload."""
        return bytes((7 * self.psn + i) & 0xFF for i in range(self.payload))

    def frame(self) -> bytes:
        """Return the frame, from the destination address on."""
        if self.opcode is None:
            return message(_MESSAGE_START, _ORDERS[self.order or "forget"], 1)
        body = b""
        if self.address is not None:
            address = (REMOTE_BASE + self.address) & _WORD
            body += struct.pack(">QII", address, self.key, self.length)
        if self.immediate is not None:
            body += struct.pack(">I", self.immediate)
        packet = Packet(OPCODES[self.opcode], self.psn, self.acknowledge, body + self.data())
        source = End(SOURCE.mac, self.source_ip, SOURCE.qp)
        target = End(TARGET.mac, TARGET.ip, self.qp)
        made = frame(packet, source, target, SOURCE_PORT, self.partition)
        return made[:-1] + bytes([made[-1] ^ 1]) if self.wrong_icrc else made


class Answer(Strict):
    """A packet that must come back."""

    opcode: OpcodeName
    psn: Psn
    syndrome: SyndromeName | None = None
    """First byte behind the transport header; the number of messages follows it."""
    messages: Psn = 0
    address: Annotated[int, Field(ge=0)] = 0
    """Where the data of a READ is from: bytes from the beginning of the region."""
    payload: PayloadBytes = 0

    def frame(self, memory: bytes) -> bytes:
        """Return the frame, from the destination address on."""
        body = b""
        if self.syndrome is not None:
            body = struct.pack(">I", SYNDROMES[self.syndrome] << 24 | self.messages)
        body += memory[self.address : self.address + self.payload]
        packet = Packet(OPCODES[self.opcode], self.psn, False, body)
        return frame(packet, TARGET, SOURCE, SOURCE_PORT)


class Written(Strict):
    """Payload that is in memory at the end; nothing else has changed."""

    packet: Annotated[int, Field(ge=0)]
    """Its index among the packets that are sent."""
    address: Annotated[int, Field(ge=0)]
    """Bytes from the beginning of the region; places of receive requests follow it."""


class Received(Strict):
    """A completion of a receive request, in their order."""

    bytes: Annotated[int, Field(ge=0)]
    immediate: Word32 = 0
    flags: Annotated[int, Field(ge=0, le=15)] = 4
    """1 immediate, 2 invalidated, 4 received, 8 solicited; their sum."""


class RdmaCase(Strict):
    """A test case."""

    about: str
    """What it shows, in a sentence."""
    target: Target = Target()
    sends: list[Sent]
    expects: list[Answer] = Field(default_factory=list)
    written: list[Written] = Field(default_factory=list)
    received: list[Received] = Field(default_factory=list)

    @model_validator(mode="after")
    def _packets_are_there(self) -> RdmaCase:
        room = self.target.bytes + self.target.places * self.target.size
        for index, one in enumerate(self.written):
            found = f"written[{index}]: found packet {one.packet}"
            if one.packet >= len(self.sends):
                raise ValueError(f"{found}, expected below {len(self.sends)}.")
            if one.address + self.sends[one.packet].payload > room:
                end = one.address + self.sends[one.packet].payload
                raise ValueError(f"{found} up to byte {end}, expected {room} at most.")
        return self

    def memory(self) -> bytes:
        """Return what the target's memory has at the beginning."""
        words = (self.target.bytes + self.target.places * self.target.size) // 8
        return b"".join(struct.pack("<Q", (index + 1) * _GOLDEN & _WORD) for index in range(words))

    def memory_after(self) -> bytes:
        """Return what it has at the end."""
        memory = bytearray(self.memory())
        for one in self.written:
            data = self.sends[one.packet].data()
            memory[one.address : one.address + len(data)] = data
        return bytes(memory)

    def answers(self) -> list[bytes]:
        """Return the frames that must come back."""
        memory = self.memory()
        return [answer.frame(memory) for answer in self.expects]

    def traffic(self) -> str:
        """Return the packets as a file that a node replays; the last frame ends the target."""
        cycle, lines = FIRST_CYCLE, []
        for sent in self.sends:
            cycle += sent.after
            lines.append(f"{cycle} frame {sent.frame().hex()}")
        lines.append(f"{cycle + LAST_WAIT_CYCLES} frame {message(_MESSAGE_BYE, 0, 0).hex()}")
        return "\n".join(lines) + "\n"


def message(kind: int, number: int, extra: int) -> bytes:
    """Return a frame for the target's software."""
    header = bytes.fromhex((TARGET.mac + SOURCE.mac).replace(":", "")) + struct.pack(">H", 0x88B5)
    return header + struct.pack("<3Q", kind, number, extra).ljust(48, b"\0")


def read_case(path: Path) -> RdmaCase:
    """Return a test case.

    Raises:
        InputError: a line for each thing that is wrong with it.
    """
    return checked(RdmaCase, read_yaml(path))
