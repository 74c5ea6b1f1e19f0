# SPDX-License-Identifier: BSD-3-Clause
"""What a person sees while a simulation runs: a live table, or plain lines in a log."""

from __future__ import annotations

import time
from types import TracebackType

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from firesim.run.consoles import Consoles
from firesim.run.status import Status
from firesim.units import hertz, target_time

MOST_ROWS = 40
PLAIN_INTERVAL_S = 5.0


class Display:
    """Shows each Status handed to `show`, and what the consoles say; use as a context manager."""

    def __init__(
        self,
        console: Console,
        title: str,
        clock_hz: int,
        switches: set[str],
        consoles: Consoles,
    ) -> None:
        self.console = console
        self.title = title
        self.clock_hz = clock_hz
        self.switches = switches
        self.consoles = consoles
        self.live = Live(console=console, transient=True, auto_refresh=False)
        self.last_plain = float("-inf")

    def __enter__(self) -> Display:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.console.is_terminal:
            self.live.stop()

    def show(self, status: Status) -> None:
        """Show one status."""
        if self.console.is_terminal:
            self.live.update(Group(self.table(status), *self._said()), refresh=True)
        elif time.monotonic() - self.last_plain >= PLAIN_INTERVAL_S:
            self.last_plain = time.monotonic()
            running = sum(model.state != "ended" for model in status.models)
            self.console.print(
                f"{status.wall_s:.1f} s: target {target_time(status.cycle, self.clock_hz)}, "
                f"{hertz(status.cycles_per_s)}, {running} models running"
            )
            for line in self._said():
                self.console.print(line, no_wrap=True, overflow="ellipsis")

    def _said(self) -> list[Text]:
        """Return the last line of each console."""
        width = max(map(len, self.consoles.tails), default=0)
        return [
            Text(f"  {name:<{width}}  {line}", style="dim", no_wrap=True, overflow="ellipsis")
            for name, line in self.consoles.last_lines().items()
        ]

    def table(self, status: Status) -> Table:
        """Return the status as a table, one row for each node and switch."""
        table = Table(
            title=f"{self.title}  {status.wall_s:.0f} s  "
            f"target {target_time(status.cycle, self.clock_hz)}",
            title_justify="left",
            box=box.SIMPLE_HEAD,
        )
        table.add_column("model", no_wrap=True)
        for heading in ("target time", "cycle", "cycles/s", "pkts in", "pkts out"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("state", no_wrap=True)
        # The slowest first when not all fit: they hold the others up.
        shown = status.models
        if len(shown) > MOST_ROWS:
            shown = sorted(shown, key=lambda model: model.cycle)[:MOST_ROWS]
        for model in shown:
            state = f"waits for {model.waiting_for}" if model.waiting_for else model.state
            table.add_row(
                model.name,
                target_time(model.cycle, self.clock_hz),
                f"{model.cycle:,}",
                hertz(model.cycles_per_s),
                f"{model.packets_in:,}",
                f"{model.packets_out:,}",
                state,
                style="cyan" if model.name in self.switches else None,
            )
        if len(status.models) > MOST_ROWS:
            table.caption = f"{len(status.models) - MOST_ROWS} more models, all further ahead"
        return table
