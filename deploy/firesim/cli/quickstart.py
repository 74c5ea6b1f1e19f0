# SPDX-License-Identifier: BSD-3-Clause
"""`firesim quickstart`: two Rocket servers on an exact network, bare metal and with Linux."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import OverrideOption, plain_errors, run_console

if TYPE_CHECKING:
    from firesim.config.loaded import Loaded
    from firesim.topology.plan import Plan


@dataclass(frozen=True)
class Part:
    """One of the two runs: what it is called, its recipe and what it shows."""

    name: str
    recipe: str
    shows: str


BARE_METAL = Part(
    "bare-metal",
    "quickstart",
    "a program without a system pings and streams: exact round trips beside the ideal",
)
LINUX = Part(
    "linux",
    "linux_quickstart",
    "Linux boots from reset, pings, streams over TCP and powers off; its kernel's flame graph",
)


def _checked(parts: list[Part], override: list[str]) -> list[tuple[Loaded, Plan]]:
    """Load and check the recipes of parts: what is wrong is said before the first is run."""
    from firesim.pipeline.check import check
    from firesim.pipeline.load import find_config, load_file

    loaded = [load_file(find_config(part.recipe), override) for part in parts]
    return [(one, check(one).plan) for one in loaded]


@plain_errors
def quickstart(
    bare_metal: Annotated[
        bool, typer.Option("--bare-metal", help="Only the first part, which takes seconds.")
    ] = False,
    linux: Annotated[
        bool, typer.Option("--linux", help="Only the second part, in which Linux boots.")
    ] = False,
    override: OverrideOption = None,
    results: Annotated[
        Path | None,
        typer.Option(
            "--results",
            help="Results folder, with a folder in it for each of two parts (default: "
            "results/DATE-TIME-NAME for each).",
        ),
    ] = None,
) -> None:
    """Simulate two Rocket servers on one switch, bare metal and then with Linux.

    First one server pings the other over raw Ethernet and streams to it at full rate; then both
    boot Linux from reset, ping each other, stream over TCP and power off. Every cycle of both is
    computed from the RTL. Each part is a recipe of deploy/recipes, `quickstart` and
    `linux_quickstart`, which runworkload runs as well; an override applies to both.

    Examples:

      firesim quickstart

      firesim quickstart --bare-metal -x system.link.latency_cycles=100

      firesim quickstart --linux -x simulation.engine=functional
    """

    from firesim.results.summary import print_runs
    from firesim.run.ahead import building_ahead
    from firesim.run.shown import run_shown

    parts = [BARE_METAL, LINUX]
    if bare_metal != linux:
        parts = [BARE_METAL if bare_metal else LINUX]
    checked = _checked(parts, override or [])
    console, outcomes = run_console(), {}
    with building_ahead([plan for _, plan in checked[1:]]) as ahead:
        for number, part in enumerate(parts):
            title = f"{number + 1} of {len(parts)}: {part.name}" if len(parts) > 1 else part.name
            console.print(f"[bold]{title}[/bold]  {part.shows}", highlight=False, soft_wrap=True)
            if number > 0:
                ahead.hurry()
            folder = results / part.name if results and len(parts) > 1 else results
            outcomes[part.name] = run_shown(checked[number][0], folder, console)
            console.print()
            if outcomes[part.name].exit_status != 0:
                break
    if len(outcomes) > 1:
        print_runs(outcomes, console)
    raise typer.Exit(max(outcome.exit_status for outcome in outcomes.values()))
