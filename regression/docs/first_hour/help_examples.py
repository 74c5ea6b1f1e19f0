# SPDX-License-Identifier: BSD-3-Clause
"""The examples of `--help`, read from the commands themselves, as docs/reference/commands.md is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer.main
from firesim.cli.main import app

_BEGIN = re.compile(r"^Examples?:[ \t]*", re.MULTILINE)
_COMMAND = "firesim "


@dataclass(frozen=True)
class Example:
    """An example of a command's help."""

    command: str
    """The command, such as `firesim runs list`."""
    text: str
    """What is typed."""


def examples_in(text: str) -> list[str]:
    """Return the examples of a help text; a line that begins otherwise goes on with the last."""
    begin = _BEGIN.search(text)
    found: list[str] = []
    for line in text[begin.end() :].splitlines() if begin else []:
        words = line.replace("\b", "").strip()
        if words.startswith(_COMMAND):
            found.append(words)
        elif words and found:
            found[-1] += f" {words}"
    return found


def _walk(name: str, command: Any) -> Iterator[tuple[str, str]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command.help or ""
        return
    for key in sorted(inner):
        yield from _walk(f"{name} {key}", inner[key])


def commands() -> dict[str, list[Example]]:
    """Return the examples of every command, by its name."""
    found = {}
    for name, text in _walk("firesim", typer.main.get_command(app)):
        found[name] = [Example(name, example) for example in examples_in(text)]
    return found
