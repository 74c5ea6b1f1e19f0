# SPDX-License-Identifier: BSD-3-Clause
"""A run as Python that makes it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from firesim.api import objects

WIDTH = 96
INDENT = "    "


def written(name: str, config: BaseModel, said: dict[str, Any]) -> str:
    """Return a program that makes a run of what is `said` of a configuration."""
    parts = {key: getattr(config, key) for key in said if key != "name"}
    inner = [f"name={name!r}"] + [f"{key}={_value(v, said[key], 1)}" for key, v in parts.items()]
    return f"import firesim\n\nrun = {_joined('firesim.Run(', inner, ')', 0)}\n"


def _joined(opening: str, inner: list[str], closing: str, depth: int) -> str:
    """Return what is between brackets, in one line where that is short enough."""
    line = f"{opening}{', '.join(inner)}{closing}"
    if "\n" not in line and len(line) + len(INDENT) * depth < WIDTH:
        return line
    before = INDENT * (depth + 1)
    lines = "".join(f"{before}{one},\n" for one in inner)
    return f"{opening}\n{lines}{INDENT * depth}{closing}"


def _value(value: Any, said: Any, depth: int) -> str:
    """Return an expression for a value of a configuration, of which `said` is to be written."""
    if isinstance(value, BaseModel) and isinstance(said, dict):
        ours = vars(objects).get(type(value).__name__)
        inner = {key: _value(getattr(value, key), said[key], depth + 1) for key in said}
        if isinstance(ours, type) and issubclass(ours, type(value) | BaseModel):
            words = [f"{key}={text}" for key, text in inner.items()]
            return _joined(f"firesim.{type(value).__name__}(", words, ")", depth)
        words = [f"{key!r}: {text}" for key, text in inner.items()]
        return _joined("{", words, "}", depth)
    if isinstance(value, dict) and isinstance(said, dict):
        words = [f"{key!r}: {_value(value[key], said[key], depth + 1)}" for key in said]
        return _joined("{", words, "}", depth)
    if isinstance(value, list) and isinstance(said, list) and said:
        words = [_value(one, two, depth + 1) for one, two in zip(value, said, strict=True)]
        return _joined("[", words, "]", depth)
    return repr(said)
