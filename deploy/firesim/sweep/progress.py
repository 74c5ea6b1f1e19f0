# SPDX-License-Identifier: BSD-3-Clause
"""How far a sweep is: a line for each point that is over, and how long the rest will take."""

from __future__ import annotations

import threading
from typing import Self

from rich.console import Console
from rich.markup import escape

from firesim.sweep.folder import PASSED, Came
from firesim.sweep.points import Point
from firesim.units import duration
from firesim.work.countdown import Countdown


class Progress(Countdown):
    """Prints a line for each point that is over; a terminal also shows those that go on."""

    def __init__(self, console: Console, points: int, left: int, jobs: int) -> None:
        super().__init__(console, points, left)
        self.jobs = jobs
        self.lock = threading.Lock()
        self.going: list[str] = []

    def __enter__(self) -> Self:
        self.begin(f"{self.count} points, {self.jobs} at a time", "have results", self)
        return self

    def begun(self, point: Point) -> None:
        """Take a point that begins."""
        with self.lock:
            self.going.append(point.name)

    def over(self, point: Point, came: Came) -> None:
        """Print what came of a point."""
        with self.lock:
            self.going.remove(point.name)
            self.done += 1
        number = self.number
        words = [f"{came.state} at cycle {came.end_cycle:,}" if came.end_cycle else came.state]
        words += [came.token_hash] if came.token_hash else []
        words += [came.message] if came.message else []
        if self.done < self.left:
            words.append(f"about {duration(self.left_s())} left")
        style = None if came.state == PASSED else "red"
        self.say(f"{number} of {self.count}: {point.words()}: {', '.join(words)}", style)

    def __rich__(self) -> str:
        """Return the line of a terminal about the points that go on."""
        left = f", about {duration(self.left_s())} left" if self.done else ""
        return escape(f"{self.done} of {self.left} done{left}: {', '.join(list(self.going))}")
