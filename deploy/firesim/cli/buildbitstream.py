# SPDX-License-Identifier: BSD-3-Clause
"""`firesim buildbitstream`: bitstreams from build recipes, on a build farm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import FAILED, ResultsOption, plain_errors, run_console
from firesim.cli.completion import complete_builds
from firesim.cli.farms import YesOption, money

if TYPE_CHECKING:
    from rich.console import Console

    from firesim.bitstream.farm import Build
    from firesim.farm.base import RunFarm


RecipeArgument = Annotated[
    str,
    typer.Argument(
        help="File of build recipes, or the name of one of deploy/builds.",
        autocompletion=complete_builds,
    ),
]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", help="Build only this one; may be repeated.")
]


@plain_errors
def buildbitstream(
    recipe: RecipeArgument,
    only: OnlyOption = None,
    farm: Annotated[
        str | None,
        typer.Option("--farm", help="File of the build farm, or one of deploy/farms."),
    ] = None,
    hwdb: Annotated[
        Path | None, typer.Option("--hwdb", help="Hardware database that the entries go into.")
    ] = None,
    results: ResultsOption = None,
    keep_hosts: Annotated[
        bool, typer.Option("--keep-hosts", help="Do not give back hosts that were launched.")
    ] = False,
    yes: YesOption = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only check the recipe; nothing is built or started.")
    ] = False,
) -> None:
    """Build bitstreams, as many at a time as the build farm has hosts, and note them.

    What is built already, from the same text by the same tools, is not built again. A build that
    fails does not stop the others; the exit status is then 3. Ctrl-C ends all builds and leaves
    nothing on the hosts; a manager that dies leaves them going, and the next one goes on with them.

    Examples:

      firesim buildbitstream reflector --check

      firesim buildbitstream reflector

      firesim buildbitstream reflector --farm two_processes --only reflector-64
    """
    from firesim.bitstream import command
    from firesim.bitstream.database import read_database
    from firesim.bitstream.forms import check_builds
    from firesim.config.bitstream import LoadedBuilds, find_builds
    from firesim.work.folder import new_folder
    from firesim.work.steps import Steps

    console = run_console()
    loaded = LoadedBuilds(find_builds(recipe))
    checked = check_builds(loaded, only or [])
    found = command.build_farm_of(loaded, farm)
    database = command.database_of(loaded, hwdb)
    if database.is_file():
        read_database(database)
    if check:
        for name, (board_name, _, builder) in checked.items():
            console.print(f"{name}: {board_name} by {builder.name}", highlight=False)
        return
    _ask(found, yes)
    builds = command.make_builds(loaded, only or [], Steps(console))
    folder = new_folder("buildbitstream", results)
    command.build_all(builds, found, keep_hosts, folder, database, console)
    _show(console, builds, folder, database)
    if any(build.fault for build in builds):
        raise typer.Exit(FAILED)


def _ask(found: RunFarm, yes: bool) -> None:
    missing = found.missing()
    if missing.what and missing.usd_per_hour is not None and not yes:
        for line in missing.what:
            typer.echo(line)
        typer.confirm(f"Start them for {money(missing.usd_per_hour)} USD an hour?", abort=True)


def _show(console: Console, builds: Sequence[Build], folder: Path, database: Path) -> None:
    from firesim.bitstream.report import PICTURE, progress_table

    console.print(progress_table(builds))
    for build in builds:
        if build.fault:
            typer.echo(build.fault, err=True)
        else:
            console.print(f"{folder / build.name / PICTURE}", highlight=False, soft_wrap=True)
    console.print(f"database: {database}", highlight=False, soft_wrap=True)
