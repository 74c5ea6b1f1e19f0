# SPDX-License-Identifier: BSD-3-Clause
"""Simulates part of a run again to write the waves of a node, and opens a wave viewer."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from rich.console import Console

from firesim.config.errors import InputError
from firesim.config.load import load_file
from firesim.run.folder import newest_folder, saved_config, saved_result
from firesim.run.runner import run
from firesim.run.snapshots import snapshots_of
from firesim.topology.describe import WAVES, Restart
from firesim.topology.plan import Plan

VIEWERS = ("surfer", "gtkwave")


def write_waves(
    folder: Path | None,
    node: str,
    start_cycle: int,
    end_cycle: int,
    scopes: list[str],
    overrides: list[str],
    results: Path | None,
    console: Console,
) -> Path:
    """Simulate the run in `folder` (default the newest) again to `end_cycle`; return the FST file.

    Raises:
        InputError: no such run, one that cannot be repeated, or no cycle of it was reached.
    """
    chosen = (folder or newest_folder() or Path()).absolute()
    config = saved_config(chosen, "waves")
    _check_repeatable(chosen)
    wanted = {"node": node, "start_cycle": start_cycle, "end_cycle": end_cycle, "scopes": scopes}
    more = [f"simulation.waves=[{json.dumps(wanted)}]", f"simulation.max_cycles={end_cycle}"]
    loaded = load_file(config, overrides)
    by_verilator = loaded.config.simulation.rtl_engine == "verilator"
    if by_verilator:
        more.append("simulation.rtl_engine=auto")
    loaded = load_file(config, [*overrides, *more])

    def origin(_: Plan) -> Restart | None:
        return None if by_verilator else _nearest(chosen, start_cycle)

    outcome = run(loaded, results=results, console=console, restart=origin)
    if outcome.exit_status not in (0, 1):
        raise InputError(f"waves: the run ended early: {outcome.message or outcome.reason}.")
    end = int(outcome.result["end_cycle"])
    if end <= start_cycle:
        raise InputError(
            f"waves: found the end of the run at cycle {end:,}, expected one after {start_cycle:,}."
        )
    return outcome.folder / node / WAVES


def _check_repeatable(folder: Path) -> None:
    if not saved_result(folder).get("deterministic", True):
        raise InputError(
            f"waves: found {folder}, which something from outside has entered, expected a run "
            "that can be repeated: set simulation.waves before such a run."
        )


def _nearest(folder: Path, cycle: int) -> Restart | None:
    """Return the last snapshot of a run at or before a cycle."""
    found = [snapshot for snapshot in snapshots_of(folder) if snapshot.cycle <= cycle]
    return Restart(found[-1].path, found[-1].cycle) if found else None


def open_viewer(file: Path) -> None:
    """Open a file in the first wave viewer there is.

    Raises:
        InputError: there is none.
    """
    for viewer in VIEWERS:
        if path := shutil.which(viewer):
            subprocess.Popen([path, file], start_new_session=True)
            return
    raise InputError(
        f"--open: found neither Surfer nor GTKWave, expected one of them in PATH: {file}"
    )
