# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of instructions, of a node with one hart."""

from __future__ import annotations

from dataclasses import dataclass

from firesim_common.errors import InputError

from firesim.results.outcome import Outcome
from firesim.sampling.counted import AT_LIMIT, NOT_EVENTS, interval_of
from firesim.sampling.counter_rows import CYCLES, last_row
from firesim.sampling.folder import ENDED, LONG, MEASURED, Interval
from firesim.sampling.intervals import Task, task_at
from firesim.sampling.settings import ENDS, Settings, Whole
from firesim.sampling.simulate import Description

COUNTED = "hart0_instructions"
CLOSED = "the window of its counters closed"
"""What firesim-sim says of a node that has ended with its interval."""
MOST_CPI = 1000
"""An interval that takes longer is given up."""


@dataclass(frozen=True)
class ByInstructions:
    """Opens a window of counters after the warm-up, and ends the node where it closes."""

    settings: Settings
    whole: Whole

    def task(self, unit: int, warm_up: int) -> Task:
        """Return where an interval and its warm-up begin."""
        return task_at(unit, warm_up, self.whole, self.settings)

    def _is_last(self, task: Task) -> bool:
        """Return whether an interval ends with the workload."""
        last = self.whole.population(self.settings) - 1
        return self.whole.is_finished and task.unit == last

    def ask(self, task: Task, attempt: int, description: Description) -> None:
        """Ask for the window; the last interval goes on to the end of the workload."""
        length = self.settings.interval
        began = task.save_cycle or self.whole.first_cycle
        warm_up = max(1, (task.start_cycle - began) // self.whole.cycles_per_instruction)
        trigger: Description = {"kind": "event", "start": {"event": COUNTED, "count": warm_up}}
        if not self._is_last(task):
            trigger |= {"end": {"event": COUNTED, "count": length}, "ends_node": True}
        description["max_cycles"] = task.save_cycle + (warm_up + ENDS * length) * MOST_CPI
        description["nodes"][0]["bridges"]["autocounter"]["trigger"] = trigger

    def came_of(self, task: Task, attempt: int, outcome: Outcome) -> Interval:
        """Return what the counters say of the window.

        Raises:
            InputError: the hart commits several instructions in a cycle.
        """
        result, length = outcome.result, self.settings.interval
        node = result["nodes"][0]
        counters = last_row(outcome, node["name"])
        is_last = self._is_last(task)
        found = counters[COUNTED]
        # The last may have ended before its window: RTL polls a device less often.
        state = MEASURED if found and (is_last or node["message"] == CLOSED) else ENDED
        if result["reason"] == AT_LIMIT:
            state = LONG
        if state == MEASURED and not is_last and found != length:
            raise InputError(
                f"sample: found {found:,} instructions in an interval, expected {length:,}: "
                "harts that commit several instructions in a cycle are not sampled."
            )
        events = {k: v for k, v in counters.items() if v and k not in (*NOT_EVENTS, COUNTED)}
        cycles = counters[CYCLES]
        return interval_of(task, outcome, state, cycles=cycles, instructions=found, events=events)
