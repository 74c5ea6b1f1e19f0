# SPDX-License-Identifier: BSD-3-Clause
"""Reads the captures of switches: which packet was seen where, in which cycle."""

from __future__ import annotations

import builtins
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.regular_file import read_regular

from firesim.build.pcap import CapturedFrame, PcapError, read_frames

MOST_BYTES = 1 << 32
CAPTURE = "capture.pcapng"
"""A switch's, in its folder."""
_COMMENT, _FLAGS, _PACKET_ID = 1, 2, 5
_OUTBOUND = 2
_PAD_BYTES = 2
_HEAD_BYTES = 14
_CYCLE = re.compile(rb"cycle (\d{1,18})")


@dataclass(frozen=True, order=True)
class Seen:
    """The last flit of a packet at a port of a switch."""

    cycle: int
    switch: str
    port: int
    is_outbound: bool
    number: int | None
    """The same where it came in and wherever it left; None: the switch has made it."""
    bytes: int
    """Of its flits."""
    head: builtins.bytes = field(default=b"", compare=False)
    """Its addresses, of receiver and sender, and its type."""


def read_capture(path: Path, switch: str, most: int, shown: str) -> tuple[list[Seen], int]:
    """Return the packets of a switch's capture, and how many more than `most` it has.

    Raises:
        InputError: it is no capture that a switch of ours writes.
    """
    data, _ = read_regular(path, MOST_BYTES, follow=False, name=shown)
    found: list[Seen] = []
    more = 0
    try:
        for frame in read_frames(data):
            if len(found) < most:
                found.append(_seen(frame, switch, shown))
            else:
                more += 1
    except PcapError as error:
        raise InputError(f"{shown}: {error}") from error
    return found, more


def _seen(frame: CapturedFrame, switch: str, shown: str) -> Seen:
    options = frame.options
    cycle = _CYCLE.match(options.get(_COMMENT, b""))
    flags = options.get(_FLAGS, b"")
    if cycle is None or len(flags) != 4:
        raise InputError(
            f"{shown}: found a packet without its cycle or direction, expected a capture of a run."
        )
    number = options.get(_PACKET_ID, b"")
    return Seen(
        int(cycle[1]),
        switch,
        frame.interface,
        struct.unpack("<I", flags)[0] & 3 == _OUTBOUND,
        struct.unpack("<Q", number)[0] if len(number) == 8 else None,
        len(frame.data) + _PAD_BYTES,
        frame.data[:_HEAD_BYTES],
    )
