# SPDX-License-Identifier: BSD-3-Clause
"""`firesim ls`: the runs of this source tree, and which of them go on."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.common import plain_errors


@plain_errors
def ls(
    every: Annotated[bool, typer.Option("--all", "-a", help="Also runs that are over.")] = False,
) -> None:
    """List runs that go on, here or on the hosts of a farm, newest last.

    Examples:

      firesim ls

      firesim ls --all
    """
    from firesim_common.printable import printable

    from firesim.run.again import listed_runs

    shown = [run for run in listed_runs() if every or not run.is_over]
    for run in shown:
        where = f" on {', '.join(run.hosts)}" if run.hosts else ""
        network = "  functional network" if run.is_functional else ""
        typer.echo(printable(f"{run.folder}  {run.state}{where}{network}"))
    if not shown:
        typer.echo("no run goes on")
