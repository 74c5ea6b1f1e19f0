"""Nodes saved on the functional blade go on in RTL: at random moments of a network transfer.

Two nodes ping and stream over a switch, or boot Linux, on the functional blade, and are saved at
seeded random cycles. Each snapshot goes on in RTL, bare-metal ones to the end, twice and with
different threads: every node must pass, print what is left to print, and give one token hash.
Linux goes on for a stretch in which the kernel must not complain.
"""

from __future__ import annotations

import argparse
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment, ExperimentError, Verdict, run_experiment
from regression.support.simulate import Run, simulate

NODES = ("node0", "node1")
POINTS, QUICK_POINTS = 20, 2
LINUX_CYCLES = 400_000
"""For which Linux goes on in RTL, unless it ends before."""
EARLIEST, LATEST = 0.1, 0.9
"""Between which parts of a run it is saved: at its end there is nothing left to go on with."""
COMPLAINT = re.compile(
    r"BUG:|Oops|Call Trace|Kernel panic|Unable to handle|WARNING:|rcu.*stall|soft lockup"
    r"|nobody cared|transmit queue.*timed out|Hardware error|segfault|illegal instruction"
)
NUMBER = re.compile(r"\d+(\.\d+)?")

Description = dict[str, Any]


@dataclass(frozen=True)
class Guest:
    """What runs on both nodes."""

    name: str
    config: Config
    linux: bool


BARE_METAL = Guest(
    "bare-metal",
    {
        "system": {"topology": "two_nodes", "node": {"memory": {"size_mib": 16}}},
        "workload": "quickstart",
    },
    linux=False,
)
LINUX = Guest(
    "linux",
    {"system": {"topology": "two_nodes"}, "workload": {"node": {"linux": "linux-ping"}}},
    linux=True,
)


def describe(experiment: Experiment, guest: Guest, engine: str, folder: Path) -> Description:
    """Return the description of the guest's run on one engine."""
    config = merged(guest.config, {"simulation": {"engine": engine, "max_cycles": 2_000_000_000}})
    return Cluster(experiment, config).description(folder)


def saved(experiment: Experiment, guest: Guest, points: int) -> tuple[Run, list[int]]:
    """Run the guest on the functional blade, once to see how long it takes and once to save it."""
    folder = experiment.folder / guest.name
    whole = simulate(describe(experiment, guest, "functional", folder), folder / "whole")
    rng = random.Random(f"{experiment.seed} {guest.name}")
    end = whole.end_cycle
    cycles = sorted(rng.randrange(int(EARLIEST * end), int(LATEST * end)) for _ in range(points))
    description = describe(experiment, guest, "functional", folder)
    description["snapshots"] = {"directory": str(folder / "snapshots"), "at_cycles": cycles}
    again = simulate(description, folder / "saved")
    if again.token_hash != whole.token_hash:
        raise ExperimentError(f"{folder}: being saved has changed the functional run.")
    return whole, cycles


def go_on(experiment: Experiment, guest: Guest, cycle: int, threads: int) -> Run:
    """Continue a snapshot in RTL."""
    folder = experiment.folder / guest.name
    description = describe(experiment, guest, "rtl", folder)
    description["restore"] = {"snapshot": str(folder / "snapshots" / f"cycle-{cycle}")}
    description["threads"] = threads
    if guest.linux:
        description["max_cycles"] = cycle + LINUX_CYCLES
    expect = (0, 1) if guest.linux else (0,)
    return simulate(description, folder / f"rtl-{cycle}-{threads}", expect=expect)


def shape(console: str) -> str:
    """Return what a console says, whatever the numbers: those are the engine's."""
    return NUMBER.sub("#", console.replace("\r", ""))


def problem(guest: Guest, whole: Run, run: Run) -> str:
    """Return what is wrong with a run that went on in RTL; empty when nothing is."""
    for name in NODES:
        console = run.console(name)
        if guest.linux:
            found = COMPLAINT.search(console)
            if found:
                return f"{name} says {found[0]!r}"
        elif not shape(whole.console(name)).endswith(shape(console)):
            return f"{name} does not print what is left to print"
    return ""


def warm_facts(run: Run) -> tuple[int, int]:
    """Return the most (cycles run on as functional, cycles of the restore program) of a node."""
    facts = [node["statistics"]["warm_start"] for node in run.result["nodes"]]
    return max(f["extra_cycles"] for f in facts), max(f["restore_cycles"] for f in facts)


def measure(experiment: Experiment, guest: Guest, points: int) -> list[str]:
    """Save the guest at so many points and continue each; return what went wrong."""
    whole, cycles = saved(experiment, guest, points)
    wrong, rows = [], []
    for cycle in cycles:
        runs = [go_on(experiment, guest, cycle, threads) for threads in (1, 2)]
        what = problem(guest, whole, runs[0])
        if runs[0].token_hash != runs[1].token_hash:
            what = f"hashes {runs[0].token_hash} and {runs[1].token_hash}"
        if what:
            wrong.append(f"{guest.name} at cycle {cycle}: {what}")
        extra, restore = warm_facts(runs[0])
        rows.append([cycle, runs[0].end_cycle, extra, restore, runs[0].token_hash, what or "ok"])
    experiment.table(
        f"Warm starts of {guest.name}",
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


def _measure(experiment: Experiment) -> Verdict:
    points = experiment.arguments.points or (QUICK_POINTS if experiment.quick else POINTS)
    guests = [BARE_METAL] if experiment.quick else [BARE_METAL, LINUX]
    wrong = [text for guest in guests for text in measure(experiment, guest, points)]
    for text in wrong:
        experiment.say(text)
    total = points * len(guests)
    experiment.keep(points=total, wrong=wrong)
    figure = f"{total - len(wrong)} of {total} functional snapshots go on in RTL,"
    return Verdict(not wrong, figure, "all of them")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--points", type=int, default=0, help="snapshots of each guest")


def run(argv: list[str]) -> int:
    """Run the experiment; return 0 when every snapshot goes on in RTL."""
    return run_experiment("warm-start", __doc__, argv, _measure, _arguments)
