# SPDX-License-Identifier: BSD-3-Clause
"""Initial values that depend on signals, of variables that nothing reads, such as

    logic unused = scan_enable & (|spare);   // Written so that no tool says that these are unread.

An initial value is a constant in hardware. Of a variable that nothing reads it is none at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from goldengate.passes.rewrite import module_at, tokens_of

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


def _initial_value(text: str, at: int) -> tuple[str, int, int] | None:
    """Return the variable whose initial value stands at a place, and where that begins and ends."""
    name, found, depth, before = "", None, 0, ""
    for word, start, end in tokens_of(text):
        if found and depth == 0 and word in (",", ";"):
            if start > at:
                return (*found, start)
            found = None
        if word == "=" and depth == 0 and not found and before != ")":
            found = name, start
        depth = 0 if word == ";" else depth + (word in _OPEN) - (word in _CLOSE)
        name = word if re.fullmatch(r"[A-Za-z_]\w*", word) and depth == 0 else name
        before = word
        if end > at and not found:
            return None
    return None


def variable_at(text: str, at: int) -> tuple[str, int]:
    """Return the variable whose initial value stands at a place, and the line of its equals sign.

    No name when its module reads it.
    """
    found = _initial_value(text, at)
    if found is None:
        return "", 0
    name, start, _ = found
    uses = [word for word, _, _ in tokens_of(module_at(text, at)) if word == name]
    return (name, text.count("\n", 0, start) + 1) if len(uses) == 1 else ("", 0)


def is_reached(texts: Iterable[str], name: str) -> bool:
    """Return whether another module may read it by a path."""
    return any(re.search(rf"\.\s*{name}\b(?!\s*\()", text) for text in texts)


def without_initial_values(text: str, variables: Iterable[tuple[str, int]]) -> str:
    """Return a file's text in which variables, by the line of their equals sign, have none."""
    for name, line in variables:
        begin = sum(map(len, text.splitlines(keepends=True)[: line - 1]))
        for match in re.compile("=").finditer(text, begin):
            found = _initial_value(text, match.end())
            if found and found[0] == name:
                _, start, end = found
                text = text[:start] + "\n" * text.count("\n", start, end) + text[end:]
                break
    return text
