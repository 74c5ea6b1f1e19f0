# SPDX-License-Identifier: BSD-3-Clause
"""Changes of one input, each of which is undone."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

Change = Callable[[Path], None]


@dataclass(frozen=True)
class Input:
    """An input of a step: in words, where it is (below the tree or the folder `mine`), a change."""

    what: str
    place: str
    change: Change


def text(old: str, new: str) -> Change:
    """Return the change that replaces a piece of a text, which must be there."""

    def change(path: Path) -> None:
        found = path.read_text()
        if old not in found:
            raise ValueError(f"{path}: found no {old!r}, expected it, to change it.")
        path.write_text(found.replace(old, new))

    return change


def new(content: str) -> Change:
    """Return the change that makes a file where there is none."""

    def change(path: Path) -> None:
        with path.open("x") as stream:
            stream.write(content)

    return change


def executable(path: Path) -> None:
    """Let a file be executed."""
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def leads_to(target: str) -> Change:
    """Return the change that lets a link lead elsewhere."""

    def change(path: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return change


@contextmanager
def changed(path: Path, change: Change) -> Iterator[None]:
    """Change a file while the body runs, and put back what was there."""
    if path.is_symlink():
        target = path.readlink()

        def undo() -> None:
            path.unlink()
            path.symlink_to(target)

    elif path.is_file():
        content, mode = path.read_bytes(), path.stat().st_mode

        def undo() -> None:
            path.write_bytes(content)
            path.chmod(mode)

    else:

        def undo() -> None:
            path.unlink()

    change(path)
    try:
        yield
    finally:
        undo()
