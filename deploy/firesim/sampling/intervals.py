# SPDX-License-Identifier: BSD-3-Clause
"""Measures intervals: snapshots of the functional node, and a run in RTL from each."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol

from firesim_common.errors import InputError

from firesim.pipeline.beside import completed
from firesim.remote import record
from firesim.report.stack_tree import Stacks
from firesim.results.outcome import Outcome
from firesim.sampling.activity import keep_activity, keep_saif, toggles_by_stack, toggles_in
from firesim.sampling.folder import FOLDED, TOGGLES_FOLDED, Interval, SampleFolder
from firesim.sampling.settings import FUNCTIONAL, Settings, Whole
from firesim.sampling.simulate import Description, Prepared
from firesim.sampling.stacks import follow_calls, keep_stacks, stacks_in
from firesim.sampling.warming import follow_caches
from firesim.topology.describe import SNAPSHOTS_FOLDER, Restart

BATCH = 8
"""Snapshots taken for each interval measured at a time; the disk has no more but the last."""
EARLIEST_CYCLES = 4096
"""Before this cycle nothing is saved: what would begin there begins at reset."""


@dataclass(frozen=True)
class Task:
    """An interval to be measured."""

    unit: int
    start_cycle: int
    """The functional cycle in which it begins."""
    save_cycle: int
    """The functional cycle in which its warm-up begins; 0: at reset."""


def task_at(unit: int, warm_up: int, whole: Whole, settings: Settings) -> Task:
    """Return where an interval of instructions, or of cycles, and its warm-up begin."""
    start = whole.start_cycle(unit, settings)
    save = start - warm_up * whole.cycles_per_instruction
    save = save // whole.quantum_cycles * whole.quantum_cycles
    return Task(unit, start, save if save >= EARLIEST_CYCLES else 0)


class Way(Protocol):
    """How an interval is cut out of a run in RTL, and what it says."""

    def task(self, unit: int, warm_up: int) -> Task:
        """Return where an interval and its warm-up begin."""

    def ask(self, task: Task, attempt: int, description: Description) -> None:
        """Change the description of a run that begins with the interval's warm-up.

        `attempt` is 0 at first.
        """

    def came_of(self, task: Task, attempt: int, outcome: Outcome) -> Interval | None:
        """Return what came of the run; None where it was too short and is to be tried again.

        Raises:
            InputError: it did not end as it should.
        """


@dataclass
class Measuring:
    """What measures the intervals of a sample."""

    folder: SampleFolder
    whole: Whole
    functional: Prepared
    rtl: Prepared
    way: Way
    jobs: int
    """Intervals at a time."""
    origin: Restart | None = field(default=None, init=False)
    """The last snapshot, from which the functional run goes on."""

    def measure(
        self, tasks: Sequence[Task], warm_up: int, over: Callable[[Interval, str], None]
    ) -> None:
        """Measure intervals, and note each as it is over; tell its host, "" for this computer.

        Raises:
            InputError: one cannot be measured.
            KeyboardInterrupt: it was stopped.
        """
        self.origin = None
        with ThreadPoolExecutor(self.jobs) as pool:
            for batch in _batches(sorted(tasks, key=lambda task: task.save_cycle), self.jobs):
                each_s = self._save(batch) / len(batch)
                left = Counter(task.save_cycle for task in batch)
                self._keep(left)  # Not the one that the functional run has just gone on from.
                going = [pool.submit(partial(self._interval, task, warm_up)) for task in batch]
                try:
                    for future in completed(going):
                        found, stacks, host = future.result()
                        found = replace(found, cpu_s=found.cpu_s + each_s)
                        self.folder.note(found, warm_up, stacks)
                        over(found, host)
                        left[found.snapshot_cycle] -= 1
                        self._keep(+left)
                except BaseException:
                    self.rtl.beside.stopped.set()
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise

    def _snapshot(self, cycle: int) -> Path:
        return self.folder.work / SNAPSHOTS_FOLDER / f"cycle-{cycle}"

    def _save(self, batch: Sequence[Task]) -> float:
        """Take the snapshots of some intervals, going on from the last one.

        Returns:
            The processor time that took, in seconds.
        """
        cycles = sorted({task.save_cycle for task in batch} - {0})
        if self.origin is not None:
            cycles = [cycle for cycle in cycles if cycle > self.origin.cycle]
        if not cycles:
            return 0.0
        where = str(self.folder.work / SNAPSHOTS_FOLDER)

        def change(description: Description) -> None:
            description["snapshots"] = {"directory": where, "at_cycles": cycles}
            description["max_cycles"] = cycles[-1] + 1
            if self.folder.settings.stacks:
                follow_calls(description)
            if self.folder.settings.warming == FUNCTIONAL:
                follow_caches(description, self.functional.plan)

        outcome = self.functional.run(self.folder.work / "saving", change, self.origin)
        if not self._snapshot(cycles[-1]).is_dir():
            raise InputError(f"sample: the functional run failed: {outcome.message}")
        self.origin = Restart(self._snapshot(cycles[-1]), cycles[-1])
        return float(outcome.result["cpu_s"])

    def _keep(self, cycles: Collection[int]) -> None:
        """Delete all snapshots but those of some cycles, and the last."""
        kept = {self._snapshot(cycle) for cycle in cycles}
        if self.origin is not None:
            kept.add(self.origin.snapshot)
        for folder in (self.folder.work / SNAPSHOTS_FOLDER).glob("*"):
            if folder not in kept:
                shutil.rmtree(folder, ignore_errors=True)

    def _ask(self, task: Task, attempt: int, description: Description) -> None:
        self.way.ask(task, attempt, description)
        if self.folder.settings.stacks:
            keep_stacks(description)
        if self.folder.settings.activity:
            keep_activity(description)

    def _looked_at(
        self, found: Interval, outcome: Outcome, warm_up: int
    ) -> tuple[Interval, dict[str, Stacks]]:
        """Return an interval with its toggles, and its call stacks by the ends of their files."""
        settings, stacks = self.folder.settings, {}
        if settings.stacks:
            stacks[FOLDED] = stacks_in(outcome, found)
        if settings.activity:
            keep_saif(self.folder, outcome, found.unit, warm_up)
            found = replace(found, events=found.events | toggles_in(outcome))
            toggles = toggles_by_stack(outcome)
            stacks |= {TOGGLES_FOLDED: toggles} if toggles is not None else {}
        return found, stacks

    def _interval(self, task: Task, warm_up: int) -> tuple[Interval, dict[str, Stacks], str]:
        """Return an interval, its call stacks by the ends of their files, and its host."""
        at = task.save_cycle
        restart = Restart(self._snapshot(at), at) if at else None
        folder = self.folder.work / f"interval-{task.unit}"
        for attempt in count():
            self.rtl.beside.check()
            outcome = self.rtl.run(folder, partial(self._ask, task, attempt), restart)
            if outcome.exit_status not in (0, 1) or not outcome.result.get("nodes"):
                raise InputError(
                    f"sample: the interval {task.unit} could not be measured: {outcome.message}"
                )
            found = self.way.came_of(task, attempt, outcome)
            whole = self._looked_at(found, outcome, warm_up) if found is not None else None
            host = "".join(record.hosts_of(outcome.folder))
            shutil.rmtree(outcome.folder, ignore_errors=True)
            if whole is not None:
                return (*whole, host)
        raise AssertionError("attempts have no end but that of the loop")


def _batches(tasks: Sequence[Task], jobs: int) -> Iterator[Sequence[Task]]:
    size = BATCH * jobs
    for first in range(0, len(tasks), size):
        yield tasks[first : first + size]


def processors() -> int:
    """Return how many intervals are measured at a time where nothing is said."""
    return os.cpu_count() or 1
