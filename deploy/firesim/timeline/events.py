# SPDX-License-Identifier: BSD-3-Clause
"""Reads what harts and devices kept of their events; docs/reference/traces.md says how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.regular_file import read_regular

from firesim.timeline.window import MOST_CYCLE

MAGIC = b"FSEVENT1"
MOST_BYTES = 1 << 32
MOST_DEPTH = 2048
"""Frames of a stack; a hart's tells 1,024 apart."""
_NAME, _SLICE, _INSTANT, _LEFT_OUT = range(4)


@dataclass(frozen=True)
class Name:
    """A track, or a name on it."""

    text: str
    parent: int
    """Index of the name below it; itself for a track."""
    track: int
    """Index of its track."""
    depth: int
    """Names below it."""


@dataclass(frozen=True)
class Event:
    """A slice of begin <= cycle < end, or an instant, whose end is None."""

    name: int
    begin: int
    end: int | None


@dataclass
class EventFile:
    """Events of a hart or a device, with what is not there."""

    names: list[Name] = field(default_factory=list)
    left_out: int = 0
    left_out_from_cycle: int = 0
    is_cut_off: bool = False
    """Whether the file ends within a record, as that of a run that was ended hard does."""


class _Numbers:
    """Takes numbers from the front of a file."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise IndexError

    def difference(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def text(self) -> str:
        size = self.varint()
        if self.at + size > len(self.data):
            raise IndexError
        self.at += size
        return self.data[self.at - size : self.at].decode(errors="replace")


def read_events(path: Path, found: EventFile, shown: str) -> Iterator[Event]:
    """Yield the events of a file in its order; `found` fills with names along the way.

    Raises:
        InputError: it is no such file, or holds what none can.
    """
    data, _ = read_regular(path, MOST_BYTES, follow=False, name=shown)
    if not data.startswith(MAGIC):
        raise InputError(f"{shown}: found no events, expected {MAGIC.decode()} at the beginning.")
    numbers, cycle = _Numbers(data, len(MAGIC)), 0
    while numbers.at < len(data):
        try:
            head = numbers.varint()
            kind, value = head & 3, head >> 2
            if kind == _NAME:
                _add_name(found.names, value, numbers.text(), shown)
                continue
            cycle += numbers.difference()
            length = numbers.varint() if kind == _SLICE else 0
        except IndexError:
            found.is_cut_off = True
            return
        if not 0 <= cycle <= cycle + length <= MOST_CYCLE:
            raise InputError(f"{shown}: found cycle {cycle}, expected one of 0 to 2^63 - 1.")
        if kind == _LEFT_OUT:
            found.left_out, found.left_out_from_cycle = value, cycle
            continue
        if not 0 < value <= len(found.names):
            raise InputError(f"{shown}: found name {value}, expected 1 to {len(found.names)}.")
        yield Event(value - 1, cycle, cycle + length if kind == _SLICE else None)
        cycle += length


def _add_name(names: list[Name], parent: int, text: str, shown: str) -> None:
    own = len(names)
    if parent > own:
        raise InputError(f"{shown}: found parent {parent} of name {own + 1}, expected one before.")
    if parent == 0:
        names.append(Name(text, own, own, 0))
        return
    below = names[parent - 1]
    if below.depth + 1 > MOST_DEPTH:
        raise InputError(f"{shown}: found {below.depth + 2} frames, expected at most {MOST_DEPTH}.")
    names.append(Name(text, parent - 1, below.track, below.depth + 1))
