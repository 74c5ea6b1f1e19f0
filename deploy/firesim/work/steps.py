# SPDX-License-Identifier: BSD-3-Clause
"""Progress of the steps before a run: one line each, with its time when it took any.

A step that builds something is told of in steps of its own, each with the time spent and expected.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from firesim_common.progress import Step, listening
from rich.console import Console
from rich.markup import escape
from rich.status import Status

WORTH_A_LINE_S = 0.5


class Steps:
    """Prints what is being made ready; several threads may have a step each."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.lock = threading.Lock()
        self.going: list[str] = []
        self.inner: list[Step] = []
        self.status: Status | None = None

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.console.print(text, style="dim", highlight=False)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Show `what` while the body runs, and how long it took if that was noticeable."""
        start = time.monotonic()
        self._show(begun=what)
        try:
            with listening(self._told):
                yield
        finally:
            self._show(ended=what)
        spent = time.monotonic() - start
        if spent >= WORTH_A_LINE_S:
            self.console.print(f"{what}: {spent:.1f} s", style="dim", highlight=False)

    def _told(self, step: Step, is_over: bool) -> None:
        """Show a step inside a step: in the line of a terminal, or in a line when it begins."""
        with self.lock:
            if is_over:
                if step not in self.inner:
                    return  # Of another run in this process, begun before we listened.
                self.inner.remove(step)
            else:
                self.inner.append(step)
        if not self.console.is_terminal and not is_over and step.expected_s is not None:
            text = f"{step.what}: about {step.expected_s:.0f} s"
            self.console.print(text, style="dim", highlight=False)

    def __rich__(self) -> str:
        """Return the line of the terminal as it is now; called while `_show` waits, so unlocked."""
        return escape("; ".join([", ".join(list(self.going)), *map(str, list(self.inner))]))

    def _show(self, begun: str = "", ended: str = "") -> None:
        """Show all steps that are going on in the one line that a terminal has for them."""
        with self.lock:
            if begun:
                self.going.append(begun)
            else:
                self.going.remove(ended)
            if not self.console.is_terminal:
                return
            if not self.going:
                if self.status is not None:
                    self.status.stop()
                self.status = None
            elif self.status is None:
                self.status = self.console.status(self)
                self.status.start()
