# SPDX-License-Identifier: BSD-3-Clause
"""`firesim enumeratefpgas`: which FPGAs the hosts of a farm have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import plain_errors
from firesim.cli.farms import FarmOption, farm_from

if TYPE_CHECKING:
    from firesim.bitstream.enumerate import Fpga


@plain_errors
def enumeratefpgas(
    farm: FarmOption,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    sysfs: Annotated[str, typer.Option(help="Where the hosts have sysfs.")] = "/sys",
) -> None:
    """List the FPGAs of each host of a farm, by what its kernel says of PCI and USB.

    A host that has fewer than its farm's file says is named; the exit status is then 3.

    Examples:

      firesim enumeratefpgas --farm here

      firesim enumeratefpgas --farm here --json
    """
    import tempfile
    from pathlib import Path

    from firesim_common.errors import InputError

    from firesim.bitstream.enumerate import fpgas_of
    from firesim.cli.common import FAILED
    from firesim.farm.up import up
    from firesim.hosts.channel import HostLost
    from firesim.hosts.client import HostError

    hosts = up(farm_from(farm))
    try:
        with tempfile.TemporaryDirectory() as scratch:
            found = fpgas_of(hosts, Path(scratch), sysfs)
    except (HostLost, HostError) as error:
        raise InputError(f"{error}.") from error
    finally:
        for ready in hosts:
            ready.client.close()
    by_host = {ready.name: fpgas for ready, fpgas in zip(hosts, found, strict=True)}
    if as_json:
        plain = {name: [vars(one) for one in fpgas] for name, fpgas in by_host.items()}
        typer.echo(json.dumps(plain, indent=1))
    else:
        _show(by_host)
    short = [ready for ready in hosts if len(by_host[ready.name]) < ready.host.fpgas]
    for ready in short:
        there = len(by_host[ready.name])
        text = f"found {there} FPGAs, expected {ready.host.fpgas} as its farm's file says."
        typer.echo(f"{ready.name}: {text}", err=True)
    if short:
        raise typer.Exit(FAILED)


def _show(by_host: dict[str, list[Fpga]]) -> None:
    from firesim_common.printable import printable
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title="FPGAs", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("host", "place", "id", "board", "serial", "driver"):
        table.add_column(heading, overflow="fold")
    for name, fpgas in by_host.items():
        for one in fpgas:
            boards = " or ".join(one.boards)
            # A serial number is text of the device itself.
            cells = (name, one.place, one.id, boards, one.serial or "-", one.driver or "-")
            table.add_row(*(printable(str(cell)) for cell in cells))
        if not fpgas:
            table.add_row(name, "none", "-", "-", "-", "-")
    Console(markup=False).print(table)
