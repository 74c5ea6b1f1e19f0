# SPDX-License-Identifier: BSD-3-Clause
"""The speed ledger: blade against plain Verilator, the cost of a flowing trace, switch and links.

Both sides of every comparison run here, in one run, on one host: node-cycles per second of a blade
alone under plain Verilator and inside a running cluster; the same with the trace flowing and call
stacks built; a 32-port switch with its links, idle and at full load. Figures are CPU time.
"""

from __future__ import annotations

import argparse

from regression.ledger.speed.blade import GOAL_RATIO, GOAL_TRACE_SLOWDOWN, measure_blade
from regression.ledger.speed.switch import GOAL_TIMES_LESS, measure_switch, plot_switch
from regression.support.experiment import Experiment, Verdict, experiment_named


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--part", choices=("all", "blade", "switch"), default="all")
    parser.add_argument(
        "--engine",
        choices=("auto", "verilator"),
        default="auto",
        help="engine of the cluster; verilator shows what everything around the blade costs",
    )
    parser.add_argument("--ports", type=int, default=32, help="ports of the switch")
    parser.add_argument("--repeats", type=int, default=0, help="runs of which the median is taken")


@experiment_named("speed", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every aim is met."""
    figures, goals, holds = [], [], True
    part: str = experiment.arguments.part
    if part in ("blade", "all"):
        ratio, slowdown = measure_blade(experiment)
        experiment.keep(ratio=ratio, trace_slowdown=slowdown)
        figures.append(f"cluster {ratio:.2f} of plain Verilator, trace {slowdown:.2f} x slower")
        goals.append(f"{GOAL_RATIO} and {GOAL_TRACE_SLOWDOWN} x")
        holds = holds and ratio >= GOAL_RATIO and slowdown <= GOAL_TRACE_SLOWDOWN
    if part in ("switch", "all"):
        medians = measure_switch(experiment)
        experiment.note_file(plot_switch(experiment, medians))
        experiment.keep(switch=medians)
        times = {mode: middle["times_less"] for mode, middle in medians.items()}
        figures.append(f"switch {times['idle']:.0f} x less idle, {times['loaded']:.1f} x loaded")
        goals.append(f"{GOAL_TIMES_LESS['idle']:.0f} x and {GOAL_TIMES_LESS['loaded']:.0f} x")
        holds = holds and all(times[mode] >= goal for mode, goal in GOAL_TIMES_LESS.items())
    return Verdict(holds, "; ".join(figures) + ",", "; ".join(goals), timed_only=True)
