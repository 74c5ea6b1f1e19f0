# SPDX-License-Identifier: BSD-3-Clause
"""A recipe while it is put together: values with comments, written as YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_/.][A-Za-z0-9_/.+-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", ".inf", ".nan"}
_FEW = 3
"""Most keys of a mapping that is written in one line."""


class Recipe:
    """Values by their path, in the order in which they were set."""

    def __init__(self, head: list[str]) -> None:
        self.head = head
        self.data: dict[str, Any] = {}
        self.comments: dict[str, str] = {}

    def set(self, path: str, value: Any, comment: str = "") -> None:
        """Set the value at a dotted path, with what a reader should know of it."""
        *around, last = path.split(".")
        into = self.data
        for key in around:
            into = into.setdefault(key, {})
        into[last] = value
        if comment:
            self.comments[path] = comment

    def text(self) -> str:
        """Return the file."""
        lines = [f"# {line}".rstrip() for line in self.head]
        return "\n".join([*lines, *self._mapping(self.data, "", "")]) + "\n"

    def _mapping(self, values: dict[str, Any], at: str, indent: str) -> Iterator[str]:
        for key, value in values.items():
            path = f"{at}.{key}" if at else key
            if comment := self.comments.get(path):
                yield from (f"{indent}# {line}" for line in comment.splitlines())
            if self._in_one_line(value, path):
                yield f"{indent}{_flow(key)}: {_flow(value)}"
            else:
                yield f"{indent}{_flow(key)}:"
                yield from self._mapping(value, path, f"{indent}  ")

    def _in_one_line(self, value: Any, path: str) -> bool:
        if not isinstance(value, dict) or not value:
            return True
        told = any(one.startswith(f"{path}.") for one in self.comments)
        simple = not any(isinstance(inner, dict | list) for inner in value.values())
        return "." in path and simple and not told and len(value) <= _FEW


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(one) for one in value) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value)
