# SPDX-License-Identifier: BSD-3-Clause
"""What the programs tell of their stacks, what a trace has of them, and both compared."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile

from regression.support.experiment import Experiment

GOAL_PERCENT = 99.9
TOP = {"work", "signals"}
"""The functions below which everything is noted."""
TRUTH = re.compile(r"^truth (\w+) (\S+) (\d+)\r?$", re.MULTILINE)
MODULES_TOP = {"sets_up", "work"}
"""The same of modules of the kernel."""
BARE = "bare"
"""Who a program without a system says that it is."""
CHILDREN = {"child", "program", "vforked"}
NOT_NOTED = {"[signal]", "[vdso]"}
"""What the kernel has between a function and its signal's handler, and behind that."""
INLINED = "_[i]"
NOTES = {
    f"{name}{INLINED}"
    for name in "begin busy cycle_count enter leave leave_all system_call".split()
}
"""Functions that note what a program does, or make system calls, and are inlined everywhere."""
LINE = re.compile(r" \([^;()]*:\d+\)(?=_\[i\]|;|$)")
"""What a frame has of its place in the source."""
KERNEL = re.compile(r"^\[(system call|exception|interrupt)\b")

Stacks = Counter[tuple[str, str]]
"""Cycles by who (process, thread, child, or a program without a system) and the functions, joined
by `;`."""


def told(console: str, *, inlined: bool = False) -> Stacks:
    """Return what the programs printed; children, and the program that one becomes, are one.

    Functions that were inlined are only frames with `inlined`.
    """
    found: Stacks = Counter()
    for who, path, cycles in TRUTH.findall(console):
        frames = [frame for frame in path.split(";") if inlined or not frame.endswith(INLINED)]
        found["child" if who in CHILDREN else who, ";".join(frames)] += int(cycles)
    return found


def plain(folded: str) -> Counter[str]:
    """Return stacks without the frames of inlined functions, and without lines."""
    found: Counter[str] = Counter()
    for line in folded.splitlines():
        path, cycles = line.rsplit(" ", 1)
        frames = [frame for frame in path.split(";") if not frame.endswith(INLINED)]
        found[";".join(LINE.sub("", frame) for frame in frames)] += int(cycles)
    return found


def _frames(folded: str) -> list[tuple[list[str], int]]:
    lines = [line.rsplit(" ", 1) for line in folded.splitlines()]
    return [(LINE.sub("", path).split(";"), int(cycles)) for path, cycles in lines]


def _noted(frames: list[str]) -> str:
    """Return what is noted of a stack, without what the kernel has above it; "" for nothing."""
    above = next((i for i, frame in enumerate(frames) if KERNEL.match(frame)), len(frames))
    user = [frame for frame in frames[:above] if frame not in NOT_NOTED | NOTES]
    below = next((i for i, frame in enumerate(user) if frame in TOP), len(user))
    return ";".join(user[below:])


def traced(folded: str, program: str) -> Stacks:
    """Return the stacks of a program in a trace, each with the cycles of the kernel above it."""
    stacks = _frames(folded)
    task = re.compile(rf"^{program}-(\d+)(?:/(\d+))?$")
    labels = [task.match(frames[1]) for frames, _ in stacks if len(frames) > 1]
    first = min((int(label[1]) for label in labels if label), default=0)
    found: Stacks = Counter()
    for frames, cycles in stacks:
        label = task.match(frames[1]) if len(frames) > 1 else None
        if label is None or not (path := _noted(frames[2:])):
            continue
        who = "thread" if label[2] else "process" if int(label[1]) == first else "child"
        found[who, path] += cycles
    return found


def traced_modules(folded: str, truth: Stacks) -> Stacks:
    """Return the stacks of modules of the kernel, by the function of theirs that the kernel called.

    What they call of the kernel's counts as theirs.
    """
    known = {name for _, path in truth for name in path.split(";")}
    found: Stacks = Counter()
    for frames, cycles in _frames(folded):
        below = next((i for i, frame in enumerate(frames) if frame in MODULES_TOP), 0)
        if below:
            noted = [frame for frame in frames[below:] if frame not in NOTES]
            path = ";".join(takewhile(known.__contains__, noted))
            found[frames[below - 1], path] += cycles
    return found


def traced_bare(folded: str) -> Stacks:
    """Return the stacks of a program without a system."""
    found: Stacks = Counter()
    for frames, cycles in _frames(folded):
        if path := _noted(frames[1:]):
            found[BARE, path] += cycles
    return found


@dataclass(frozen=True)
class Part:
    """What the nodes of one kind showed."""

    name: str
    truth: Stacks
    found: Stacks
    same: bool
    """Whether every way to run it gave the same, with a trace and without."""
    token_hash: str
    tasks: frozenset[str] = frozenset({BARE})
    """Who must tell of stacks."""

    @property
    def percent(self) -> float:
        """The percentage of the cycles told that the trace has where they belong."""
        right = sum(min(known, self.found[key]) for key, known in self.truth.items())
        return 100 * right / max(1, sum(self.truth.values()))

    @property
    def is_right(self) -> bool:
        """Whether it shows what it must."""
        told = {who for who, _ in self.truth}
        return self.same and self.percent >= GOAL_PERCENT and told == self.tasks

    def show(self, experiment: Experiment) -> None:
        """Print every stack, so that what is missed is seen, and keep the figures."""
        rows = []
        for who, path in sorted(self.truth.keys() | self.found.keys()):
            known, seen = self.truth[who, path], self.found[who, path]
            rows.append([f"{who} {path}", f"{known:,}", f"{seen:,}", f"{seen - known:+,}"])
        columns = ["stack", "told", "traced", "difference"]
        experiment.table(f"Cycles of stacks, {self.name}", columns, rows)
        cycles, stacks = sum(self.truth.values()), len(self.truth)
        figures = {"percent": self.percent, "stacks": stacks, "cycles": cycles, "same": self.same}
        experiment.keep(**{self.name: figures})

    def __str__(self) -> str:
        same = "the same in every run" if self.same else "NOT the same in every run"
        cycles = f"{sum(self.truth.values()):,} cycles in {len(self.truth)} stacks"
        return f"{self.name} {self.percent:.3f} % of {cycles} (hash {self.token_hash}, {same})"
