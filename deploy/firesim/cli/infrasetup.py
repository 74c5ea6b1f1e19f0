# SPDX-License-Identifier: BSD-3-Clause
"""`firesim infrasetup`: check the hosts of a farm and copy there what a run will need."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.common import OverrideOption, leaves_nothing, plain_errors
from firesim.cli.farms import AnyFarmOption, ready_table, with_farm


@plain_errors
@leaves_nothing
def infrasetup(
    config: Annotated[
        str, typer.Option("-c", "--config", help="YAML file or recipe whose files are copied.")
    ],
    farm: AnyFarmOption = None,
    override: OverrideOption = None,
) -> None:
    """Check the hosts of a run farm, build what a recipe needs and copy it there.

    A run does this by itself; to do it before tells early what is wrong. Each content is copied
    once.

    Examples:

      firesim infrasetup -c quickstart --farm two_processes
    """
    from rich.console import Console

    from firesim.pipeline.load import find_config, load_file
    from firesim.run.setup import set_up

    console = Console()
    loaded = load_file(find_config(config), with_farm(override, farm))
    places, copied = set_up(loaded, console)
    console.print(ready_table(places.hosts))
    console.print(
        f"{loaded.name}: {len(places.hosts)} hosts are ready, {copied / 2**20:.1f} MiB copied",
        highlight=False,
    )
