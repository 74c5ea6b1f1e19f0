# SPDX-License-Identifier: BSD-3-Clause
"""Watches the simulators of a run: the live table, and the figures for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from firesim_common.printable import printable
from rich.console import Console

from firesim.topology.describe import CONSOLE_LOG
from firesim.topology.plan import Plan
from firesim.watch.consoles import Consoles
from firesim.watch.display import Display
from firesim.watch.status import Status, StatusReaders

if TYPE_CHECKING:
    from firesim.watch.metrics_server import MetricsServer

POLL_S = 0.1


class Watched(Protocol):
    """The simulators of a run, here or on hosts."""

    def poll(self) -> int | None:
        """Return the exit status, None while they run."""

    def status_files(self) -> dict[str, str]:
        """Return the names of the status files in the results folder, by host."""

    def news(self) -> list[str]:
        """Return what is to be said and was not yet returned, a line each."""


def open_metrics(plan: Plan, of_its_own: bool = False) -> MetricsServer | None:
    """Return where Prometheus reads a run; None if the run has no port for that.

    A port is opened once for all runs of a process, or for this run if `of_its_own`.

    Raises:
        InputError: the port is in use.
    """
    port = plan.run.monitoring.metrics_port
    if port is None:
        return None
    from firesim.watch.metrics_server import (  # Most runs do without the library.
        MetricsServer,
        metrics_server,
    )

    return MetricsServer(port) if of_its_own else metrics_server(port)


def goal_cycle(plan: Plan) -> int:
    """Return the cycle up to which the time left is estimated, 0 for none."""
    return plan.run.monitoring.eta_cycle or plan.run.max_cycles


class Watch:
    """One run as it is watched."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        start_cycle: int,
        simulators: Watched,
        metrics: MetricsServer | None,
    ) -> None:
        """Take simulators that were started at a cycle, and what tells Prometheus of them."""
        self.plan, self.folder = plan, folder
        self.simulators = simulators
        files = {host: folder / file for host, file in simulators.status_files().items()}
        self.reader = StatusReaders(files, plan.models(), start_cycle)
        self.metrics = metrics
        self.kinds = dict.fromkeys((node.name for node in plan.nodes), "node")
        self.kinds |= dict.fromkeys((switch.name for switch in plan.switches), "switch")
        if plan.gateway is not None:
            self.kinds[plan.gateway.name] = "gateway"

    def to_the_end(self, console: Console, check: Callable[[], None] | None = None) -> None:
        """Show what the simulators do until they end, or until `check` raises an exception."""
        plan = self.plan
        servers = [node.name for node in plan.nodes if node.traffic is None]
        consoles = Consoles({name: self.folder / name / CONSOLE_LOG for name in servers})
        switches = {switch.name for switch in plan.switches}
        if self.metrics is not None:
            console.print(f"metrics: {self.metrics.url}", highlight=False, soft_wrap=True)
        goal = goal_cycle(plan)
        title = plan.name + (" (functional network)" if plan.run.network.is_functional else "")
        with Display(console, title, plan.clock_hz, switches, consoles, goal) as display:
            shown = None
            while self.simulators.poll() is None:
                if check is not None:
                    check()
                self.say_news(console)
                status = self.reader.update()
                if status is not None and status is not shown:
                    display.show(status)
                    self._tell(status, is_over=False)
                    shown = status
                time.sleep(POLL_S)

    def say_news(self, console: Console) -> None:
        """Print what hosts have said since the last time, a line each."""
        for line in self.simulators.news():
            console.print(printable(line), highlight=False, markup=False, soft_wrap=True)

    def over(self) -> None:
        """Tell Prometheus how the run ended; its results are in the folder by now."""
        self._tell(self.reader.update() or Status(), is_over=True)

    def _tell(self, status: Status, is_over: bool) -> None:
        if self.metrics is None:
            return
        from firesim.watch.metrics import Figures

        plan, folder = self.plan, str(self.folder)
        goal = goal_cycle(plan)
        self.metrics.show(
            Figures(plan.name, folder, plan.clock_hz, self.kinds, goal, status, is_over)
        )
