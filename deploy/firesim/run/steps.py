# SPDX-License-Identifier: BSD-3-Clause
"""Progress of the steps before a run: one line each, with its time when it took any."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

WORTH_A_LINE_S = 0.5


class Steps:
    """Prints what is being made ready."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.console.print(text, style="dim", highlight=False)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Show `what` while the body runs, and how long it took if that was noticeable."""
        start = time.monotonic()
        if self.console.is_terminal:
            with self.console.status(what):
                yield
        else:
            yield
        spent = time.monotonic() - start
        if spent >= WORTH_A_LINE_S:
            self.console.print(f"{what}: {spent:.1f} s", style="dim", highlight=False)
