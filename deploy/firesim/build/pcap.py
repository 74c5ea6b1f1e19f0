# SPDX-License-Identifier: BSD-3-Clause
"""Reads packet captures: pcap and pcapng, of Ethernet, as Wireshark and tcpdump write them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

_PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
}
"""By the first four bytes: byte order, and ticks in a second."""
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET = 0x0A0D0D0A, 1, 2, 3, 6
_ORDERS = {0x1A2B3C4D: "<", 0x4D3C2B1A: ">"}
_ETHERNET = 1
_RESOLUTION, _OFFSET = 9, 14
"""Options of an interface: of its ticks, and what is to be added in seconds."""


class PcapError(ValueError):
    """A capture cannot be read; the message says what was found and what was expected."""


@dataclass(frozen=True)
class CapturedFrame:
    """A frame of a capture."""

    time_s: Fraction
    data: bytes
    """From the destination address on; as long as the frame was, with 0 for what was not kept."""
    interface: int = 0
    """Where it was captured: pcapng numbers its interfaces."""
    options: Mapping[int, bytes] = field(default_factory=dict)
    """What pcapng says of it, by code: 1 comment, 2 flags, 5 number of the packet."""


def is_capture(data: bytes) -> bool:
    """Return whether a file that begins so is a capture."""
    return data[:4] in _PCAP or data[:4] == _PCAPNG


def read_frames(data: bytes) -> Iterator[CapturedFrame]:
    """Yield the frames of a capture, in the order of the file.

    Raises:
        PcapError: it is cut off, not of Ethernet, or has no times.
    """
    try:
        yield from _pcap(data) if data[:4] in _PCAP else _pcapng(data)
    except struct.error as error:
        raise PcapError("found a capture that is cut off, expected a whole one.") from error


def _whole(kept: bytes, captured: int, length: int) -> bytes:
    if len(kept) != captured:
        raise PcapError("found a capture that is cut off, expected a whole one.")
    return kept + bytes(max(0, length - captured))


def _check_link(kind: int) -> None:
    if kind != _ETHERNET:
        raise PcapError(f"found a capture of link type {kind}, expected Ethernet (1).")


def _pcap(data: bytes) -> Iterator[CapturedFrame]:
    order, ticks = _PCAP[data[:4]]
    _check_link(struct.unpack_from(f"{order}I", data, 20)[0] & 0xFFFF)
    header = struct.Struct(f"{order}IIII")
    at = 24
    while at < len(data):
        seconds, part, captured, length = header.unpack_from(data, at)
        at += header.size
        frame = _whole(data[at : at + captured], captured, length)
        yield CapturedFrame(seconds + Fraction(part, ticks), frame)
        at += captured


@dataclass
class _Interface:
    ticks: int
    offset_s: int


def _pcapng(data: bytes) -> Iterator[CapturedFrame]:
    order, interfaces, at = "<", list[_Interface](), 0
    readers: dict[int, Callable[[str, bytes, list[_Interface]], CapturedFrame]] = {
        _PACKET: _packet,
        _OLD_PACKET: _old_packet,
    }
    while at < len(data):
        if data[at : at + 4] == _PCAPNG:
            magic = struct.unpack_from("<I", data, at + 8)[0]
            if magic not in _ORDERS:
                raise PcapError("found a pcapng section without byte order, expected one.")
            order, interfaces = _ORDERS[magic], []
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if size < 12 or at + size > len(data):
            raise PcapError("found a capture that is cut off, expected a whole one.")
        body = data[at + 8 : at + size - 4]
        at += size
        if kind == _INTERFACE:
            interfaces.append(_interface(order, body))
        elif kind == _SIMPLE_PACKET:
            raise PcapError("found a packet without a time, expected one with its time.")
        elif kind in readers:
            yield readers[kind](order, body, interfaces)


def _interface(order: str, body: bytes) -> _Interface:
    _check_link(struct.unpack_from(f"{order}H", body)[0])
    found = _Interface(10**6, 0)
    for code, value in _options(order, body, 8):
        if code == _RESOLUTION and value:
            base, power = (2, value[0] & 0x7F) if value[0] & 0x80 else (10, value[0])
            found.ticks = base**power
        elif code == _OFFSET:
            found.offset_s = struct.unpack(f"{order}q", value)[0]
    return found


def _options(order: str, body: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Yield the options of a block with their codes, from `at` on."""
    while at + 4 <= len(body):
        code, size = struct.unpack_from(f"{order}HH", body, at)
        if code == 0:
            return
        yield code, body[at + 4 : at + 4 + size]
        at += 4 + (size + 3) // 4 * 4


def _packet(order: str, body: bytes, interfaces: list[_Interface]) -> CapturedFrame:
    return _timed(order, body, struct.unpack_from(f"{order}IIIII", body), interfaces)


def _old_packet(order: str, body: bytes, interfaces: list[_Interface]) -> CapturedFrame:
    index, _, high, low, captured, length = struct.unpack_from(f"{order}HHIIII", body)
    return _timed(order, body, (index, high, low, captured, length), interfaces)


def _timed(
    order: str, body: bytes, fields: tuple[int, ...], interfaces: list[_Interface]
) -> CapturedFrame:
    index, high, low, captured, length = fields
    if index >= len(interfaces):
        raise PcapError(f"found a packet of interface {index}, which the capture does not declare.")
    where = interfaces[index]
    time_s = where.offset_s + Fraction(high << 32 | low, where.ticks)
    frame = _whole(body[20 : 20 + captured], captured, length)
    options = dict(_options(order, body, 20 + (captured + 3) // 4 * 4))
    return CapturedFrame(time_s, frame, index, options)
