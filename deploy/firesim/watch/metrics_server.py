# SPDX-License-Identifier: BSD-3-Clause
"""Where Prometheus reads the figures of a run: an address of this computer only.

A port, once open, stays open for as long as the command lives: a run that goes on without a lost
host is read where it was read before, and what a run ended with as long as its report is written.
"""

from __future__ import annotations

import os

from firesim_common.errors import InputError
from prometheus_client import CollectorRegistry

from firesim.watch.local_server import ADDRESS, LocalServer
from firesim.watch.metrics import Figures, RunCollector
from firesim.watch.metrics_door import metrics_app


class MetricsServer:
    """Answers at `url` with the figures that were shown last."""

    def __init__(self, port: int) -> None:
        """Open a port, with 0 any free one.

        Raises:
            InputError: the port is in use, or is not for this user.
        """
        self._collector = RunCollector()
        registry = CollectorRegistry()
        registry.register(self._collector)
        try:
            self._server = LocalServer(metrics_app(registry), port, "firesim metrics")
        except OSError as error:
            raise InputError(
                f"simulation.monitoring.metrics_port: port {port} of {ADDRESS} cannot be opened "
                f"({os.strerror(error.errno or 0)}), expected a free one, or 0 for any free one."
            ) from error
        self._server.start()
        self.port = self._server.port
        self.url = f"http://{ADDRESS}:{self.port}/metrics"

    def show(self, figures: Figures) -> None:
        """Answer with these figures from now on."""
        self._collector.figures = figures

    def close(self) -> None:
        """Close the port."""
        self._server.stop()


_open: dict[int, MetricsServer] = {}


def metrics_server(port: int) -> MetricsServer:
    """Return the server of this process that was opened with a port, opened if there is none.

    Raises:
        InputError: the port is in use, or is not for this user.
    """
    if port not in _open:
        _open[port] = MetricsServer(port)
    return _open[port]


def close_all() -> None:
    """Close the ports of this process, which lives on."""
    while _open:
        _open.popitem()[1].close()
