# SPDX-License-Identifier: BSD-3-Clause
"""Simulates a run twice more: to the event, or the end, as was recorded, then around the event.

The first replay sees to it that nothing has changed since: software, models, tools. It saves the
simulation shortly before the event, where the second one begins, with all instruments on.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from rich.console import Console

from firesim.run.control import is_running
from firesim.run.replay import check_reached, check_repeats, replay
from firesim.snapshots.files import snapshots_of
from firesim.timeline.window import Window
from firesim.topology.describe import Restart
from firesim.work.folder import saved_config, saved_result

WHY = "why"
CHECKED, LOOKED = "checked", "replay"
"""Folders of the two replays; the first one is deleted in the end."""
FEWEST_CYCLES = 50_000
"""A replay of fewer cycles than these begins where the run did, and needs no snapshot."""
SAVED = 8
"""Snapshots of the first replay while nobody knows the event's cycle."""
TIMELINE_MIB = 64


@dataclass(frozen=True)
class Recorded:
    """A finished run that can be simulated again."""

    folder: Path
    result: dict[str, Any]
    overrides: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether it came to its own end, so that it has a token hash to compare."""
        return self.result["reason"] in ("ended", "max_cycles", "assert")

    @property
    def end_cycle(self) -> int:
        """Where it ended."""
        return int(self.result["end_cycle"])

    @property
    def start_cycle(self) -> int:
        """Where it began."""
        return int(self.result.get("start_cycle", 0))


def recorded(folder: Path, overrides: list[str]) -> Recorded:
    """Return the run in a folder.

    Raises:
        InputError: it goes on, has no result, or cannot be repeated.
    """
    saved_config(folder, WHY)
    if is_running(folder):
        raise InputError(
            f"why: found {folder}, which still runs, expected a finished run (firesim kill ends "
            "it; firesim gdb looks into one that runs)."
        )
    result = saved_result(folder)
    if "end_cycle" not in result or "reason" not in result:
        raise InputError(f"why: found no whole result.json in {folder}, expected a finished run.")
    check_repeats(WHY, folder, result)
    found = Recorded(folder, result, overrides)
    if found.is_whole and not result.get("token_hash"):
        raise InputError(
            f"why: found {folder}, which has no token hash, as with a functional network, expected "
            "a run with exact cycles (-x simulation.network.mode=exact)."
        )
    return found


def checked(
    run_: Recorded, window: Window | None, results: Path, console: Console, *, stops: bool
) -> tuple[Path, str]:
    """Simulate a run once more; return its results and what was compared, in words.

    With `stops`, the replay goes to the end of the window, and nothing is compared here.

    Raises:
        InputError: it did not end as the recorded one, or cannot be repeated.
    """
    began = run_.start_cycle
    if window is None:
        step = max(FEWEST_CYCLES, (run_.end_cycle - began) // SAVED)
        at_cycles = list(range(began + step, run_.end_cycle, step))
    else:
        at_cycles = [window.first] if window.first >= began + FEWEST_CYCLES else []
    changes = [*_observed(), f"simulation.snapshots.at_cycles={at_cycles}"]
    if window is not None and stops:
        changes.append(f"simulation.max_cycles={window.end}")
    elif not run_.is_whole:
        changes.append(f"simulation.max_cycles={run_.end_cycle}")
    first = began if window is None else window.first
    outcome = replay(WHY, run_.folder, first, changes, run_.overrides, results, console)
    if stops:
        return outcome.folder, ""
    if not run_.is_whole:
        return outcome.folder, f"no hash to compare: the run was {run_.result['reason']}"
    _compare(run_, outcome.result)
    return outcome.folder, f"token hash {run_.result['token_hash']}, as recorded"


def _compare(run_: Recorded, result: dict[str, Any]) -> None:
    for key in ("token_hash", "end_cycle", "message"):
        if result.get(key) != run_.result.get(key):
            raise InputError(
                f"why: found {key} {json.dumps(result.get(key))} in the replay of {run_.folder}, "
                f"expected {json.dumps(run_.result.get(key))} of that run: the files it was made "
                "of (recipe, software, hardware, this FireSim) have changed since."
            )


def looked(
    run_: Recorded,
    before: Path,
    window: Window,
    node: str | None,
    more: list[str],
    results: Path,
    console: Console,
) -> Path:
    """Simulate a window of a run with all instruments on; return the results.

    `before` has the results of `checked`; `node` is the one whose waves are written, if any; `more`
    are overrides of ours.

    Raises:
        InputError: it did not get that far.
    """
    interval = max(1, (window.end - window.first) // 20)
    changes = [
        *_observed(),
        "simulation.snapshots.at_cycles=[]",
        f"simulation.max_cycles={_last(run_, window)}",
        "simulation.autocounter.enabled=true",
        f"simulation.autocounter.interval_cycles={interval}",
        'simulation.autocounter.trigger={"kind": "always"}',
        *more,
    ]
    if node is not None:
        waves = {"node": node, "start_cycle": window.first, "end_cycle": window.end}
        changes.append(f"simulation.waves=[{json.dumps(waves)}]")
    saved = [one for one in snapshots_of(before) if one.cycle <= window.first]
    restart = Restart(saved[-1].path, saved[-1].cycle) if saved else None
    outcome = replay(
        WHY, run_.folder, window.first, changes, run_.overrides, results, console, restart
    )
    check_reached(WHY, outcome, window.first)
    return outcome.folder


def _last(run_: Recorded, window: Window) -> int:
    """Return where the second replay ends at the latest; an assert ends it by itself."""
    limited = run_.result["reason"] == "max_cycles" or not run_.is_whole
    return min(window.end, run_.end_cycle) if limited else window.end


def _observed() -> list[str]:
    """Return what both replays observe: call stacks, consoles with cycles, packets."""
    return [
        "simulation.timeline.enabled=true",
        f"simulation.timeline.limit_mib={TIMELINE_MIB}",
        "simulation.tracing.nodes=null",
        'simulation.tracing.trigger={"kind": "always"}',
        "simulation.captures=true",
        "simulation.snapshots.interval=null",
        "simulation.snapshots.interval_cycles=0",
        "simulation.warm_up_cycles=0",
    ]


def forget(folder: Path) -> None:
    """Delete the results of the first replay."""
    shutil.rmtree(folder, ignore_errors=True)
