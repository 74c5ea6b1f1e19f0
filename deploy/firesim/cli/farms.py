# SPDX-License-Identifier: BSD-3-Clause
"""What the commands about run farms share: the farm of an option, tables, what is asked first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.completion import complete_farm

if TYPE_CHECKING:
    from rich.table import Table

    from firesim.farm.base import RunFarm
    from firesim.hosts.host import Host
    from firesim.hosts.ready import ReadyHost

FarmOption = Annotated[
    str,
    typer.Option(
        "--farm",
        help="File of the run farm, or the name of one of deploy/farms.",
        autocompletion=complete_farm,
    ),
]
AnyFarmOption = Annotated[
    str | None,
    typer.Option(
        "--farm",
        help="File of the run farm to run on, instead of the recipe's.",
        autocompletion=complete_farm,
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def farm_from(text: str) -> RunFarm:
    """Return the farm that an option names; nothing is started.

    Raises:
        InputError: there is no such file, or it is wrong.
    """
    from firesim.config.farm import farm_path
    from firesim.farm.up import farm_of

    return farm_of(farm_path(text, Path.cwd()))[1]


def with_farm(override: list[str] | None, farm: str | None) -> list[str]:
    """Return the overrides of a command with that of its farm.

    Raises:
        InputError: there is no such farm.
    """
    from firesim.config.farm import farm_path

    if farm is None:
        return override or []
    return [*(override or []), f'placement.run_farm="{farm_path(farm, Path.cwd()).absolute()}"']


def money(usd_per_hour: float | None) -> str:
    """Return a price as text."""
    return "-" if usd_per_hour is None else f"{usd_per_hour:.2f}"


def host_table(hosts: Sequence[Host]) -> Table:
    """Return the hosts that are up: what they are, what they cost, since when."""
    from rich import box
    from rich.table import Table

    table = Table(title="hosts", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("host", "kind", "address", "up since"):
        table.add_column(heading, overflow="fold")
    table.add_column("USD/h", justify="right")
    for host in hosts:
        since = "-" if host.since is None else f"{host.since:%Y-%m-%d %H:%M}"
        table.add_row(host.name, host.kind, host.address, since, money(host.usd_per_hour))
    return table


def ready_table(hosts: Sequence[ReadyHost]) -> Table:
    """Return what hosts that answer can do."""
    from rich import box
    from rich.table import Table

    table = Table(title="hosts", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("host", overflow="fold")
    for heading in ("cores", "memory GiB", "disk GiB"):
        table.add_column(heading, justify="right")
    table.add_column("processor", overflow="fold")
    for ready in hosts:
        table.add_row(
            ready.name,
            str(ready.cores),
            f"{ready.memory_bytes / 2**30:.1f}",
            f"{ready.about.free_bytes / 2**30:.1f}",
            ready.about.processor,
        )
    return table
