# SPDX-License-Identifier: BSD-3-Clause
"""How far a sample is: a line for each interval that is over, and how long the rest will take."""

from __future__ import annotations

from typing import Protocol, Self

from firesim_common.errors import cut
from rich.console import Console

from firesim.sampling.folder import MEASURED, Interval, SampleFolder
from firesim.sampling.settings import FIGURES, Whole
from firesim.sampling.simulate import Prepared
from firesim.units import duration
from firesim.work.countdown import Countdown


class _Measures(Protocol):
    folder: SampleFolder
    whole: Whole
    rtl: Prepared
    jobs: int


class Progress(Countdown):
    """Prints a line for each interval that is over."""

    def __init__(
        self, console: Console, count: int, left: int, measures: _Measures, warm_up: int
    ) -> None:
        super().__init__(console, count, left)
        self.jobs, self.length = measures.jobs, measures.folder.settings.interval
        self.warm_up, self.whole = warm_up, measures.whole
        self.hosts = measures.rtl.hosts

    def __enter__(self) -> Self:
        behind = f"{self.count} intervals behind {self.warm_up:,} {self.whole.unit}"
        on = f" on {cut(', '.join(self.hosts.names))}" if self.hosts is not None else ""
        text = f"{behind}, {self.jobs} at a time{on}"
        self.begin(text, "are measured", "functional run to the next intervals")
        return self

    def over(self, found: Interval, host: str) -> None:
        """Print what came of an interval, and the host that it was measured on, if any."""
        self.done += 1
        what = found.state
        if what == MEASURED:
            what = f"{self.whole.rate_name} {found.rate(self.whole):.4f}"
            if self.whole.unit == FIGURES:
                what = " ".join(f"{figure:g}" for figure in found.figures)
        left = f", about {duration(self.left_s())} left" if self.done < self.left else ""
        place = f"{self.whole.unit} from {found.unit * self.length:,}"
        on = f", on {host}" if host else ""
        self.say(f"{self.number} of {self.count}: {place}: {what}, {found.token_hash}{on}{left}")
        if self.status is not None:
            self.status.update(f"{self.number} of {self.count} intervals measured{left}")
