# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of figures that consoles print, such as the cycles of each request to a server.

An interval and its warm-up are numbers of figures. So each figure of the workload is as likely to
be measured as any other, however long it takes in RTL.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from firesim.results.outcome import Outcome
from firesim.sampling.console_lines import keep_lines, printed_in
from firesim.sampling.counted import AT_LIMIT, interval_of
from firesim.sampling.folder import ENDED, LONG, MEASURED, Interval
from firesim.sampling.intervals import EARLIEST_CYCLES, Task
from firesim.sampling.settings import Settings, Whole
from firesim.sampling.simulate import Description

SLACK, SLACK_CYCLES = 2, 20_000
"""What a run in RTL is given at first: a multiple of the functional cycles, and some more."""
MOST_ATTEMPTS = 8
"""Each has twice the cycles of the one before."""


@dataclass(frozen=True)
class ByFigures:
    """Reads the figures behind the warm-up from the lines of consoles."""

    settings: Settings
    whole: Whole

    def task(self, unit: int, warm_up: int) -> Task:
        """Return where the warm-up of an interval begins: behind the figure before it."""
        first, cycles = unit * self.settings.interval, self.whole.figure_cycles
        quantum, before = self.whole.quantum_cycles, first - warm_up - 1
        save = 0 if before < 0 else (cycles[before] // quantum + 1) * quantum
        while self._count(save) > first:
            save -= quantum
        return Task(unit, cycles[first], save if save >= EARLIEST_CYCLES else 0)

    def _count(self, cycle: int) -> int:
        """Return how many figures were printed before a cycle."""
        return bisect_left(self.whole.figure_cycles, cycle)

    def ask(self, task: Task, attempt: int, description: Description) -> None:
        """Ask for console lines, and for cycles enough."""
        last = min((task.unit + 1) * self.settings.interval, len(self.whole.figure_cycles)) - 1
        cycles = SLACK * (self.whole.figure_cycles[last] - task.save_cycle) + SLACK_CYCLES
        description["max_cycles"] = task.save_cycle + (cycles << attempt)
        keep_lines(description)

    def came_of(self, task: Task, attempt: int, outcome: Outcome) -> Interval | None:
        """Return the figures of the interval; None where the run was too short."""
        result, length = outcome.result, self.settings.interval
        nodes = [str(node["name"]) for node in result["nodes"]]
        skipped = task.unit * length - self._count(task.save_cycle)
        found = printed_in(outcome.folder, nodes, self.settings.figure)[skipped : skipped + length]
        state = MEASURED
        if len(found) < length:
            if result["reason"] == AT_LIMIT and attempt + 1 < MOST_ATTEMPTS:
                return None
            state = LONG if result["reason"] == AT_LIMIT else ENDED
        cycles = found[-1].cycle - task.save_cycle if found else 0
        values = [one.value for one in found]
        return interval_of(task, outcome, state, cycles=cycles, figures=values)
