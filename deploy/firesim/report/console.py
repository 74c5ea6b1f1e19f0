# SPDX-License-Identifier: BSD-3-Clause
"""Finds the measurements that bare-metal programs print on the console.

A program reports with lines of one word and `key=value` pairs, such as
`ping seq=3 rtt_cycles=25731`; everything else on the console is left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(
    r"^(?P<kind>[a-z][a-z0-9_]*)((?:[ \t]+[a-z][a-z0-9_]*=\S+)+)[ \t]*$", re.MULTILINE
)
_PAIR = re.compile(r"([a-z][a-z0-9_]*)=(\S+)")


WHOLE_NUMBER = r"[0-9]{1,20}"
NUMBER = rf"{WHOLE_NUMBER}(?:\.[0-9]{{1,20}})?"
"""Patterns of decimal numbers as programs print them, for other lines than those found here."""
_NUMBER = re.compile(rf"0x[0-9a-fA-F]{{1,16}}|{NUMBER}")


def measured_number(text: str) -> float | None:
    """Return a number as programs print it, decimal or 0x hexadecimal; None for any other text.

    Guests print what they like: inf, nan, exponents and numbers of hundreds of digits are text.
    """
    if not _NUMBER.fullmatch(text):
        return None
    return float(int(text, 16)) if text.startswith("0x") else float(text)


@dataclass(frozen=True)
class Record:
    """One measurement line: its first word and its fields, as text."""

    kind: str
    fields: dict[str, str]

    def number(self, name: str) -> float | None:
        """Return a field as a number (see measured_number); None when it is missing or not one."""
        return measured_number(self.fields.get(name, ""))


def records(console: str) -> list[Record]:
    """Return the measurement lines of a console log, in order."""
    text = console.replace("\r", "")
    return [Record(match["kind"], dict(_PAIR.findall(match[2]))) for match in _LINE.finditer(text)]


def round_trips(console: str) -> list[tuple[int, float]]:
    """Return (sequence number, round-trip time in cycles) of every ping line."""
    found: list[tuple[int, float]] = []
    for record in records(console):
        number = measured_number(record.fields.get("seq", "0"))
        cycles = record.number("rtt_cycles")
        if record.kind == "ping" and cycles is not None and number is not None:
            found.append((int(number), cycles))
    return found
