# SPDX-License-Identifier: BSD-3-Clause
"""Simulates part of a run again to write the waves of a node, and opens a wave viewer."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from rich.console import Console

from firesim.run.replay import check_reached, chosen_run, replay
from firesim.topology.describe_signals import WAVES

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
    wanted = {"node": node, "start_cycle": start_cycle, "end_cycle": end_cycle, "scopes": scopes}
    changes = [f"simulation.waves=[{json.dumps(wanted)}]", f"simulation.max_cycles={end_cycle}"]
    chosen = chosen_run(folder)
    outcome = replay("waves", chosen, start_cycle, changes, overrides, results, console)
    check_reached("waves", outcome, start_cycle)
    return outcome.folder / node / WAVES


def open_viewer(file: Path) -> bool:
    """Open a file in the first wave viewer of this computer; return whether there is one."""
    for viewer in VIEWERS:
        if path := shutil.which(viewer):
            subprocess.Popen([path, file], start_new_session=True)
            return True
    return False
