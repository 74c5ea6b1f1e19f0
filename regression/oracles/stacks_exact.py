# SPDX-License-Identifier: BSD-3-Clause
"""Stacks of programs in the trace of a Linux node in RTL, against what the programs know.

A process, its thread, its child and the program that the child becomes read the cycle counter at
each entry and exit of their functions: calls, recursion, a tail call, page faults, system calls and
a signal. The node boots on the functional blade and goes on in RTL where the first of them begins.
Cycles of each stack in the flame graph, with those of the kernel on top, are compared with what
the programs print. A run without a trace must end in the same cycle, with the same token hash and
the same console.
"""

from __future__ import annotations

import re
from collections import Counter

from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.simulate import Run
from regression.support.warm import WarmStart, region_cycle

GOAL_PERCENT = 99.9
BOOT_LIMIT_CYCLES = 64_000_000
REGION_CYCLES = 24_000_000
"""For which the node goes on in RTL at most; it powers off before."""
NODE: Config = {
    "system": {
        "topology": "rack_1",
        "node": {
            "blade": "rocket-1",
            "memory": {"size_mib": 32, "timing": {"model": "fixed", "latency_cycles": 10}},
        },
    },
    "workload": {"node": {"linux": "linux-stacks"}},
}
TRACED: Config = {
    "simulation": {"tracing": {"enabled": True, "outputs": ["folded"], "processes": True}}
}
PROGRAM = "stacks"
TOP = {"work", "signals"}
"""The functions below which everything is noted."""
TRUTH = re.compile(r"^truth (\w+) (\S+) (\d+)\r?$", re.MULTILINE)
NOT_NOTED = {"[signal]", "[vdso]"}
"""What the kernel has between a function and its signal's handler, and behind that."""
KERNEL = re.compile(r"^\[(system call|exception|interrupt)\b")
LABEL = re.compile(rf"^{PROGRAM}-(\d+)(?:/(\d+))?$")

Stacks = Counter[tuple[str, str]]
"""Cycles by who (process, thread or child) and the functions, joined by `;`."""


def told(console: str) -> Stacks:
    """Return what the programs printed; the child and the program that it becomes are one."""
    found: Stacks = Counter()
    for who, path, cycles in TRUTH.findall(console):
        found["child" if who == "program" else who, path] += int(cycles)
    return found


def traced(folded: str) -> Stacks:
    """Return the stacks of programs in a trace, each with the cycles of the kernel above it."""
    lines = [line.rsplit(" ", 1) for line in folded.splitlines()]
    stacks = [(path.split(";"), int(cycles)) for path, cycles in lines]
    labels = [LABEL.match(frames[1]) for frames, _ in stacks if len(frames) > 1]
    first = min((int(label[1]) for label in labels if label), default=0)
    found: Stacks = Counter()
    for frames, cycles in stacks:
        label = LABEL.match(frames[1]) if len(frames) > 1 else None
        if label is None:
            continue
        user = frames[2:]
        above = next((i for i, frame in enumerate(user) if KERNEL.match(frame)), len(user))
        user = [frame for frame in user[:above] if frame not in NOT_NOTED]
        below = next((i for i, frame in enumerate(user) if frame in TOP), None)
        if below is None:
            continue
        who = "thread" if label[2] else "process" if int(label[1]) == first else "child"
        found[who, ";".join(user[below:])] += cycles
    return found


def compared(experiment: Experiment, truth: Stacks, found: Stacks) -> float:
    """Return the percentage of the programs' cycles that the trace has where they belong."""
    rows = []
    for who, path in sorted(truth.keys() | found.keys()):
        known, seen = truth[who, path], found[who, path]
        rows.append([f"{who} {path}", f"{known:,}", f"{seen:,}", f"{seen - known:+,}"])
    experiment.table("Cycles of stacks", ["stack", "told", "traced", "difference"], rows)
    right = sum(min(known, found[key]) for key, known in truth.items())
    return 100 * right / max(1, sum(truth.values()))


def _go_on(warm: WarmStart, at: int, threads: int) -> Run:
    run = warm.go_on(at, at + REGION_CYCLES, threads)
    if "stacks are done" not in run.console("node0"):
        raise ExperimentError(f"{run.folder}: the programs have not ended, see its uart.log.")
    return run


@experiment_named("stacks-exact")
def main(experiment: Experiment) -> Verdict:
    """Run the experiment."""
    warm = WarmStart(experiment, NODE, experiment.folder)
    at = region_cycle(warm.whole(BOOT_LIMIT_CYCLES))
    warm.save([at])
    plain = _go_on(warm, at, 1)
    warm.rtl = Cluster(experiment, merged(NODE, TRACED)).description(experiment.folder / "traced")
    run = _go_on(warm, at, 2)
    same = (run.token_hash, run.end_cycle) == (plain.token_hash, plain.end_cycle)
    same &= run.console("node0") == plain.console("node0")
    truth = told(run.console("node0"))
    folded = (run.folder / "node0" / "trace" / "hart0.folded").read_text()
    percent = compared(experiment, truth, traced(folded))
    who = sorted({who for who, _ in truth})
    experiment.keep(percent=percent, stacks=len(truth), cycles=sum(truth.values()), same=same)
    return Verdict(
        percent >= GOAL_PERCENT and same and who == ["child", "process", "thread"],
        f"{percent:.3f} % of {sum(truth.values()):,} cycles in {len(truth)} stacks of {len(who)} "
        f"tasks right, {'the same run' if same else 'another run'} as without a trace "
        f"(hash {run.token_hash}, cycle {run.end_cycle:,})",
        f"{GOAL_PERCENT} % and the same run",
    )
