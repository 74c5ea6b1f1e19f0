# SPDX-License-Identifier: BSD-3-Clause
"""Simulates part of a run again: it is the same in every cycle each time, so that what nobody
recorded can still be seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.pipeline.collect import BAD_DESCRIPTION
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.snapshots.files import read_snapshot, snapshots_of
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from firesim.work.folder import newest_folder, saved_config, saved_result

ORIGINAL = "replay-of.txt"
"""In the results of a replay: the folder of the run it repeats."""


def chosen_run(folder: Path | None) -> Path:
    """Return the folder of the run to repeat: the one given, or the newest that is no replay."""
    if folder is not None:
        return folder.absolute()
    newest = (newest_folder() or Path()).absolute()
    original = newest / ORIGINAL
    return Path(original.read_text().strip()) if original.is_file() else newest


def planned(
    what: str, folder: Path, from_cycle: int, changes: list[str], overrides: list[str]
) -> tuple[Loaded, Callable[[Plan], Restart | None]]:
    """Return the configuration of the run in `folder` with `changes`, and where it goes on.

    That is its last snapshot at or before `from_cycle`. `changes` are overrides of ours,
    `overrides` those of the user; `what` begins sentences. The nodes run on the generated engine,
    as only that one shows what is inside.

    Raises:
        InputError: no such run, or one that cannot be repeated.
    """
    config = saved_config(folder, what)
    check_repeats(what, folder, saved_result(folder))
    by_verilator = load_file(config, overrides).config.simulation.rtl_engine == "verilator"
    if by_verilator:
        changes = [*changes, "simulation.rtl_engine=auto"]
    loaded = load_file(config, [*overrides, *changes])
    origin = _origin(what, folder, from_cycle)
    if not by_verilator:  # The snapshots of Verilator are of no use to another engine.
        origin = _nearest(folder, from_cycle, origin)

    return loaded, lambda _: origin


def replay(
    what: str,
    folder: Path,
    from_cycle: int,
    changes: list[str],
    overrides: list[str],
    results: Path | None,
    console: Console,
    restart: Restart | None = None,
) -> Outcome:
    """Simulate a run again, as `planned` says, or from `restart` on.

    Raises:
        InputError: no such run, one that cannot be repeated, or it did not end as it should.
    """
    loaded, origin = planned(what, folder, from_cycle, changes, overrides)
    outcome = run(
        loaded, results=results, console=console, restart=lambda plan: restart or origin(plan)
    )
    (outcome.folder / ORIGINAL).write_text(f"{folder}\n")
    check_ran(what, outcome)
    return outcome


def check_repeats(what: str, folder: Path, result: dict[str, Any]) -> None:
    """Refuse a run whose cycles are not the same each time; `result` is its result.json.

    Raises:
        InputError: something from outside, such as typing at a console, has entered it.
    """
    if not result.get("deterministic", True):
        raise InputError(
            f"{what}: found {folder}, which something from outside has entered, expected a run "
            "that can be repeated. To look at such a run, go on from a snapshot of it: firesim "
            "runworkload --from SNAPSHOT."
        )


def check_ran(what: str, outcome: Outcome) -> None:
    """Refuse a run that did not come to its end, saying why.

    Raises:
        InputError: it did not.
    """
    if outcome.exit_status == BAD_DESCRIPTION:
        raise InputError(f"{what}: {outcome.message}")
    if outcome.exit_status not in (0, 1):
        raise InputError(f"{what}: the run ended early: {outcome.message or outcome.reason}.")


def check_reached(what: str, outcome: Outcome, cycle: int) -> None:
    """Refuse a run that ended before a cycle.

    Raises:
        InputError: it did.
    """
    end = int(outcome.result["end_cycle"])
    if end <= cycle:
        raise InputError(
            f"{what}: found the end of the run at cycle {end:,}, expected one after {cycle:,}."
        )


def _origin(what: str, folder: Path, cycle: int) -> Restart | None:
    """Return the snapshot from which a run itself began, None for one from cycle 0."""
    try:
        description: dict[str, Any] = json.loads((folder / "description.json").read_text())
    except (OSError, ValueError):
        return None
    if "restore" not in description:
        return None
    snapshot = read_snapshot(Path(description["restore"]["snapshot"]))
    if cycle < snapshot.cycle:
        raise InputError(
            f"{what}: found cycle {cycle:,}, expected one from {snapshot.cycle:,} on, where "
            f"{folder} began from a snapshot."
        )
    nodes = description["nodes"]
    sources = {node["name"]: node["restore_from"] for node in nodes if "restore_from" in node}
    return Restart(snapshot.path, snapshot.cycle, sources)


def _nearest(folder: Path, cycle: int, origin: Restart | None) -> Restart | None:
    """Return the last snapshot of a run at or before a cycle, else where the run began."""
    found = [snapshot for snapshot in snapshots_of(folder) if snapshot.cycle <= cycle]
    return Restart(found[-1].path, found[-1].cycle) if found else origin
