# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of target cycles, the same for all nodes of a cluster and all harts of a node."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firesim.results.outcome import Outcome
from firesim.sampling.counted import AT_LIMIT, NOT_EVENTS, interval_of
from firesim.sampling.counter_rows import last_row
from firesim.sampling.folder import ENDED, MEASURED, Interval
from firesim.sampling.intervals import Task, task_at
from firesim.sampling.settings import Settings, Whole
from firesim.sampling.simulate import Description

INSTRUCTIONS = re.compile(r"hart\d+_instructions")


@dataclass(frozen=True)
class ByCycles:
    """Opens a window of all nodes' counters after the warm-up; the run ends where it closes."""

    settings: Settings
    whole: Whole

    def task(self, unit: int, warm_up: int) -> Task:
        """Return where an interval and its warm-up begin."""
        return task_at(unit, warm_up, self.whole, self.settings)

    def ask(self, task: Task, attempt: int, description: Description) -> None:
        """Ask for the window."""
        end = task.start_cycle + self.settings.interval
        description["max_cycles"] = end
        for node in description["nodes"]:
            trigger = {"kind": "cycle", "start": task.start_cycle, "end": end}
            node["bridges"]["autocounter"]["trigger"] = trigger

    def came_of(self, task: Task, attempt: int, outcome: Outcome) -> Interval:
        """Return what the counters say of the window."""
        result = outcome.result
        instructions = 0
        events: dict[str, int] = {}
        for node in result["nodes"]:
            name = str(node["name"])
            counters = last_row(outcome, name)
            found = {k: v for k, v in counters.items() if v and k not in NOT_EVENTS}
            instructions += sum(v for k, v in found.items() if INSTRUCTIONS.fullmatch(k))
            events |= {f"{name}.{key}": value for key, value in found.items()}
        state = MEASURED if result["reason"] == AT_LIMIT else ENDED
        length = self.settings.interval
        return interval_of(
            task, outcome, state, cycles=length, instructions=instructions, events=events
        )
