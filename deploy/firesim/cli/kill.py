# SPDX-License-Identifier: BSD-3-Clause
"""`firesim kill`: end running simulations that were started from here, and only those."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors


@plain_errors
def kill(
    folder: Annotated[
        Path | None, typer.Argument(help="Results folder of the run (default: every run).")
    ] = None,
    grace: Annotated[
        float, typer.Option(help="Seconds a simulator may take to write its results.", min=0)
    ] = 30.0,
) -> None:
    """End running simulations; each writes its results first.

    Only processes recorded in results folders are ended, told by process id and start time.

    Examples:

      firesim kill

      firesim kill results/2026-01-31-12-00-00-quickstart
    """
    from firesim_common.errors import InputError

    from firesim.remote.record import load as load_hosts
    from firesim.run.attach import found_again, is_remote
    from firesim.work.folder import load_simulator, run_folders
    from firesim.work.process import end_recorded

    if folder is not None and load_simulator(folder) is None and load_hosts(folder) is None:
        raise InputError(f"kill: found no record of a run in {folder}, expected a results folder.")
    ended = 0
    for candidate in [folder] if folder else run_folders():
        if is_remote(candidate):
            found_again(candidate).stop(grace)
            typer.echo(f"ended {candidate}")
            ended += 1
            continue
        record = load_simulator(candidate)
        if record is not None and end_recorded(record, grace):
            typer.echo(f"ended {candidate}")
            ended += 1
    if not ended:
        typer.echo("nothing was running")
