# SPDX-License-Identifier: BSD-3-Clause
"""What a person sees while a simulation runs: a live table, or plain lines in a log."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from firesim.units import duration, hertz, target_time
from firesim.watch.consoles import Consoles
from firesim.watch.live_tables import MOST_HOSTS, TABLE_LINES, host_table, model_table, rows_for
from firesim.watch.progress import progress, progress_line, slowest, slowest_line
from firesim.watch.status import Status

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
        goal_cycle: int = 0,
    ) -> None:
        """Take what is shown; `goal_cycle` is where the run goes, 0 when nobody knows."""
        self.console = console
        self.title = title
        self.clock_hz = clock_hz
        self.switches = switches
        self.consoles = consoles
        self.goal_cycle = goal_cycle
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
            self.live.update(self.screen(status), refresh=True)
        elif time.monotonic() - self.last_plain >= PLAIN_INTERVAL_S:
            self.last_plain = time.monotonic()
            for line in self._plain(status):
                self.console.print(line, highlight=False, markup=False, soft_wrap=True)
            for said in self._said():
                self.console.print(said, no_wrap=True, overflow="ellipsis")

    def screen(self, status: Status) -> Group:
        """Return all that a terminal shows of a status, no longer than the terminal is high."""
        head = [
            Text(
                f"{self.title}  {duration(status.wall_s)}  target "
                f"{target_time(status.cycle, self.clock_hz)} (cycle {status.cycle:,})  "
                f"{hertz(status.cycles_per_s)}"
            ),
            *(Text(line) for line in self._where(status)),
        ]
        said = self._said()
        parts: list[RenderableType] = [*head]
        used = len(head) + len(said) + TABLE_LINES
        if status.hosts:
            hosts = host_table(status, min(MOST_HOSTS, self.console.size.height // 3))
            parts.append(hosts)
            used += hosts.row_count + TABLE_LINES
        most = rows_for(len(status.models), self.console.size.height - used)
        with_host = len(status.threads) > 1
        parts.append(model_table(status, self.clock_hz, self.switches, with_host, most))
        return Group(*parts, *said)

    def _plain(self, status: Status) -> list[str]:
        """Return a status as lines of a log."""
        running = sum(model.state != "ended" for model in status.models)
        first = (
            f"{status.wall_s:.1f} s: target {target_time(status.cycle, self.clock_hz)}, "
            f"{hertz(status.cycles_per_s)}, {running} models running"
        )
        return [first, *(f"  {line}" for line in self._where(status))]

    def _where(self, status: Status) -> list[str]:
        """Return how far the run is and what holds it up, a line each."""
        lines = []
        if (going := progress(status, self.goal_cycle)) is not None:
            lines.append(progress_line(going))
        if (found := slowest(status)) is not None:
            lines.append(slowest_line(found, len(status.threads) > 1))
        return lines

    def _said(self) -> list[Text]:
        """Return the last line of each console."""
        width = max(map(len, self.consoles.tails), default=0)
        return [
            Text(f"  {name:<{width}}  {line}", style="dim", no_wrap=True, overflow="ellipsis")
            for name, line in self.consoles.last_lines().items()
        ]
