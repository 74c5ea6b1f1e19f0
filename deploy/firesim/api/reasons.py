# SPDX-License-Identifier: BSD-3-Clause
"""Why something happened in a run, in Python: the page, the event and the replay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from firesim.why.go import Why
from firesim.why.go import why as write
from firesim.why.wanted import wanted_of


def ask_why(
    run: str | Path,
    node: str | None = None,
    *,
    asserted: bool = False,
    panic: bool = False,
    text: str | None = None,
    drop: str | None = None,
    at: int | None = None,
    nth: int = 1,
    cycles: int = 2000,
    whole: bool = False,
    overrides: Sequence[str] = (),
    results: str | Path | None = None,
    console: Console | None = None,
) -> Why:
    """Write a page about an event of a finished run, as `firesim why` does; return what was found.

    `run` is its results folder. At most one of `asserted`, `panic`, `text` (a part of a
    line), `drop` (a switch or faulty link) and `at` (a cycle) says which event; without one it is
    what ended the run. With `whole` the run is simulated to its end even if the event came earlier.
    Nothing is printed without a console.

    Raises:
        InputError: no such run or event, or the run does not repeat as it was recorded.
        ToolError, GoldenGateError: a build step failed.
    """
    wanted = wanted_of(
        asserted=asserted, panic=panic, text=text, drop=drop, at=at, node=node, nth=nth
    )
    console = console or Console(stderr=True, quiet=True)
    folder = Path(run).expanduser().absolute()
    place = None if results is None else Path(results)
    return write(folder, wanted, cycles, list(overrides), place, console, whole)


__all__ = ["Why", "ask_why"]
