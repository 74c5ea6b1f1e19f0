# SPDX-License-Identifier: BSD-3-Clause
"""Nodes saved on the functional blade go on in RTL: in a boot and in a network transfer.

Two nodes ping and stream over a switch, bare-metal or with Linux, on the functional blade, and are
saved at seeded random cycles. Each snapshot goes on in RTL. Bare-metal ones run to the end, twice
and with different threads: every node must pass, print what is left to print, and give one token
hash. Linux ones, half of them in the boot, go on for a stretch in which no kernel may complain, the
consoles go on as they did, and pings are answered; the first and the last with different threads.
A lone node, its caches filled, must have the registers and the memory of the functional node.
Then pings in RTL must take four link latencies more for each cycle of latency, and the time from
built artefacts to the first RTL cycle of a guest's region of interest is measured.
"""

from __future__ import annotations

import argparse

from regression.linux.warm_start.bare_metal import bare_metal_points
from regression.linux.warm_start.blades import every_blade
from regression.linux.warm_start.equal import differences
from regression.linux.warm_start.linux import (
    SLOPE_GOAL,
    SLOPE_TOLERANCE,
    linux_points,
    region_start_s,
    slope,
)
from regression.support.experiment import Experiment, Verdict, experiment_named

POINTS, QUICK_POINTS = 20, 2
REGION_GOAL_S = 30.0


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--points", type=int, default=0, help="snapshots of each guest, bare-metal and Linux"
    )
    parser.add_argument("--blade", default="rocket-1", help="blade of the Linux nodes")
    parser.add_argument(
        "--every-blade",
        action="store_true",
        help="only the bare-metal nodes, once with each stock blade, all of which are built",
    )
    parser.add_argument(
        "--blades", default="", help="with --every-blade: names of blades, with commas between"
    )


@experiment_named("warm-start", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every snapshot goes on in RTL."""
    if experiment.arguments.every_blade:
        names = [name for name in experiment.arguments.blades.split(",") if name]
        wrong, gone_on = every_blade(experiment, names)
        for text in wrong:
            experiment.say(text)
        experiment.keep(gone_on=gone_on, wrong=wrong)
        figure = f"{gone_on} stock blades go on in RTL, {len(wrong)} are not as they should be,"
        return Verdict(not wrong, figure, "none")
    points = experiment.arguments.points or (QUICK_POINTS if experiment.quick else POINTS)
    wrong = [*bare_metal_points(experiment, points), *linux_points(experiment, points)]
    compared, differ = differences(experiment, "rocket-1")
    experiment.say(f"a node's {compared} registers and its memory: {differ or 'equal'}")
    experiment.keep(registers_compared=compared, differ=differ)
    wrong += [differ] if differ else []
    for text in wrong:
        experiment.say(text)
    total = 2 * points + 1  # and the lone node
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
