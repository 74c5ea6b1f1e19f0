# SPDX-License-Identifier: BSD-3-Clause
"""How far many runs are: a line for each that is over, and how long the rest will take."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from firesim_common.printable import printable
from rich.console import Console, RenderableType
from rich.status import Status


class Countdown:
    """Counts runs that are over; a terminal also has a line that stays last."""

    def __init__(self, console: Console, count: int, left: int) -> None:
        """Begin with `left` of `count` runs to be done."""
        self.console, self.count, self.left = console, count, left
        self.done = 0
        self.began_s = time.monotonic()
        self.status: Status | None = None

    def begin(self, text: str, kept: str, last: RenderableType) -> None:
        """Say what is done, and how many `kept` say that are done already; show the last line."""
        already = self.count - self.left
        self.say(f"{text}; {already} {kept} already" if already else text)
        if self.console.is_terminal and self.left:
            self.status = self.console.status(last)
            self.status.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.status is not None:
            self.status.stop()

    @property
    def number(self) -> int:
        """The number of the run that was over last, among all."""
        return self.count - self.left + self.done

    def left_s(self) -> float:
        """Return how long the rest will take, by what there was so far."""
        return (time.monotonic() - self.began_s) / self.done * (self.left - self.done)

    def say(self, text: str, style: str | None = None) -> None:
        """Print a line."""
        self.console.print(
            printable(text), style=style, highlight=False, markup=False, soft_wrap=True
        )
