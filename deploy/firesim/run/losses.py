# SPDX-License-Identifier: BSD-3-Clause
"""Goes on with a run that has lost a host: from its last snapshot, on the hosts that answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.printable import printable
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.pipeline.beside import Beside
from firesim.pipeline.bind import Origin
from firesim.pipeline.collect import collect
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import make_ready, run
from firesim.remote import record
from firesim.remote.ship import DESCRIPTION
from firesim.results.outcome import Outcome
from firesim.snapshots.sound import last_sound
from firesim.topology.describe import SNAPSHOTS_FOLDER, Restart, restart_of
from firesim.topology.plan import Plan

MOST_LOSSES = 8
"""A farm that loses more than this in one run is not one to go on with."""
BEFORE = "before-loss-"
"""Folders in the results with what there was when a host was lost."""


def run_through(
    loaded: Loaded,
    results: Path | None,
    console: Console,
    restart: Origin | None = None,
    beside: Beside | None = None,
) -> Outcome:
    """Run a configuration as `pipeline.run` does, and go on when it has lost a host.

    Raises:
        InputError: nothing was started, or no host answers any more.
        ToolError, GoldenGateError, KeyboardInterrupt: as for `pipeline.run`.
    """
    outcome = run(loaded, results=results, console=console, restart=restart, beside=beside)
    return without_lost(loaded, outcome, console, beside)


def without_lost(
    loaded: Loaded, outcome: Outcome, console: Console, beside: Beside | None = None
) -> Outcome:
    """Return the outcome of a run, gone on with as often as a host was lost and it may go on.

    Raises:
        InputError: no host answers any more.
    """
    for attempt in range(1, MOST_LOSSES + 1):
        if not outcome.lost or outcome.plan.placement.resume == "never":
            break
        folder = outcome.folder
        restart = _last(folder, outcome.start_cycle, console)
        where = f"cycle {restart.cycle:,}" if restart else "its beginning"
        console.print(
            printable(f"lost {', '.join(outcome.lost)}: {outcome.message or 'no word of it'}"),
            style="red",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
        console.print(f"going on from {where} on the hosts that answer", highlight=False)
        record.note_left(folder, outcome.lost)
        _set_aside(folder, attempt)
        try:
            origin = _always(restart)
            plan = resolve(loaded)
            ready = make_ready(plan, None, console, origin, again=folder, beside=beside)
        except InputError as error:
            raise InputError(f"{folder}: the run cannot go on: {error}") from error
        outcome = collect(ready, console, beside)
    return outcome


def _always(restart: Restart | None) -> Callable[[Plan], Restart | None]:
    return lambda plan: restart


def _last(folder: Path, start_cycle: int, console: Console) -> Restart | None:
    """Return where a run can go on: its last whole snapshot, or where it began; None for cycle 0.

    What is wrong with others is printed.
    """

    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    try:
        found = last_sound(folder, say)
    except InputError as error:
        say(printable(str(error)))
        found = None
    if found is not None:
        return Restart(found.path, found.cycle)
    return restart_of(json.loads((folder / DESCRIPTION).read_text()), start_cycle)


def _set_aside(folder: Path, attempt: int) -> None:
    """Keep what exists, and make room for the same names; snapshots stay where they are."""
    aside = folder / f"{BEFORE}{attempt}"
    aside.mkdir()
    for path in folder.iterdir():
        if path.name != SNAPSHOTS_FOLDER and not path.name.startswith(BEFORE):
            path.rename(aside / path.name)
