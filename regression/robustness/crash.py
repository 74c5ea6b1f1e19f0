# SPDX-License-Identifier: BSD-3-Clause
"""A simulator killed at random moments goes on from its last snapshot as if nothing had happened.

Two functional nodes ping and stream, saved automatically every few milliseconds. The process is
killed (SIGKILL) at a random moment, also in the middle of writing; a new one goes on from the
newest complete snapshot, and must end with the hash of a run that was never killed. What a killed
run leaves is checked: no more snapshots than it was to keep and the one being made, at most one
that is not complete, and the run that goes on leaves none; no process and no shared memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from firesim.build.launch import start

from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.simulate import Run
from regression.support.snapshots import Simulated, outcome, pair_config, saved_folders

KEEP = 2
INTERVAL_S = 0.03


@dataclass(frozen=True)
class Crash:
    """What was found after one kill."""

    killed_after_s: float
    start_cycle: int
    equal: bool
    left_behind: str
    torn: bool
    """The kill came while a snapshot was being written."""


def _kill_at(system: Simulated, folder: Path, delay_s: float) -> None:
    folder.mkdir(parents=True)
    snapshots = {"directory": "snapshots", "interval_s": INTERVAL_S, "keep": KEEP}
    description = {**system.description, "results": str(folder), "snapshots": snapshots}
    file = folder / "description.json"
    file.write_text(json.dumps(description, indent=1))
    with (folder / "run.log").open("w") as log:
        process = start(file, log, own_group=True)
    time.sleep(delay_s)
    process.send_signal(signal.SIGKILL)
    process.wait()


def _left_behind(killed: Path, again: Run | None, shared_before: set[str]) -> str:
    """Return what should not be there, or nothing."""
    partial = list(killed.glob("snapshots/*.partial"))
    if len(partial) > 1:
        return f"{len(partial)} unfinished snapshots"
    complete = saved_folders(killed)
    if len(complete) > KEEP + 1:
        return f"{len(complete)} snapshots"
    if again is not None and list(again.folder.glob("snapshots/*.partial")):
        return "an unfinished snapshot of a run that ended"
    shared = set(os.listdir("/dev/shm")) - shared_before
    mine = sorted(name for name in shared if "firesim" in name)
    return f"/dev/shm/{mine[0]}" if mine else ""


def _crash(system: Simulated, whole: Run, index: int, delay_s: float) -> Crash:
    shared_before = set(os.listdir("/dev/shm"))
    folder = system.folder / f"killed-{index:02d}"
    _kill_at(system, folder, delay_s)
    torn = bool(list(folder.glob("snapshots/*.partial")))
    found = saved_folders(folder)
    again = system.run(
        f"resumed-{index:02d}",
        restore=found[-1] if found else None,
        snapshots={"directory": "snapshots", "interval_s": INTERVAL_S, "keep": KEEP},
    )
    return Crash(
        killed_after_s=delay_s,
        start_cycle=int(again.result["start_cycle"]),
        equal=outcome(again) == outcome(whole),
        left_behind=_left_behind(folder, again, shared_before),
        torn=torn,
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=0, help="how many runs are killed")


@experiment_named("crash", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every run goes on as if it had never been killed."""
    count: int = experiment.arguments.kills or (3 if experiment.quick else 50)
    rng = random.Random(experiment.seed)
    pings = 100 if experiment.quick else 400
    system = Simulated(experiment, pair_config("functional", pings, 1 << 20), "crash")
    whole = system.run("whole", snapshots={"directory": "snapshots", "interval_s": INTERVAL_S})
    longest_s = whole.process_wall_s
    crashes = [_crash(system, whole, index, rng.uniform(0.02, longest_s)) for index in range(count)]
    experiment.table(
        "Killed and gone on",
        ["killed after (s)", "went on at (cycle)", "equal", "killed while writing", "left behind"],
        [
            [
                f"{crash.killed_after_s:.3f}",
                f"{crash.start_cycle:,}",
                "yes" if crash.equal else "NO",
                "yes" if crash.torn else "no",
                crash.left_behind or "nothing",
            ]
            for crash in crashes
        ],
    )
    equal = sum(crash.equal for crash in crashes)
    clean = sum(not crash.left_behind for crash in crashes)
    warm = sum(crash.start_cycle > 0 for crash in crashes)
    torn = sum(crash.torn for crash in crashes)
    experiment.keep(kills=count, equal=equal, clean=clean, from_snapshot=warm, torn=torn)
    return Verdict(
        equal == clean == count and warm > 0,
        f"{equal} of {count} killed runs ended with the same hash ({warm} from a snapshot, {torn} "
        f"killed while writing one), {count - clean} left something behind,",
        f"{count} equal ones, at least one from a snapshot, and nothing left behind",
    )
