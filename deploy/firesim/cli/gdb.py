# SPDX-License-Identifier: BSD-3-Clause
"""`firesim gdb`: a debugger on a node, forward and back in time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import OverrideOption, PastRunOption, plain_errors
from firesim.cli.completion import complete_past_node, complete_snapshot


@plain_errors
def gdb(
    node: Annotated[
        str, typer.Argument(help="Name of the node.", autocompletion=complete_past_node)
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(help="What gdb is told after it has connected.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", min=0, help="Target cycle to begin at (default: the first one)."),
    ] = None,
    snapshot: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Name or folder of a snapshot to begin at.",
            autocompletion=complete_snapshot,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help="Start no gdb: serve one at this port of 127.0.0.1."
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option("--gdb", help="The gdb to start (default: one for RISC-V in PATH)."),
    ] = None,
    registers: Annotated[
        Path | None,
        typer.Option("--registers", help="Where the registers of a core of yours are in its RTL."),
    ] = None,
    run: PastRunOption = None,
    override: OverrideOption = None,
) -> None:
    """Debug what a node runs, in a run that has been or goes on: stop, step, go back in time.

    The run is simulated again, so nothing of it changes; one that goes on is saved where it is. The
    whole cluster stands still while gdb looks. What follows -- is for gdb.

    Examples:

      firesim gdb node0

      firesim gdb node0 --at 20000 -- -batch -ex "info registers pc" -ex reverse-stepi
    """
    from rich.console import Console

    from firesim.debug.session import at_port, gdb_program, opened, with_gdb

    found = gdb_program(program) if port is None else ""
    console = Console(stderr=True)
    with opened(run, snapshot, node, at, override or [], console, registers) as opened_run:
        history, debugged = opened_run
        if port is not None:
            at_port(history, debugged, port, lambda text: typer.echo(text))
            return
        status = with_gdb(history, debugged, found, arguments or [])
    raise typer.Exit(status)
