# SPDX-License-Identifier: BSD-3-Clause
"""`firesim launchrunfarm`: start the hosts of a farm that are not up."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.common import plain_errors
from firesim.cli.farms import FarmOption, YesOption, farm_from, host_table, money


@plain_errors
def launchrunfarm(
    farm: FarmOption,
    yes: YesOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be started and its price.")
    ] = False,
) -> None:
    """Start the hosts of a run farm that are not up, and wait until they answer.

    What is up stays as it is, so this also makes a farm larger whose file asks for more.

    Examples:

      firesim launchrunfarm --farm two_processes

      firesim launchrunfarm --farm ec2.yaml --dry-run
    """
    from rich.console import Console

    console = Console()
    found = farm_from(farm)
    missing = found.missing()
    for line in missing.what:
        console.print(line, highlight=False, markup=False)
    if missing.usd_per_hour is not None:
        console.print(f"price: {money(missing.usd_per_hour)} USD an hour", highlight=False)
    if dry_run:
        found.dry_run(lambda line: console.print(line, highlight=False, markup=False))
        if not missing.what:
            console.print("nothing to start: all hosts are up")
        return
    if missing.what and missing.usd_per_hour is not None and not yes:
        typer.confirm("Start them?", abort=True)
    found.launch(lambda line: console.print(line, highlight=False, markup=False))
    console.print(host_table(found.hosts()))
