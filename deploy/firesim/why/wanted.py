# SPDX-License-Identifier: BSD-3-Clause
"""What a user asks about, and what was found of it in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from firesim_common.errors import InputError

Kind = Literal["first", "assert", "panic", "print", "drop", "at"]
PANIC = "Kernel panic - not syncing"
"""What Linux says on its console."""


@dataclass(frozen=True)
class Wanted:
    """An event of a run: the first one of its kind that fits, or the `nth`."""

    kind: Kind = "first"
    """first: what ended the run early, an assert, a panic or a node that failed."""
    text: str = ""
    """A part of the line (print), or where the packet was lost (drop): a switch or A-to-B."""
    cycle: int = 0
    """Of kind at."""
    node: str | None = None
    """The node that is asked about (default: any)."""
    nth: int = 1
    """Which of several: 1 is the first."""


@dataclass(frozen=True)
class Cause:
    """An event with its cycle."""

    what: str
    """In a few words, for people."""
    cycle: int
    node: str | None = None
    """Where it happened, None for a switch or a link."""
    source: str | None = None
    """FILE:LINE of an assert."""
    switch: str | None = None
    """Where a packet was dropped."""
    port: int | None = None
    """The port by which that packet came in."""


def wanted_of(
    *,
    asserted: bool = False,
    panic: bool = False,
    text: str | None = None,
    drop: str | None = None,
    at: int | None = None,
    node: str | None = None,
    nth: int = 1,
) -> Wanted:
    """Return what the options of a command mean.

    Raises:
        InputError: they do not go together.
    """
    given = {
        "--assert": asserted,
        "--panic": panic,
        "--print": text is not None,
        "--drop": drop is not None,
        "--at": at is not None,
    }
    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise InputError(f"why: found {' and '.join(named)}, expected one of them.")
    if nth != 1 and named not in (["--print"], ["--drop"]):
        raise InputError(f"why: found --nth {nth}, expected it with --print or --drop.")
    if text == "":
        raise InputError('why: found --print "", expected a part of a line.')
    kinds: dict[str, Kind] = {"--assert": "assert", "--panic": "panic", "--at": "at"}
    kinds |= {"--print": "print", "--drop": "drop"}
    kind = kinds[named[0]] if named else "first"
    return Wanted(kind, text or drop or "", at or 0, node, nth)
