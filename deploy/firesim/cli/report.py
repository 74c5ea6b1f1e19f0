# SPDX-License-Identifier: BSD-3-Clause
"""`firesim report`: write the report of a results folder again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors


@plain_errors
def report(
    folder: Annotated[
        Path | None, typer.Argument(help="A results folder (default: the newest).")
    ] = None,
) -> None:
    """Write report.html for a results folder, complete or not.

    Examples:

      firesim report

      firesim report results/2026-01-31-12-00-00-quickstart
    """
    from firesim_common.errors import InputError
    from rich.console import Console

    from firesim.results.report_step import report_of
    from firesim.work.folder import newest_folder

    chosen = folder or newest_folder()
    if chosen is None or not chosen.is_dir():
        raise InputError(f"report: found no results folder {folder or ''}, expected one.")
    path = report_of(chosen.absolute(), Console())
    if path is None:
        raise typer.Exit(1)
    typer.echo(path)
