# SPDX-License-Identifier: BSD-3-Clause
"""YAML into plain values, keeping for each value the file and line it came from.

Reads the YAML 1.2 core schema (true/false only, no base-60 numbers), because YAML 1.1 turns a
MAC address such as 12:34:56:01:02:03 into a number. A key given twice is an error.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from firesim_common.errors import InputError, cut
from firesim_common.regular_file import read_regular
from firesim_common.user_path import user_path
from firesim_common.yaml_text import MOST_DEPTH, compose, plain_text, scalar

KeyPath = tuple[str | int, ...]
MAX_FILE_BYTES = 4 << 20
MOST_VALUES = 200_000
"""In one file; what an alias stands for counts again."""
EXCLUSIVE = (
    ("program", "elf", "linux"),
    ("disk_image", "disk_sectors"),
    ("latency", "latency_cycles"),
    ("interval", "interval_cycles"),
)
"""Groups of keys of which a later layer's choice replaces an earlier layer's other choice."""

GOES_WITH_LINUX = "command"
"""What an earlier layer's Linux runs is forgotten when a bare-metal program replaces Linux."""


def forget_replaced(earlier: dict[str, Any], chosen: Collection[str]) -> None:
    """Remove from an earlier layer what the keys chosen in a later one replace."""
    for group in EXCLUSIVE:
        if any(key in group for key in chosen):
            for key in group:
                earlier.pop(key, None)
    if "program" in chosen or "elf" in chosen:
        earlier.pop(GOES_WITH_LINUX, None)


@dataclass
class Source:
    """Plain values of one configuration and where each came from."""

    data: Any
    name: str
    places: dict[KeyPath, str] = field(default_factory=dict)

    def place(self, path: KeyPath) -> str:
        """Return "file:line" of the value at `path`, or of the nearest value around it."""
        for length in range(len(path), -1, -1):
            if found := self.places.get(path[:length]):
                return found
        return self.name

    def error(self, path: KeyPath, message: str) -> InputError:
        """Return the error "file:line: key.path: message"."""
        return InputError(f"{self.place(path)}: {dotted(path)}{message}")

    def file(self, path: KeyPath, text: str) -> Path:
        """Return the path that the value at `path` says, with ~ for a home folder.

        Raises:
            InputError: no path can be written so.
        """
        try:
            return user_path(text)
        except InputError as error:
            raise self.error(path, str(error)) from error


def dotted(path: KeyPath) -> str:
    """Return `a.b[2]: ` for ("a", "b", 2), and nothing for the empty path."""
    text = ""
    for part in path:
        word = f"[{part}]" if isinstance(part, int) else cut(part)
        text += f".{word}" if text and isinstance(part, str) else word
    return f"{text}: " if text else ""


class _Builder:
    """Turns a YAML node tree into values while noting places."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.values = 0

    def value(self, node: yaml.Node, path: KeyPath, seen: tuple[int, ...] = ()) -> Any:
        place = f"{self.source.name}:{node.start_mark.line + 1}"
        self.source.places.setdefault(path, place)
        if id(node) in seen:
            raise InputError(f"{place}: {dotted(path)}found an anchor that contains itself.")
        self.values += 1
        if self.values > MOST_VALUES:
            raise InputError(
                f"{place}: found more than {MOST_VALUES:,} values, expected fewer: an alias counts "
                "as all that it stands for."
            )
        inner = (*seen, id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, inner)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, i), inner) for i, item in enumerate(node.value)]
        return scalar(node, f"{place}: {dotted(path)}")

    def _mapping(
        self, node: yaml.MappingNode, path: KeyPath, seen: tuple[int, ...]
    ) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            place = f"{self.source.name}:{line}"
            if not isinstance(key_node, yaml.ScalarNode):
                raise InputError(
                    f"{place}: {dotted(path)}found a list or mapping as a key, expected a name."
                )
            key = plain_text(key_node, f"{place}: {dotted(path)}")
            if key in result:
                raise InputError(
                    f'{place}: {dotted(path)}found key "{cut(key)}" twice, expected it once.'
                )
            # The line of the key, not of its value: that is where a reader looks.
            self.source.places[(*path, key)] = place
            result[key] = self.value(value_node, (*path, key), seen)
        return result


def parse_yaml(text: str, name: str) -> Source:
    """Parse YAML text; `name` is what errors call it.

    Raises:
        InputError: not YAML, a key given twice, or more than a configuration can need.
    """
    source = Source(data=None, name=name)
    node = compose(text, name)
    source.places[()] = f"{name}:1"
    source.data = {} if node is None else _Builder(source).value(node, ())
    return source


def read_yaml(path: Path, name: str | None = None) -> Source:
    """Read a YAML file.

    Raises:
        InputError: missing, unreadable, too large, not text or not YAML.
    """
    shown = name or str(path)
    content, _ = read_regular(path, MAX_FILE_BYTES, follow=True, name=shown)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: found bytes that are not UTF-8 text, expected YAML.") from error
    return parse_yaml(text, shown)


def read_users_yaml(path: Path) -> Source:
    """Read a YAML file that errors name as its user does: from the present folder on, if below it.

    Raises:
        InputError: as for `read_yaml`.
    """
    here = path.is_relative_to(Path.cwd())
    return read_yaml(path.relative_to(Path.cwd()) if here else path)


def apply_override(source: Source, assignment: str) -> None:
    """Apply one `key.path=value` (the value is YAML) to `source`, in place.

    Raises:
        InputError: no "=", an empty key, a value that is not YAML, or a path through a plain value.
    """
    key, equals, text = assignment.partition("=")
    name = f"-x {assignment}"
    parts = key.strip().split(".")
    if not equals or not all(parts) or len(parts) > MOST_DEPTH:
        raise InputError(f'{name}: found "{assignment}", expected key.path=value.')
    if source.data is None:
        source.data = {}
    value = parse_yaml(text, name)
    target: Any = source.data
    path: KeyPath = ()
    for part in parts[:-1]:
        target, path = _descend(source, target, path, part, name)
    step: str | int = _step(target, parts[-1], path, name)
    if isinstance(target, dict):
        forget_replaced(target, [parts[-1]])
    target[step] = value.data if text.strip() else None
    path = (*path, step)
    for old in [place for place in source.places if place[: len(path)] == path]:
        del source.places[old]
    for inner in value.places or {(): name}:
        source.places[(*path, *inner)] = name


def _step(target: Any, part: str, path: KeyPath, name: str) -> str | int:
    if isinstance(target, list):
        if not (part.isascii() and part.isdigit()) or int(part) >= len(target):
            raise InputError(
                f'{name}: {dotted(path)}found index "{part}", expected 0 to {len(target) - 1}.'
            )
        return int(part)
    if not isinstance(target, dict):
        raise InputError(f'{name}: {dotted(path)}is a plain value, so it has no key "{part}".')
    return part


def _descend(
    source: Source, target: Any, path: KeyPath, part: str, name: str
) -> tuple[Any, KeyPath]:
    """Return what lies one step further down, and the way there; a mapping is made on the way."""
    step = _step(target, part, path, name)
    if isinstance(target, dict) and target.get(part) is None:
        target[part] = {}
        source.places[(*path, step)] = name
    return target[step], (*path, step)
