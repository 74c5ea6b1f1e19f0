# SPDX-License-Identifier: BSD-3-Clause
"""How far a sweep is: a line for each point that is over, and how long the rest will take."""

from __future__ import annotations

import threading
import time
from types import TracebackType

from firesim_common.printable import printable
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from firesim.sweep.folder import PASSED, Came
from firesim.sweep.points import Point
from firesim.units import duration


class Progress:
    """Prints a line for each point that is over; a terminal also shows those that go on."""

    def __init__(self, console: Console, points: int, left: int, jobs: int) -> None:
        self.console, self.points, self.left, self.jobs = console, points, left, jobs
        self.lock = threading.Lock()
        self.going: list[str] = []
        self.done = 0
        self.began_s = time.monotonic()
        self.status: Status | None = None

    def __enter__(self) -> Progress:
        kept = self.points - self.left
        text = f"{self.points} points, {self.jobs} at a time"
        self._say(f"{text}; {kept} have results already" if kept else text)
        if self.console.is_terminal and self.left:
            self.status = self.console.status(self)
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

    def begun(self, point: Point) -> None:
        """Take a point that begins."""
        with self.lock:
            self.going.append(point.name)

    def over(self, point: Point, came: Came) -> None:
        """Print what came of a point."""
        with self.lock:
            self.going.remove(point.name)
            self.done += 1
        number = self.points - self.left + self.done
        words = [f"{came.state} at cycle {came.end_cycle:,}" if came.end_cycle else came.state]
        words += [came.token_hash] if came.token_hash else []
        words += [came.message] if came.message else []
        if self.done < self.left:
            words.append(f"about {duration(self._left_s())} left")
        style = None if came.state == PASSED else "red"
        self._say(f"{number} of {self.points}: {point.words()}: {', '.join(words)}", style)

    def _left_s(self) -> float:
        """Return how long the rest will take, by what there was so far."""
        return (time.monotonic() - self.began_s) / self.done * (self.left - self.done)

    def _say(self, text: str, style: str | None = None) -> None:
        self.console.print(
            printable(text), style=style, highlight=False, markup=False, soft_wrap=True
        )

    def __rich__(self) -> str:
        """Return the line of a terminal about the points that go on."""
        left = f", about {duration(self._left_s())} left" if self.done else ""
        return escape(f"{self.done} of {self.left} done{left}: {', '.join(list(self.going))}")
