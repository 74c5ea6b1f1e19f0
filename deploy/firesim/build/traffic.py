# SPDX-License-Identifier: BSD-3-Clause
"""Traffic files: checked before a run, and captures turned into them.

The simulator reads text (sim/core/traffic.h). A capture becomes such a text: its first frame is
sent in cycle 0, every other as many cycles later as it is later in the capture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from firesim_common.errors import InputError

from firesim.build.parts import shown_path
from firesim.build.pcap import PcapError, is_capture, read_frames

LEAST_BYTES, MOST_BYTES = 6, 65535
MOST_CYCLE, MOST_COUNT = 1 << 62, 1 << 40
_FORM = (
    'expected "CYCLE DESTINATION BYTES" or "CYCLE frame HEX", and perhaps "repeat COUNT GAP_CYCLES"'
)
_ADDRESS = re.compile(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")
_COMPRESSED = {b"\x1f\x8b": "gunzip", b"\xfd7zXZ": "unxz", b"\x28\xb5\x2f\xfd": "unzstd"}


def check_traffic(path: Path) -> None:
    """Check a traffic file or a capture.

    Raises:
        InputError: what is wrong, with the line of a text, or the number of a captured packet.
    """
    try:
        with path.open("rb") as stream:
            start = stream.read(8)
        for magic, tool in _COMPRESSED.items():
            if start.startswith(magic):
                text = f'found a compressed file, expected a plain one: "{tool} {path.name}".'
                raise InputError(f"{shown_path(path)}: {text}")
        if is_capture(start):
            for _ in _lines_of(path, 1):
                pass
            return
        _check_text(path)
    except OSError as error:
        raise InputError(f"{shown_path(path)}: cannot be read: {error.strerror}.") from error


def text_file(path: Path, clock_hz: int, made: Path) -> Path:
    """Return a traffic file as text: itself, or `made`, written from a capture.

    Raises:
        InputError: the capture cannot be read.
    """
    with path.open("rb") as stream:
        if not is_capture(stream.read(4)):
            return path
    made.parent.mkdir(parents=True, exist_ok=True)
    with made.open("w") as text:
        text.writelines(_lines_of(path, clock_hz))
    return made


def _lines_of(path: Path, clock_hz: int) -> Iterator[str]:
    """Yield the lines of a capture's traffic file."""
    first, last = None, 0
    done = 0
    try:
        for frame in read_frames(path.read_bytes()):
            size = len(frame.data)
            if not LEAST_BYTES <= size <= MOST_BYTES:
                raise PcapError(f"found {size} bytes, expected {LEAST_BYTES} to {MOST_BYTES}.")
            first = frame.time_s if first is None else first
            # One that is noted after a later one follows that at once.
            last = max(last, round((frame.time_s - first) * clock_hz))
            if last > MOST_CYCLE:
                raise PcapError(f"found cycle {last}, expected at most {MOST_CYCLE}.")
            done += 1
            yield f"{last} frame {frame.data.hex()}\n"
    except PcapError as error:
        raise InputError(f"{shown_path(path)}: after packet {done}: {error}") from error


def _check_text(path: Path) -> None:
    before = 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            try:
                before = _check_line(words, before)
            except ValueError as error:
                raise InputError(f"{shown_path(path)}:{number}: {error}.") from error


def _check_line(words: list[str], before: int) -> int:
    """Check one line; return its cycle."""
    if len(words) not in (3, 6):
        raise ValueError(f"found {len(words)} words, {_FORM}")
    cycle = _integer(words[0], "cycle", 0, MOST_CYCLE)
    if cycle < before:
        raise ValueError(
            f"found the cycle {cycle}, expected at least {before} as on the line before"
        )
    if words[1] == "frame":
        _check_frame(words[2])
    else:
        if not _ADDRESS.fullmatch(words[1]):
            raise ValueError(
                f'found the destination "{words[1]}", expected an address like 00:12:6D:00:00:02, '
                'or "frame"'
            )
        _integer(words[2], "bytes", LEAST_BYTES, MOST_BYTES)
    if len(words) == 6:
        if words[3] != "repeat":
            raise ValueError(f'found "{words[3]}", expected "repeat"')
        _integer(words[4], "count", 1, MOST_COUNT)
        _integer(words[5], "gap_cycles", 0, MOST_COUNT)
    return cycle


def _check_frame(text: str) -> None:
    if not re.fullmatch(r"(?:[0-9A-Fa-f]{2})+", text):
        raise ValueError("found a frame that is not hexadecimal, expected two digits for each byte")
    if not LEAST_BYTES <= len(text) // 2 <= MOST_BYTES:
        raise ValueError(
            f"found a frame of {len(text) // 2} bytes, expected {LEAST_BYTES} to {MOST_BYTES}"
        )


def _integer(text: str, what: str, least: int, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,20}", text) or not least <= int(text) <= most:
        raise ValueError(f'found {what} "{text}", expected an integer from {least} to {most}')
    return int(text)
