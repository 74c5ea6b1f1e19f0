# SPDX-License-Identifier: BSD-3-Clause
"""`faults` of a link: frames that are lost, doubled, late, out of order or corrupt.

They are part of the target: the same run has the same faults, on any threads and hosts.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

from firesim_common.base import Strict
from pydantic import BeforeValidator, Field, model_validator

MOST_DENOMINATOR = 1 << 62
MOST_CYCLES = 1 << 40
MOST_BIT = 8 * 9216 - 1
MOST_PATTERN_BYTE = 2047
BITS_OF_FLIT = 64
_HEX = re.compile(r"[0-9A-Fa-f]{2}(?: ?[0-9A-Fa-f]{2}){0,63}")
_FRACTION = re.compile(r"([0-9]{1,19})/([1-9][0-9]{0,18})|([0-9]{1,18}(?:\.[0-9]{1,18})?)(%?)")


def _probability(value: object) -> object:
    """Return a probability as an exact fraction, "1/100"."""
    text = format(Decimal(repr(value)), "f") if isinstance(value, float) else str(value)
    match = _FRACTION.fullmatch(text)
    if match is not None and not isinstance(value, bool):
        if match[2]:
            found = Fraction(int(match[1]), int(match[2]))
        else:
            found = Fraction(match[3]) / (100 if match[4] else 1)
        if found <= 1 and found.denominator <= MOST_DENOMINATOR:
            return f"{found.numerator}/{found.denominator}"
    shown = json.dumps(value, default=str)
    raise ValueError(f"found {shown}, expected a fraction from 0 to 1: 1/100, 0.01 or 1%.")


Probability = Annotated[str, BeforeValidator(_probability)]
FrameNumber = Annotated[int, Field(ge=1, lt=2**63)]
Cycles = Annotated[int, Field(ge=1, le=MOST_CYCLES)]
Port = Annotated[int, Field(ge=0, le=65535)]


def _hex_bytes(value: object) -> object:
    if isinstance(value, str) and _HEX.fullmatch(value):
        return value
    shown = json.dumps(value, default=str)
    raise ValueError(f'found {shown}, expected 1 to 64 bytes in hexadecimal digits: "12b7".')


HexBytes = Annotated[str, BeforeValidator(_hex_bytes)]


class BytePattern(Strict):
    """Bytes of a frame; it matches when (byte & mask) == value for each."""

    at: Annotated[int, Field(ge=0, le=MOST_PATTERN_BYTE)]
    """Where the first of them is; byte 0 is the first one of the destination address."""
    value: HexBytes
    """Hexadecimal digits, two for each byte, such as "12b7" or "12 b7"."""
    mask: HexBytes | None = None
    """Bits that are compared, likewise (default: all)."""

    @model_validator(mode="after")
    def as_long(self) -> BytePattern:
        if self.mask is None:
            return self
        value, mask = (bytes.fromhex(text) for text in (self.value, self.mask))
        if len(value) != len(mask):
            text = f"found a mask of {len(mask)} bytes, expected {len(value)}, as many as value."
            raise ValueError(text)
        if any(v & ~m & 0xFF for v, m in zip(value, mask, strict=True)):
            raise ValueError("found bits of value outside the mask, expected none.")
        return self


class FrameMatch(Strict):
    """Frames that a rule is about: those for which all that is given is true."""

    destination: str | None = None
    """Destination address, or the name of a node for its address."""
    source: str | None = None
    """Source address, likewise."""
    ethertype: Annotated[int, Field(ge=0, le=65535)] | None = None
    """EtherType, that behind a VLAN tag if there is one: 0x0800 is IPv4."""
    protocol: Annotated[int, Field(ge=0, le=255)] | None = None
    """Protocol of IPv4, or next header of IPv6: 6 is TCP, 17 UDP."""
    source_port: Port | None = None
    """Port of UDP or TCP; later fragments of a datagram have none."""
    destination_port: Port | None = None
    """Likewise."""
    bytes: Annotated[list[BytePattern], Field(max_length=16)] = Field(default_factory=list)
    """Any bytes of the frame."""

    def flits_needed(self) -> int:
        """Return how many flits of a frame are looked at (sim/core/frame_match.cc says the same).

        With a VLAN tag, and the longest header of IPv4.
        """
        ends = [6, *(one.at + len(bytes.fromhex(one.value)) for one in self.bytes)]
        ends += [12] if self.source is not None else []
        ends += [18] if self.ethertype is not None else []
        ends += [58] if self.protocol is not None else []
        ends += [82] if (self.source_port, self.destination_port) != (None, None) else []
        return (2 + max(ends) + 7) // 8


class _Rule(Strict):
    """What all rules have."""

    sender: str | None = None
    """Frames put in by `nodes`, by `switches`, or by one of them by name (default: both ends)."""
    match: FrameMatch | None = None
    """Frames that it is about and that it counts (default: all)."""


class _SelectingRule(_Rule):
    """A rule that takes some frames."""

    frames: Annotated[list[FrameNumber], Field(min_length=1, max_length=65536)] | None = None
    """Numbers of the frames that it takes, of those that match, from 1."""
    every: FrameNumber | None = None
    """Or one of each `every` of them: 10 takes the 10th, the 20th, and so on."""
    probability: Probability | None = None
    """Or each with this probability, an exact fraction: 1/100, 0.01 or 1%."""

    @model_validator(mode="after")
    def one_choice(self) -> _SelectingRule:
        given = [
            key for key in ("frames", "every", "probability") if getattr(self, key) is not None
        ]
        if len(given) > 1:
            raise ValueError(f"found {' and '.join(given)}, expected one of them.")
        return self


class DropFault(_SelectingRule):
    """The frame is lost."""

    fault: Literal["drop"]


class DuplicateFault(_SelectingRule):
    """The frame comes more than once, its copies right behind it."""

    fault: Literal["duplicate"]
    copies: Annotated[int, Field(ge=1, le=16)] = 1
    """How many copies beside the frame itself."""


class DelayFault(_SelectingRule):
    """The frame comes later, and others overtake it."""

    fault: Literal["delay"]
    cycles: Cycles
    """Target cycles later."""


class BehindFault(_SelectingRule):
    """The frame comes behind later frames of its direction."""

    fault: Literal["behind"]
    behind_frames: Annotated[int, Field(ge=1, le=1_000_000)]
    """How many overtake it."""
    cycles: Cycles = 1_000_000
    """Most target cycles that it waits for them."""


class CorruptFault(_SelectingRule):
    """Bits of the frame are flipped."""

    fault: Literal["corrupt"]
    bits: Annotated[
        list[Annotated[int, Field(ge=0, le=MOST_BIT)]], Field(min_length=1, max_length=4096)
    ]
    """Which: 8 times the byte, from the destination address on, plus the bit of the byte, from the
    lowest one on. A bit beyond the end of a frame is none."""


class BitErrorsFault(_Rule):
    """Each bit is flipped with a probability, at most one in 64 that are sent together."""

    fault: Literal["bit_errors"]
    probability: Probability
    """That of each bit: 1/64 at most, an exact fraction."""

    @model_validator(mode="after")
    def one_a_flit(self) -> BitErrorsFault:
        if Fraction(self.probability) > Fraction(1, BITS_OF_FLIT):
            raise ValueError(f"found a probability of {self.probability}, expected 1/64 at most.")
        return self


FaultRule = Annotated[
    DropFault | DuplicateFault | DelayFault | BehindFault | CorruptFault | BitErrorsFault,
    Field(discriminator="fault"),
]


class LinkFaults(Strict):
    """Faults of a link, in either direction. Every rule looks at every frame."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Decides what has a probability. Each direction of each link has choices of its own."""
    rules: Annotated[list[FaultRule], Field(max_length=64)]
    """What happens to which frames; an empty list for a link without faults."""
    buffer_bytes: Annotated[int, Field(ge=1536, le=1 << 30)] = 4 << 20
    """Room for frames that are late, in each direction; a frame that finds it full is lost."""
