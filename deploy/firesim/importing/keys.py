# SPDX-License-Identifier: BSD-3-Clause
"""What became of each key of an imported file: those without a counterpart are named once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firesim_common.errors import InputError, nearest
from firesim_common.explain import shown
from firesim_common.positions import KeyPath, Source, dotted

TAKEN = ""
"""In a table of keys: the recipe has it. Any other text says why it has no counterpart."""
Table = Mapping[str, str]
"""Dotted keys; one that stands for a whole mapping or list is not looked into."""


@dataclass
class Notes:
    """What a user should know of the recipe: a sentence each, with its place."""

    lines: list[str] = field(default_factory=list)

    def add(self, source: Source, path: KeyPath, text: str) -> None:
        """Say something about the value at a path."""
        line = f"{source.place(path)}: {dotted(path)}{text}"
        if line not in self.lines:
            self.lines.append(line)

    def keys(self, source: Source, root: KeyPath, table: Table) -> None:
        """Name each key below `root` that the table gives no counterpart, or does not know."""
        self._below(source, root, value_at(source, root), "", table)

    def _below(self, source: Source, root: KeyPath, value: Any, at: str, table: Table) -> None:
        if not isinstance(value, dict):
            return
        for key, inner in value.items():
            name = f"{at}.{key}" if at else key
            path = (*root, *name.split("."))
            known = [one for one in table if one == name or one.startswith(f"{name}.")]
            if name in table:
                if table[name] != TAKEN:
                    self.add(source, path, f"no counterpart: {table[name]}.")
            elif known:
                if inner is not None and not isinstance(inner, dict):
                    text = f"found {shown(inner)}, expected a mapping."
                    raise source.error(path, text)
                self._below(source, root, inner, name, table)
            else:
                self.add(source, path, f"no counterpart: {_unknown(key, at, table)}")


def _unknown(key: str, at: str, table: Table) -> str:
    depth = at.count(".") + 1 if at else 0
    beside = {
        one.split(".")[depth]
        for one in table
        if (one.startswith(f"{at}.") if at else True) and len(one.split(".")) > depth
    }
    close = nearest(key, sorted(beside))
    return f'not a known key, did you mean "{close}"?' if close else "not a known key."


def value_at(source: Source, path: KeyPath) -> Any:
    """Return the value at a path, or None."""
    value = source.data
    for part in path:
        value = value.get(part) if isinstance(value, dict) and isinstance(part, str) else None
    return value


def whole(source: Source, path: KeyPath, default: int | None = None, least: int = 0) -> int:
    """Return the whole number at a path.

    Raises:
        InputError: something else, or less than `least`.
    """
    found = value_at(source, path)
    value: object = default if found is None else found
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise source.error(path, f"found {shown(value)}, expected a whole number from {least} on.")
    return value


def text(source: Source, path: KeyPath, default: str | None = None) -> str:
    """Return the text at a path.

    Raises:
        InputError: something else.
    """
    value = value_at(source, path)
    value = default if value is None else value
    if not isinstance(value, str) or (default is None and not value):
        raise source.error(path, f"found {shown(value)}, expected a text.")
    return value


def truth(source: Source, path: KeyPath, default: bool = False) -> bool:
    """Return the truth value at a path; their YAML takes yes and no, too.

    Raises:
        InputError: something else.
    """
    value = value_at(source, path)
    words = {"yes": True, "no": False, "on": True, "off": False, "true": True, "false": False}
    if value is None:
        return default
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    if not isinstance(value, bool):
        raise source.error(path, f"found {shown(value)}, expected yes or no.")
    return value


def mapping(source: Source, path: KeyPath) -> dict[str, Any]:
    """Return the mapping at a path.

    Raises:
        InputError: something else.
    """
    value = value_at(source, path)
    if not isinstance(value, dict):
        raise source.error(path, f"found {shown(value)}, expected a mapping.")
    return value


def from_error(source: Source, path: KeyPath, error: ValueError) -> InputError:
    """Return the sentence of a ValueError with the place of the value that it is about."""
    return source.error(path, str(error))
