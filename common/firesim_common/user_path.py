# SPDX-License-Identifier: BSD-3-Clause
"""Paths as people write them in files and on command lines."""

from __future__ import annotations

import os
from pathlib import Path

from firesim_common.errors import InputError

MOST_PATH_BYTES, MOST_NAME_BYTES = 2048, 255
"""Linux takes 4,095 bytes, of which a path may need as many again for the folder that it is in."""


def user_path(text: str) -> Path:
    """Return the path that is written so, with ~ for a home folder.

    Raises:
        InputError: no path can be written so; the message has no place yet.
    """
    path = Path(text)
    sizes = [len(os.fsencode(part)) for part in path.parts]
    if "\0" in text:
        raise InputError("found a zero byte in a path, expected none.")
    if max(sizes, default=0) > MOST_NAME_BYTES or len(os.fsencode(text)) > MOST_PATH_BYTES:
        raise InputError(
            f'found a path of {len(text):,} characters, "{text[:40]}...", expected at most '
            f"{MOST_PATH_BYTES:,} bytes, {MOST_NAME_BYTES} in one name."
        )
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise InputError(
            f'found "{text}", expected a home folder: there is no user {path.parts[0]}.'
        ) from error


def lies_in(path: Path, folder: Path) -> bool:
    """Return whether a path leads into a folder, after all links and `..` in it."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, a zero byte
        return False


def found_in(path: Path, folder: Path) -> bool:
    """Return whether a path leads to something that is there, in a folder."""
    try:
        return path.exists() and lies_in(path, folder)
    except OSError:  # too long a name
        return False
