# SPDX-License-Identifier: BSD-3-Clause
"""Part selects that run backwards in a branch that parameters switch off, such as

    q <= X64 ? (|a[V-1:34]) : a[0];     // With V = 32 and X64 = 0.

The reader has no word for the place. So it writes down the elaborated design, in which the select
has an error for its type; and its lower bound becomes one that is never above the upper one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

_LINE = re.compile(r'^(?P<indent> *)"(?P<key>\w+)": "(?P<value>[^"]*)"')
_DOWNWARDS = re.compile(r"\[(\d+):(\d+)\]$")
_MODULE = r"\bmodule\b(?:\s|\b(?:automatic|static)\b)+\\?%s\b.*?\bendmodule\b"
_SELECT = r"(?<![\w$])%s\s*\[(?P<high>[^\[\]:]*[A-Za-z_][^\[\]:]*|\d+):(?P<low>[^\[\]:]+)\]"


@dataclass
class _Body:
    """One instance's content: where it stands, such selects, vectors, and whether it has errors."""

    depth: int
    selected: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    has_errors: bool = False

    def type_of(self, kind: str, name: str, type_: str, selected: bool) -> bool:
        """Take note of a type; return whether it is that of the vector of such a select."""
        bounds = _DOWNWARDS.search(type_)
        if bounds is None or int(bounds[1]) < int(bounds[2]):
            return False
        if kind in ("Variable", "Net"):
            self.vectors.append(name)
        return selected

    def names(self) -> list[str]:
        """Return the vectors of which a part may run backwards: all, if the reader hides which."""
        return self.selected or (self.vectors if self.has_errors else [])


def in_elaboration(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Return (module, name of the vector) of such selects in the design as the reader shows it."""
    found: list[tuple[str, str]] = []
    bodies = [_Body(-1)]
    kind = bad = name = ""
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        key, value, depth, body = match["key"], match["value"], len(match["indent"]), bodies[-1]
        if key == "kind":
            kind, bad = value, bad if value in ("NamedValue", "MemberAccess") else ""
            body.has_errors |= kind == "Invalid"
            if kind == "InstanceBody":
                bodies.append(_Body(depth))
        elif key == "name":
            name = value
        elif key == "definition" and depth == body.depth:
            found += [(value.rpartition(" ")[2], one) for one in bodies.pop().names()]
        elif key == "type" and value == "<error>":
            bad = "select" if kind == "RangeSelect" else bad
        elif key == "type":
            bad = "vector" if body.type_of(kind, name, value, bad == "select") else bad
        elif key in ("symbol", "member") and bad == "vector":
            body.selected.append(value.rpartition(" ")[2])
            bad = ""
    return sorted(set(found))


def mended(text: str, selections: Iterable[tuple[str, str]]) -> str:
    """Return a file's text in which these selects never run backwards."""
    for module, name in selections:
        select = re.compile(_SELECT % re.escape(name))

        def upwards(body: re.Match[str], select: re.Pattern[str] = select) -> str:
            return select.sub(_upwards, body[0])

        text = re.sub(_MODULE % re.escape(module), upwards, text, flags=re.DOTALL)
    return text


def _upwards(match: re.Match[str]) -> str:
    high, low = match["high"].strip(), match["low"].strip()
    begin = match[0][: match[0].index("[")]
    return f"{begin}[{high}:(({high})>=({low})?({low}):({high}))]"


def place(sources: Iterable[str], module: str, name: str) -> str:
    """Return `file:line` of the first of these selects, or nothing if no text has one."""
    for file in sources:
        text = Path(file).read_text(errors="replace")
        body = re.search(_MODULE % re.escape(module), text, re.DOTALL)
        select = body and re.compile(_SELECT % re.escape(name)).search(
            text, body.start(), body.end()
        )
        if select:
            return f"{file}:{text.count(chr(10), 0, select.start()) + 1}"
    return ""
