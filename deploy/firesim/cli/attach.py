# SPDX-License-Identifier: BSD-3-Clause
"""`firesim attach`: watch a run that goes on by itself, to its end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors
from firesim.cli.monitoring import EtaCycleOption, MetricsPortOption, monitored


@plain_errors
def attach(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Results folder of the run (default: the one that is not over)."),
    ] = None,
    metrics_port: MetricsPortOption = None,
    eta_cycle: EtaCycleOption = None,
) -> None:
    """Watch a run whose manager has gone, fetch its results and write the report.

    Runs on a farm go on when their manager or its terminal ends. Ctrl-C ends the run; to leave it
    again, end the terminal.

    Examples:

      firesim attach

      firesim attach results/2026-01-31-12-00-00-quickstart

      firesim attach --metrics-port 9101 --eta-cycle 1000000000
    """
    from rich.console import Console

    from firesim.run.again import attached, the_detached

    console, watching = Console(), monitored([], metrics_port, eta_cycle)
    chosen = (folder or the_detached()).absolute()
    raise typer.Exit(attached(chosen, console, watching).exit_status)
