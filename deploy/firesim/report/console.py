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


@dataclass(frozen=True)
class Record:
    """One measurement line: its first word and its fields, as text."""

    kind: str
    fields: dict[str, str]

    def number(self, name: str) -> float | None:
        """Return a field as a number, decimal or 0x hexadecimal; None when it is not one."""
        text = self.fields.get(name)
        if text is None:
            return None
        try:
            return float(int(text, 0))
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            return None


def records(console: str) -> list[Record]:
    """Return the measurement lines of a console log, in order."""
    text = console.replace("\r", "")
    return [Record(match["kind"], dict(_PAIR.findall(match[2]))) for match in _LINE.finditer(text)]


def round_trips(console: str) -> list[tuple[int, float]]:
    """Return (sequence number, round-trip time in cycles) of every ping line."""
    found: list[tuple[int, float]] = []
    for record in records(console):
        cycles = record.number("rtt_cycles")
        if record.kind == "ping" and cycles is not None:
            found.append((int(record.number("seq") or 0), cycles))
    return found
