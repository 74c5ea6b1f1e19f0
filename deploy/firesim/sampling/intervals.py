# SPDX-License-Identifier: BSD-3-Clause
"""Measures intervals: snapshots of the functional node, and a run in RTL from each."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from firesim_common.errors import InputError

from firesim.pipeline.beside import completed
from firesim.results.outcome import Outcome
from firesim.sampling.folder import ENDED, LONG, MEASURED, Interval, SampleFolder
from firesim.sampling.settings import Settings, Whole
from firesim.sampling.simulate import Description, Prepared
from firesim.topology.describe import SNAPSHOTS_FOLDER, Restart

COUNTED = "hart0_instructions"
NOT_EVENTS = ("cycle", "active_cycles", COUNTED)
CLOSED = "the window of its counters closed"
"""What firesim-sim says of a node that has ended with its interval."""
BATCH = 8
"""Snapshots for each interval measured at a time, so that there are never many on the disk."""
EARLIEST_CYCLES = 4096
"""Before this cycle nothing is saved: what would begin there begins at reset."""
MOST_CPI = 1000
"""An interval that takes longer is given up."""


@dataclass(frozen=True)
class Task:
    """An interval to be measured."""

    unit: int
    start_cycle: int
    """The functional cycle in which it begins."""
    save_cycle: int
    """The functional cycle in which its warm-up begins; 0: at reset."""


def tasks_of(units: Sequence[int], whole: Whole, settings: Settings, warm_up: int) -> list[Task]:
    """Return where intervals begin, and their warm-ups."""
    found = []
    for unit in units:
        start = whole.start_cycle(unit, settings)
        save = start - warm_up * whole.cycles_per_instruction
        save = save // whole.quantum_cycles * whole.quantum_cycles
        found.append(Task(unit, start, save if save >= EARLIEST_CYCLES else 0))
    return found


@dataclass
class Measuring:
    """What measures the intervals of a sample."""

    folder: SampleFolder
    whole: Whole
    functional: Prepared
    rtl: Prepared
    jobs: int
    origin: Restart | None = field(default=None, init=False)
    """The last snapshot, from which the functional run goes on."""

    def measure(
        self, tasks: Sequence[Task], doubled: bool, over: Callable[[Interval], None]
    ) -> None:
        """Measure intervals, and note each as it is over.

        Raises:
            InputError: one cannot be measured.
            KeyboardInterrupt: it was stopped.
        """
        self.origin = None
        with ThreadPoolExecutor(self.jobs) as pool:
            for batch in _batches(sorted(tasks, key=lambda task: task.save_cycle), self.jobs):
                self._save(batch)
                going = [pool.submit(partial(self._interval, task)) for task in batch]
                try:
                    for future in completed(going):
                        found = future.result()
                        self.folder.note(found, doubled)
                        over(found)
                except BaseException:
                    self.rtl.beside.stopped.set()
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise
                self._drop(batch)

    def _snapshot(self, cycle: int) -> Path:
        return self.folder.work / SNAPSHOTS_FOLDER / f"cycle-{cycle}"

    def _save(self, batch: Sequence[Task]) -> None:
        """Take the snapshots of some intervals, going on from the last one."""
        cycles = sorted({task.save_cycle for task in batch} - {0})
        if self.origin is not None:
            cycles = [cycle for cycle in cycles if cycle > self.origin.cycle]
        if not cycles:
            return
        where = str(self.folder.work / SNAPSHOTS_FOLDER)

        def change(description: Description) -> None:
            description["snapshots"] = {"directory": where, "at_cycles": cycles}
            description["max_cycles"] = cycles[-1] + 1

        outcome = self.functional.run(self.folder.work / "saving", change, self.origin)
        if not self._snapshot(cycles[-1]).is_dir():
            raise InputError(f"sample: the functional run failed: {outcome.message}")
        self.origin = Restart(self._snapshot(cycles[-1]), cycles[-1])

    def _drop(self, batch: Sequence[Task]) -> None:
        """Delete the snapshots of intervals that are over, and keep the last."""
        for task in batch:
            if self.origin is None or task.save_cycle != self.origin.cycle:
                shutil.rmtree(self._snapshot(task.save_cycle), ignore_errors=True)

    def _interval(self, task: Task) -> Interval:
        self.rtl.beside.check()
        settings, whole = self.folder.settings, self.whole
        began = task.save_cycle or whole.first_cycle
        warm_up = max(1, (task.start_cycle - began) // whole.cycles_per_instruction)
        length = settings.interval_instructions
        trigger = {
            "kind": "event",
            "start": {"event": COUNTED, "count": warm_up},
            "end": {"event": COUNTED, "count": length},
            "ends_node": True,
        }

        def change(description: Description) -> None:
            description["max_cycles"] = task.save_cycle + (warm_up + length) * MOST_CPI
            description["nodes"][0]["bridges"]["autocounter"]["trigger"] = trigger

        at = task.save_cycle
        restart = Restart(self._snapshot(at), at) if at else None
        outcome = self.rtl.run(self.folder.work / f"interval-{task.unit}", change, restart)
        found = _came_of(outcome, task, length)
        shutil.rmtree(outcome.folder, ignore_errors=True)
        return found


def _batches(tasks: Sequence[Task], jobs: int) -> Iterator[Sequence[Task]]:
    size = BATCH * jobs
    for first in range(0, len(tasks), size):
        yield tasks[first : first + size]


def _came_of(outcome: Outcome, task: Task, length: int) -> Interval:
    """Return what came of a run in RTL.

    Raises:
        InputError: it did not end as it should.
    """
    result = outcome.result
    if outcome.exit_status not in (0, 1) or not result.get("nodes"):
        raise InputError(
            f"sample: the interval {task.unit} could not be measured: {outcome.message}"
        )
    node = result["nodes"][0]
    facts = node["statistics"].get("warm_start") or {}
    counters = _last_row(outcome.folder / node["name"] / "counters.csv")
    state = MEASURED if node["message"] == CLOSED else ENDED
    if result["reason"] == "max_cycles":
        state = LONG
    if state == MEASURED and counters[COUNTED] != length:
        raise InputError(
            f"sample: found {counters[COUNTED]:,} instructions in an interval, expected {length:,}:"
            " harts that commit several instructions in a cycle are not sampled."
        )
    events = {k: v for k, v in counters.items() if v and k not in NOT_EVENTS}
    return Interval(
        unit=task.unit,
        state=state,
        cycles=counters["active_cycles"],
        instructions=counters[COUNTED],
        events=events,
        token_hash=str(result["token_hash"]),
        snapshot_cycle=task.save_cycle,
        extra_cycles=int(facts.get("extra_cycles", 0)),
        rtl_cycles=int(result["end_cycle"]) - task.save_cycle + int(facts.get("restore_cycles", 0)),
        cpu_s=float(result["cpu_s"]),
    )


def _last_row(file: Path) -> dict[str, int]:
    """Return the last row of counters; all are 0 where there is none."""
    with file.open(encoding="utf-8", newline="") as text:
        names, *rows = list(csv.reader(text))
    values = [int(value) for value in rows[-1]] if rows else [0] * len(names)
    return dict(zip(names, values, strict=True))


def processors() -> int:
    """Return how many intervals are measured at a time where nothing is said."""
    return os.cpu_count() or 1
