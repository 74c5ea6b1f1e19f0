# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runworkload`: build what is missing, run, watch, report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from firesim.cli.common import OverrideOption, ResultsOption, plain_errors, run_console
from firesim.cli.completion import complete_recipe, complete_snapshot
from firesim.cli.farms import AnyFarmOption, with_farm
from firesim.cli.monitoring import EtaCycleOption, MetricsPortOption, monitored

if TYPE_CHECKING:
    from firesim.config.loaded import Loaded
    from firesim.topology.describe import Restart
    from firesim.topology.plan import Plan


HERE = "here"
"""The farm of ours that is this computer."""


DetachOption = Annotated[
    bool,
    typer.Option(
        "--detach", help="Only start the run: it outlives this command; `firesim attach` finds it."
    ),
]
FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="Go on from this snapshot: its name or folder.",
        autocompletion=complete_snapshot,
    ),
]
CloneOption = Annotated[
    int | None,
    typer.Option(
        "--clone",
        min=1,
        help="With --from: make all N nodes of the system from the snapshot's node0, each with an "
        "address and name of its own.",
    ),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        "--resume", help="Go on with a run that was lost: its results folder, instead of -c."
    ),
]
WhatOption = Annotated[
    str | None,
    typer.Option(
        "-c",
        "--config",
        help="YAML file, or the name of a recipe of deploy/recipes.",
        autocompletion=complete_recipe,
    ),
]


@plain_errors
def runworkload(
    config: WhatOption = None,
    override: OverrideOption = None,
    results: ResultsOption = None,
    farm: AnyFarmOption = None,
    detach: DetachOption = False,
    origin: FromOption = None,
    clone: CloneOption = None,
    resume: ResumeOption = None,
    metrics_port: MetricsPortOption = None,
    eta_cycle: EtaCycleOption = None,
) -> None:
    """Run a configuration: build what is missing, simulate, watch, write the report.

    Examples:

      firesim runworkload -c quickstart

      firesim runworkload -c rack.yaml -x system.link.latency_cycles=100 -x simulation.threads=1

      firesim runworkload -c quickstart --farm two_processes

      firesim runworkload -c rack.yaml --from booted -x simulation.engine=rtl

      firesim runworkload -c rack_linux_8 --from booted --clone 8

      firesim runworkload --resume results/2026-01-31-12-00-00-rack_linux_8

      firesim runworkload -c quickstart --metrics-port 0 --eta-cycle 500000
    """
    from firesim_common.errors import InputError

    override = monitored(with_farm(override, farm), metrics_port, eta_cycle)
    if resume is not None:
        if config is not None or origin is not None or clone is not None or detach:
            raise InputError("--resume: found also -c, --from or others, expected it alone.")
        _go_on(resume, override, results)
    if config is None:
        raise InputError("runworkload: found no -c, expected a YAML file or the name of a recipe.")
    if origin is None and clone is not None:
        raise InputError("--clone: found no --from, expected the snapshot to clone.")
    if detach:
        detached(config, override, results, _from(origin, clone))
        return
    run_and_report(config, override, results, _from(origin, clone))


def _go_on(folder: Path, override: list[str], results: Path | None) -> NoReturn:
    """Go on with a run that was lost."""
    from firesim.run.restart import resumed

    loaded, restart = resumed(folder.absolute(), override, lambda text: typer.echo(text, err=True))
    finish(loaded, results, lambda _: restart)


def _from(origin: str | None, clone: int | None) -> Callable[[Plan], Restart | None] | None:
    """Return what says where a run begins; None for cycle 0."""
    from firesim.snapshots.restart import restart_from

    return None if origin is None else lambda plan: restart_from(origin, plan, clone)


def detached(
    config: str,
    override: list[str],
    results: Path | None,
    restart: Callable[[Plan], Restart | None] | None = None,
) -> None:
    """Start a configuration file or recipe and leave it alone; say how it is found again."""
    from rich.console import Console

    from firesim.pipeline.load import find_config, load_file
    from firesim.pipeline.resolve import resolve
    from firesim.run.again import start_and_leave

    path = find_config(config)
    loaded = load_file(path, override)
    if resolve(loaded).placement.run_farm is None:
        loaded = load_file(path, with_farm(override, HERE))
    found = start_and_leave(loaded, results, Console(), restart)
    typer.echo(f"started on {', '.join(found.hosts)}; to watch it: firesim attach {found.folder}")


def run_and_report(
    config: str,
    override: list[str] | None,
    results: Path | None,
    restart: Callable[[Plan], Restart | None] | None = None,
) -> NoReturn:
    """Run a configuration file or recipe, print what came of it, and exit with its status."""
    from firesim.pipeline.load import find_config, load_file

    finish(load_file(find_config(config), override or []), results, restart)


def finish(
    loaded: Loaded, results: Path | None, restart: Callable[[Plan], Restart | None] | None
) -> NoReturn:
    """Run a loaded configuration, print what came of it, and exit with its status."""
    from firesim.run.shown import run_shown

    raise typer.Exit(run_shown(loaded, results, run_console(), restart).exit_status)
