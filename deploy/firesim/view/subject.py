# SPDX-License-Identifier: BSD-3-Clause
"""What is served below an address: a run, or a sweep with the runs of its points below it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from firesim_common.errors import InputError

from firesim.view.acts import Acts
from firesim.view.answers import Teller, console, counters, series, stacks, terminal
from firesim.view.offered import offered
from firesim.view.page import page, sweep_page
from firesim.view.stage import Stage
from firesim.view.swept import ViewedSweep
from firesim.view.viewed import ViewedRun

MOST_RUNS = 8
"""Of a sweep, kept in memory; the run that was looked at longest ago makes room."""
Query = Mapping[str, str]


class Subject:
    """What may be asked of a run or a sweep; each place is a word behind the address."""

    places: Mapping[str, Callable[[Query], dict[str, Any] | None]]
    """What each place tells as JSON; None where there is nothing."""
    acts: Mapping[str, Callable[[bytes], None]]
    """What may be done, with the message that was sent."""

    def page(self, nonce: str) -> str:
        """Return the page; its scripts and styles are those with this nonce."""
        raise NotImplementedError

    def teller(self) -> Teller | None:
        """Return what tells one page what happens, None where pages ask by themselves."""
        return None

    def below(self, name: str) -> Subject | None:
        """Return what is below a name, None where there is nothing."""
        return None


class RunSubject(Subject):
    """A run."""

    def __init__(
        self, run: ViewedRun, stage: Stage, peeks: threading.Semaphore | None = None
    ) -> None:
        """Take the run, where its files are opened, and what bounds the peeks of its sweep."""
        self.run, self.stage = run, stage
        acts = Acts(run, peeks)
        self.acts = acts.by_name
        self.places = {
            "console": lambda query: console(run, query.get("node", ""), query.get("from", "0")),
            "terminal": lambda query: terminal(run, query.get("node", ""), query.get("from", "0")),
            "counters": lambda query: counters(run, query.get("node", "")),
            "series": lambda query: series(run, query.get("node", ""), query.get("counter", "")),
            "flame": lambda query: stacks(run, query.get("node", ""), query.get("seen", "")),
            "acts": lambda query: acts.state(),
            "files": lambda query: offered(run.folder, stage),
        }

    def page(self, nonce: str) -> str:
        """Return the page of the run."""
        return page(self.run, nonce, self.stage.licences())

    def teller(self) -> Teller:
        """Return what tells one page what happens."""
        return Teller(self.run)


class SweepSubject(Subject):
    """A sweep: its table, and below the name of each point its run."""

    acts: Mapping[str, Callable[[bytes], None]] = {}

    def __init__(self, sweep: ViewedSweep, stage: Stage) -> None:
        """Take the sweep, and where the files of its runs are opened."""
        self.sweep, self.stage = sweep, stage
        self.places = {"table": lambda query: sweep.table(query.get("seen", ""))}
        self._runs: OrderedDict[str, RunSubject] = OrderedDict()
        self._lock, self._peeks = threading.Lock(), threading.Semaphore()

    def page(self, nonce: str) -> str:
        """Return the page of the sweep."""
        return sweep_page(self.sweep, nonce)

    def below(self, name: str) -> Subject | None:
        """Return the run of a point, None while it has not begun."""
        with self._lock:
            if name not in self._runs:
                folder = self.sweep.run_folder(name)
                if folder is None:
                    return None
                try:
                    self._runs[name] = RunSubject(ViewedRun(folder), self.stage, self._peeks)
                except InputError:
                    return None
            self._runs.move_to_end(name)
            while len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)
            return self._runs[name]


def subject(viewed: ViewedRun | ViewedSweep, stage: Stage) -> Subject:
    """Return what is served of a run or a sweep, whose files are opened on a stage."""
    if isinstance(viewed, ViewedRun):
        return RunSubject(viewed, stage)
    return SweepSubject(viewed, stage)
