# SPDX-License-Identifier: BSD-3-Clause
"""`firesim view`: a live page of a run, in a browser."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Annotated

import typer

from firesim.cli.common import leaves_nothing, plain_errors
from firesim.cli.completion import complete_run

BEHIND = 10
"""By how much the page stands behind the simulation where both want a core."""


@plain_errors
@leaves_nothing
def view(
    run: Annotated[
        str | None,
        typer.Argument(
            help="A results folder, or its name among the runs, or the folder of a sweep (default: "
            "the run that is running, else the newest).",
            autocompletion=complete_run,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes any free port.")
    ] = 0,
    eta_cycle: Annotated[
        int, typer.Option(min=0, help="Cycle up to which the time left is estimated.")
    ] = 0,
) -> None:
    """Serve a live page of a run until Ctrl-C: topology, link loads, consoles, counters, rate.

    Open the printed address in a browser of this computer. It holds a token: anyone who has it sees
    the page, and can type into consoles, take snapshots and peek at signals there. Looking at the
    page changes no target cycle. From another computer, forward the port: ssh -L
    8080:127.0.0.1:8080 HOST

    Examples:

      firesim view

      firesim view results/2026-01-31-12-00-00-quickstart

      firesim view results/2026-01-31-12-00-00-rack_8-sweep

      firesim view --port 8080 --eta-cycle 500000000
    """
    from firesim.view.chosen import viewed
    from firesim.view.libraries import fetch_libraries
    from firesim.view.server import ViewServer

    say = partial(typer.echo, err=True)
    found = viewed(run, eta_cycle, say)
    fetch_libraries(say)
    os.nice(BEHIND)
    with ViewServer(found, port) as server:
        typer.echo(f"{server.url}\nCtrl-C ends the page; the run goes on.")
        with suppress(KeyboardInterrupt):
            server.wait()
