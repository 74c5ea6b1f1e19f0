# SPDX-License-Identifier: BSD-3-Clause
"""Bare-metal nodes that ping and stream, saved on the functional blade, go on in RTL."""

from __future__ import annotations

import random

from regression.linux.warm_start.linux import NODES, shape
from regression.support.cluster import Config
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run
from regression.support.warm import WarmStart

SPAN = 0.1, 0.9
"""Between which parts of a run it is saved: at its end there is nothing left to go on with."""
LIMIT_CYCLES = 2_000_000_000
COLUMNS = (
    "saved (cycle)",
    "ended (cycle)",
    "run on (cycles)",
    "restore program (cycles)",
    "token hash",
    "verdict",
)
BARE_METAL: Config = {
    "system": {"topology": "two_nodes", "node": {"memory": {"size_mib": 16}}},
    "workload": "quickstart",
}


def random_cycles(
    rng: random.Random, whole: Run, points: int, span: tuple[float, float] = SPAN
) -> list[int]:
    """Return where in a run it is to be saved, in order."""
    first, last = (int(part * whole.end_cycle) for part in span)
    return sorted(rng.randrange(first, last) for _ in range(points))


def saved(experiment: Experiment, points: int) -> tuple[WarmStart, Run, list[int]]:
    """Run it on the functional blade, once to see how long it takes and once to save it."""
    folder = experiment.folder / "bare-metal"
    warm = WarmStart(experiment, BARE_METAL, folder)
    whole = warm.whole(LIMIT_CYCLES)
    cycles = random_cycles(random.Random(f"{experiment.seed} bare-metal"), whole, points)
    again = warm.save(cycles, LIMIT_CYCLES)
    if again.token_hash != whole.token_hash:
        raise ExperimentError(f"{folder}: being saved has changed the functional run.")
    return warm, whole, cycles


def problem(whole: Run, run: Run) -> str:
    """Return what is wrong with what a run prints that went on in RTL; empty: nothing."""
    for name in NODES:
        if not shape(whole.console(name)).endswith(shape(run.console(name))):
            return f"{name} does not print what is left to print"
    return ""


def warm_facts(run: Run) -> tuple[int, int]:
    """Return the most (cycles run on as functional, cycles of the restore program) of a node."""
    facts = [node["statistics"]["warm_start"] for node in run.result["nodes"]]
    return max(f["extra_cycles"] for f in facts), max(f["restore_cycles"] for f in facts)


def gone_on(warm: WarmStart, cycle: int) -> tuple[Run, str]:
    """Go on twice, to the end, from what was saved at `cycle`; return a run, and what is wrong."""
    runs = [warm.go_on(cycle, LIMIT_CYCLES, threads) for threads in (1, 2)]
    what = ""
    if runs[0].token_hash != runs[1].token_hash:
        what = f"hashes {runs[0].token_hash} and {runs[1].token_hash}"
    if runs[0].exit_status != 0:
        what = f"it ended with {runs[0].result['reason']}"
    return runs[0], what


def point(warm: WarmStart, whole: Run, cycle: int) -> tuple[list[object], str]:
    """Go on from what was saved at `cycle`; return cells for COLUMNS, and what is wrong."""
    run, what = gone_on(warm, cycle)
    return [cycle, run.end_cycle, *warm_facts(run), run.token_hash], what or problem(whole, run)


def bare_metal_points(experiment: Experiment, points: int) -> list[str]:
    """Save bare-metal nodes at random points and continue each; return what went wrong."""
    warm, whole, cycles = saved(experiment, points)
    wrong, rows = [], []
    for cycle in cycles:
        cells, what = point(warm, whole, cycle)
        if what:
            wrong.append(f"bare metal at cycle {cycle}: {what}")
        rows.append([*cells, what or "ok"])
    experiment.table("Warm starts of bare metal", COLUMNS, rows)
    return wrong
