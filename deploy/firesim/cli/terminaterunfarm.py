# SPDX-License-Identifier: BSD-3-Clause
"""`firesim terminaterunfarm`: give back the hosts that a farm has launched."""

from __future__ import annotations

import typer

from firesim.cli.common import plain_errors
from firesim.cli.farms import FarmOption, YesOption, farm_from, host_table


@plain_errors
def terminaterunfarm(farm: FarmOption, yes: YesOption = False) -> None:
    """Give back all hosts that a run farm has launched, and no other one.

    Hosts that were there before (local and ssh farms) stay up.

    Examples:

      firesim terminaterunfarm --farm two_processes --yes
    """
    from rich.console import Console

    console = Console()
    found = farm_from(farm)
    hosts = [host for host in found.hosts() if host.since is not None]
    if hosts:
        console.print(host_table(hosts))
        if not yes:
            typer.confirm("End them, and what runs on them?", abort=True)
    found.terminate(lambda line: console.print(line, highlight=False, markup=False))
    console.print(f"{found.name}: nothing that it launched is up", highlight=False)
