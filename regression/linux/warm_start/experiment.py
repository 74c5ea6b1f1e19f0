# SPDX-License-Identifier: BSD-3-Clause
"""Nodes saved on the functional blade go on in RTL: in a boot and in a network transfer.

Two nodes ping and stream over a switch, bare-metal or with Linux, on the functional blade, and are
saved at seeded random cycles. Each snapshot goes on in RTL. Bare-metal ones run to the end, twice
and with different threads: every node must pass, print what is left to print, and give one token
hash. Linux ones, half of them in the boot, go on for a stretch in which no kernel may complain, the
consoles go on as they did, and pings are answered; the first and the last with different threads.
Then pings in RTL must take four link latencies more for each cycle of latency, and the time from
built artefacts to the first RTL cycle of a guest's region of interest is measured.
"""

from __future__ import annotations

import argparse
import random

from regression.linux.warm_start.linux import (
    NODES,
    SLOPE_GOAL,
    SLOPE_TOLERANCE,
    linux_points,
    region_start_s,
    shape,
    slope,
)
from regression.support.cluster import Config
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.simulate import Run
from regression.support.warm import WarmStart

POINTS, QUICK_POINTS = 20, 2
EARLIEST, LATEST = 0.1, 0.9
"""Between which parts of a run it is saved: at its end there is nothing left to go on with."""
REGION_GOAL_S = 30.0
LIMIT_CYCLES = 2_000_000_000
BARE_METAL: Config = {
    "system": {"topology": "two_nodes", "node": {"memory": {"size_mib": 16}}},
    "workload": "quickstart",
}


def saved(experiment: Experiment, points: int) -> tuple[WarmStart, Run, list[int]]:
    """Run it on the functional blade, once to see how long it takes and once to save it."""
    folder = experiment.folder / "bare-metal"
    warm = WarmStart(experiment, BARE_METAL, folder)
    whole = warm.whole(LIMIT_CYCLES)
    rng = random.Random(f"{experiment.seed} bare-metal")
    end = whole.end_cycle
    cycles = sorted(rng.randrange(int(EARLIEST * end), int(LATEST * end)) for _ in range(points))
    again = warm.save(cycles, LIMIT_CYCLES)
    if again.token_hash != whole.token_hash:
        raise ExperimentError(f"{folder}: being saved has changed the functional run.")
    return warm, whole, cycles


def problem(whole: Run, run: Run) -> str:
    """Return what is wrong with a run that went on in RTL; empty when nothing is."""
    if run.exit_status != 0:
        return f"it ended with {run.result['reason']}"
    for name in NODES:
        if not shape(whole.console(name)).endswith(shape(run.console(name))):
            return f"{name} does not print what is left to print"
    return ""


def warm_facts(run: Run) -> tuple[int, int]:
    """Return the most (cycles run on as functional, cycles of the restore program) of a node."""
    facts = [node["statistics"]["warm_start"] for node in run.result["nodes"]]
    return max(f["extra_cycles"] for f in facts), max(f["restore_cycles"] for f in facts)


def bare_metal_points(experiment: Experiment, points: int) -> list[str]:
    """Save bare-metal nodes at random points and continue each; return what went wrong."""
    warm, whole, cycles = saved(experiment, points)
    wrong, rows = [], []
    for cycle in cycles:
        runs = [warm.go_on(cycle, LIMIT_CYCLES, threads) for threads in (1, 2)]
        what = problem(whole, runs[0])
        if runs[0].token_hash != runs[1].token_hash:
            what = f"hashes {runs[0].token_hash} and {runs[1].token_hash}"
        if what:
            wrong.append(f"bare metal at cycle {cycle}: {what}")
        extra, restore = warm_facts(runs[0])
        rows.append([cycle, runs[0].end_cycle, extra, restore, runs[0].token_hash, what or "ok"])
    experiment.table(
        "Warm starts of bare metal",
        [
            "saved (cycle)",
            "ended (cycle)",
            "run on (cycles)",
            "restore program (cycles)",
            "token hash",
            "verdict",
        ],
        rows,
    )
    return wrong


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--points", type=int, default=0, help="snapshots of each guest, bare-metal and Linux"
    )

    parser.add_argument("--blade", default="rocket-1", help="blade of the Linux nodes")


@experiment_named("warm-start", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every snapshot goes on in RTL."""
    points = experiment.arguments.points or (QUICK_POINTS if experiment.quick else POINTS)
    wrong = [*bare_metal_points(experiment, points), *linux_points(experiment, points)]
    for text in wrong:
        experiment.say(text)
    total = 2 * points
    experiment.keep(points=total, wrong=wrong)
    figure = f"{total - len(wrong)} of {total} functional snapshots go on in RTL,"
    if experiment.quick:
        return Verdict(not wrong, figure, "all of them")
    growth, region_s = slope(experiment), region_start_s(experiment)
    experiment.keep(slope=growth, region_start_s=region_s)
    right = not wrong and abs(growth - SLOPE_GOAL) <= SLOPE_TOLERANCE
    return Verdict(
        right and region_s < REGION_GOAL_S,
        f"{figure} ping slope {growth:.3f} l, region of interest in RTL after {region_s:.1f} s,",
        f"all of them, slope {SLOPE_GOAL:g} and {REGION_GOAL_S:g} s",
        timed_only=right,
    )
