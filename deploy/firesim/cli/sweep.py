# SPDX-License-Identifier: BSD-3-Clause
"""`firesim sweep`: run a configuration with every combination of some settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import FAILED, ResultsOption, leaves_nothing, plain_errors, run_console
from firesim.cli.farms import AnyFarmOption, with_farm
from firesim.cli.runworkload import FromOption, WhatOption

if TYPE_CHECKING:
    from rich.console import Console

    from firesim.sweep.folder import SweepFolder

NODE_FAILED = 1
ValuesOption = Annotated[
    list[str] | None,
    typer.Option(
        "-x",
        "--override",
        help="key.path=value, overrides any key; key.path=a,b,c takes each value. Repeatable.",
    ),
]
JobsOption = Annotated[
    int,
    typer.Option(
        "-j",
        "--jobs",
        min=0,
        max=1024,
        help="Number of points simulated at a time (0: one for each core).",
    ),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option("--resume", help="Go on with a sweep that was interrupted: its folder."),
]


@plain_errors
@leaves_nothing
def sweep(
    config: WhatOption = None,
    override: ValuesOption = None,
    results: ResultsOption = None,
    farm: AnyFarmOption = None,
    jobs: JobsOption = 0,
    origin: FromOption = None,
    resume: ResumeOption = None,
) -> None:
    """Run a configuration with every combination of some settings, and put the results in a table.

    A point that fails does not end the others. What several points need is built once. After an
    interruption --resume simulates the points that have no result yet.

    Examples:

      firesim sweep -c quickstart -x system.link.latency=1us,2us,4us

      firesim sweep -c rack_8 -x simulation.engine=functional -x system.link.latency=1us,2us -j 1

      firesim sweep --resume results/2026-01-31-12-00-00-rack_8-sweep
    """
    from firesim_common.errors import InputError

    from firesim.snapshots.restart import restart_from
    from firesim.sweep.folder import opened
    from firesim.sweep.go import Settings, go

    if resume is not None:
        if config is not None or override or results is not None or farm is not None:
            raise InputError("--resume cannot be used with -c, -x, --results or --farm: remove it.")
        folder = opened(resume)
    else:
        folder = _made(config, with_farm(override, farm), results)
    restart = None if origin is None else lambda plan: restart_from(origin, plan, None)
    console = run_console()
    try:
        go(folder, Settings(jobs, restart), console)
    except KeyboardInterrupt:
        typer.echo(f"to go on: firesim sweep --resume {folder.path}", err=True)
        raise
    _show(folder, console)
    raise typer.Exit(_status(folder))


def _made(config: str | None, override: list[str], results: Path | None) -> SweepFolder:
    """Return the folder of a sweep of which every point was checked."""
    from firesim_common.errors import InputError

    from firesim.pipeline.load import find_config, load_file
    from firesim.sweep.folder import make
    from firesim.sweep.go import check_points
    from firesim.sweep.points import axes_of, grid

    if config is None:
        raise InputError("sweep: found no -c, expected a YAML file or the name of a recipe.")
    path = find_config(config)
    axes, fixed = axes_of(override)
    points = grid(axes)
    loaded = load_file(path, fixed)
    check_points(lambda point: load_file(path, [*fixed, *point.overrides()]), points)
    return make(loaded, axes, results)


def _show(folder: SweepFolder, console: Console) -> None:
    from firesim.sweep.plot import SVG
    from firesim.sweep.table import CSV, print_table

    print_table(folder, console)
    for what, name in (("results", ""), ("table", CSV), ("plots", SVG)):
        if (folder.path / name).exists():
            text = f"{what + ':':8} {folder.path / name}"
            console.print(text, highlight=False, soft_wrap=True)


def _status(folder: SweepFolder) -> int:
    """Return 0 if every point passed, 1 if one ended otherwise, 3 if one has no result."""
    from firesim.sweep.folder import PASSED

    came = [came for _, came in folder.all_came()]
    if not all(one is not None and one.is_result for one in came):
        return FAILED
    return 0 if all(one is not None and one.state == PASSED for one in came) else NODE_FAILED
