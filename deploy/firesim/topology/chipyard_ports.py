# SPDX-License-Identifier: BSD-3-Clause
"""The ports of a module, by the text of its head in the form of Verilog 2001."""

from __future__ import annotations

import re

_LAST_WORD = re.compile(r"(\w+)\s*$")


def ports_of(text: str, module: str) -> frozenset[str]:
    """Return the names of a module's ports; `text` has no comments. Empty where there is no head.

    Directives between ports are not followed.
    """
    names = (_LAST_WORD.search(part) for part in declarations_of(text, module))
    return frozenset(name[1] for name in names if name)


def declarations_of(text: str, module: str) -> list[str]:
    """Return what a module's head says of each port, in order; empty where there is no head."""
    found = re.search(rf"\bmodule\s+{module}\b\s*", text)
    if found is None:
        return []
    at = found.end()
    if text[at : at + 1] == "#":
        at = _after_list(text, text.index("(", at))
    at += len(text[at:]) - len(text[at:].lstrip())
    if text[at : at + 1] != "(":
        return []
    return text[at + 1 : _after_list(text, at) - 1].split(",")


def _after_list(text: str, at: int) -> int:
    """Return the place after the list whose bracket opens at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)
