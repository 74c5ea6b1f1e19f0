# SPDX-License-Identifier: BSD-3-Clause
"""A node's console, piece by piece: as bytes for a terminal, or as text for a page without one."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path

from firesim_common.printable import printable
from firesim_common.regular_file import opened_regular

MOST_BYTES = 64 * 1024
"""In one piece; of a longer console a page begins with the end."""
MOST_OPEN_BYTES = 4096
"""Of a line without its end; a longer one is taken as it is."""
_SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B])")
"""Colours, places of the cursor, titles of windows, fonts: nothing that a log can show."""
_ERASED = re.compile("[^\x08]\x08")


@dataclass(frozen=True)
class Piece:
    """What a console said from one place of its log to another."""

    lines: str
    """Whole lines, to be added to what is shown."""
    open_line: str
    """The beginning of the next line, to be shown until the next piece."""
    next: int
    """Where the next piece begins."""
    is_cut: bool
    """Whether something before it is left out."""


@dataclass(frozen=True)
class Bytes:
    """What a console said from one place of its log to another, as a terminal takes it."""

    data: str
    """In base64: a guest may cut a letter, or say what is none."""
    next: int
    is_cut: bool
    """Whether something before it is left out."""


def piece(log: Path, start: int) -> Piece:
    """Return what a console said from byte `start` of its log on; nothing before there is a log."""
    data, begin, is_cut = _read(log, start)
    whole = data.rfind(b"\n") + 1
    if len(data) - whole > MOST_OPEN_BYTES:
        whole = len(data)
    return Piece(_shown(data[:whole]), _shown(data[whole:]), begin + whole, is_cut)


def raw_piece(log: Path, start: int) -> Bytes:
    """Return the bytes that a console said from byte `start` of its log on."""
    data, begin, is_cut = _read(log, start)
    return Bytes(base64.b64encode(data).decode(), begin + len(data), is_cut)


def _read(log: Path, start: int) -> tuple[bytes, int, bool]:
    """Return what a log holds from byte `start` on, where that begins, and if some is left out."""
    try:
        with opened_regular(log) as stream:
            size = stream.seek(0, 2)
            begin = start if 0 <= start <= size else 0  # Another run's log may have been longer.
            is_cut = size - begin > MOST_BYTES
            begin = max(begin, size - MOST_BYTES)
            stream.seek(begin)
            data = stream.read(MOST_BYTES)
    except OSError:
        return b"", 0, False
    left_out = data.find(b"\n") + 1 if is_cut else 0
    return data[left_out:], begin + left_out, is_cut


def _shown(data: bytes) -> str:
    """Return what a terminal would show of some lines, and the rest of it in visible letters."""
    text = _SEQUENCES.sub("", data.decode(errors="replace"))
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    """Return one line: a carriage return writes over it, a backspace erases a letter."""
    line = line.rstrip("\r").rpartition("\r")[2]
    while (erased := _ERASED.sub("", line)) != line:
        line = erased
    return printable(line.lstrip("\b"))
