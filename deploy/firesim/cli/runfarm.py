# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runfarm`: what of a farm is up, since when, what it costs and what it does."""

from __future__ import annotations

from firesim.cli.common import plain_errors
from firesim.cli.farms import FarmOption, farm_from, host_table, money


@plain_errors
def runfarm(farm: FarmOption) -> None:
    """Show which hosts of a run farm are up, since when, what they cost and what runs there.

    Examples:

      firesim runfarm --farm two_processes
    """
    from rich.console import Console

    from firesim.hosts.ready import close_all, connected

    console = Console()
    found = farm_from(farm)
    hosts = found.hosts()
    console.print(host_table(hosts))
    prices = [host.usd_per_hour for host in hosts if host.usd_per_hour is not None]
    if prices:
        console.print(f"together {money(sum(prices))} USD an hour", highlight=False)
    for line in found.missing().what:
        console.print(f"not up: {line}", highlight=False, markup=False)
    answering = connected(hosts)
    try:
        for ready in answering:
            runs = ", ".join(name for name, alive in ready.client.runs().items() if alive)
            load = ready.client.load()
            console.print(
                f"{ready.name}: load {load.load:.1f} of {ready.cores} cores, "
                f"{load.available_bytes / 2**30:.1f} GiB of memory free, "
                f"{load.free_bytes / 2**30:.1f} GiB of disk free, runs: {runs or 'none'}",
                highlight=False,
                soft_wrap=True,
            )
    finally:
        close_all(answering)
