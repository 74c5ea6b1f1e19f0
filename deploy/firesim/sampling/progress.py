# SPDX-License-Identifier: BSD-3-Clause
"""How far a sample is: a line for each interval that is over, and how long the rest will take."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol

from firesim_common.printable import printable
from rich.console import Console
from rich.status import Status

from firesim.sampling.folder import MEASURED, Interval, SampleFolder
from firesim.units import duration


class _Measures(Protocol):
    folder: SampleFolder
    jobs: int


class Progress:
    """Prints a line for each interval that is over."""

    def __init__(
        self, console: Console, count: int, left: int, measures: _Measures, doubled: bool
    ) -> None:
        self.console, self.count, self.left = console, count, left
        self.jobs, self.length = measures.jobs, measures.folder.settings.interval_instructions
        self.doubled = doubled
        self.done = 0
        self.began_s = time.monotonic()
        self.status: Status | None = None

    def __enter__(self) -> Progress:
        what = " with the doubled warm-up" if self.doubled else ""
        text = f"{self.count} intervals{what}, {self.jobs} at a time"
        kept = self.count - self.left
        self._say(f"{text}; {kept} are measured already" if kept else text)
        if self.console.is_terminal and self.left:
            self.status = self.console.status("functional run to the next intervals")
            self.status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.status is not None:
            self.status.stop()

    def over(self, found: Interval) -> None:
        """Print what came of an interval."""
        self.done += 1
        number = self.count - self.left + self.done
        what = f"CPI {found.cpi:.4f}" if found.state == MEASURED else found.state
        left = f", about {duration(self._left_s())} left" if self.done < self.left else ""
        place = f"instruction {found.unit * self.length:,}"
        self._say(f"{number} of {self.count}: {place}: {what}, {found.token_hash}{left}")
        if self.status is not None:
            self.status.update(f"{number} of {self.count} intervals measured{left}")

    def _left_s(self) -> float:
        """Return how long the rest will take, by what there was so far."""
        return (time.monotonic() - self.began_s) / self.done * (self.left - self.done)

    def _say(self, text: str) -> None:
        self.console.print(printable(text), highlight=False, markup=False, soft_wrap=True)
