# SPDX-License-Identifier: BSD-3-Clause
"""Reads the packet captures of switches: every frame with its port, direction, cycle and bytes."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from regression.support.experiment import ExperimentError

_ENHANCED_PACKET = 6
_COMMENT, _FLAGS = 1, 2
_INBOUND = 1
_CYCLE = re.compile(rb"cycle (\d+)")
_ADDRESS_BYTES = 6


@dataclass(frozen=True)
class Frame:
    """A frame on a port of a switch."""

    port: int
    inbound: bool
    """Whether it came in; else it left."""
    cycle: int
    """Target cycle of its last flit."""
    data: bytes
    """From the destination address on, rounded up to whole flits."""

    @property
    def destination(self) -> bytes:
        """The address it is sent to."""
        return self.data[:_ADDRESS_BYTES]

    @property
    def source(self) -> bytes:
        """The address it comes from."""
        return self.data[_ADDRESS_BYTES : 2 * _ADDRESS_BYTES]


def frames_in(results: Path) -> list[Frame]:
    """Return the frames that came into the switches of a run, switch by switch.

    Raises:
        ExperimentError: a capture is none, or is cut off.
    """
    paths = sorted(results.rglob("capture*.pcapng"))
    return [frame for path in paths for frame in read_capture(path) if frame.inbound]


def read_capture(path: Path) -> list[Frame]:
    """Return the frames of a switch's capture.pcapng, as they stand there: by cycle.

    Raises:
        ExperimentError: it is not one, or is cut off.
    """
    data = path.read_bytes()
    frames, at = [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at) if at + 8 <= len(data) else (0, 0)
        if length < 12 or at + length > len(data):
            raise ExperimentError(f"{path}: found no whole block at byte {at}, expected pcapng.")
        if kind == _ENHANCED_PACKET:
            frames.append(_frame(path, data[at + 8 : at + length - 4]))
        at += length
    return frames


def _frame(path: Path, block: bytes) -> Frame:
    port, _, _, captured, _ = struct.unpack_from("<IIIII", block)
    start = struct.calcsize("<IIIII")
    options = dict(_options(block[start + (captured + 3) // 4 * 4 :]))
    cycle = _CYCLE.fullmatch(options.get(_COMMENT, b""))
    if cycle is None or _FLAGS not in options:
        raise ExperimentError(f"{path}: found a packet without a cycle or direction.")
    inbound = struct.unpack("<I", options[_FLAGS])[0] == _INBOUND
    return Frame(port, inbound, int(cycle[1]), block[start : start + captured])


def _options(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
