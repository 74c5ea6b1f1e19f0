# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runcheck`: check a configuration, draw the topology, show what would run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import ConfigOption, OverrideOption, plain_errors
from firesim.cli.farms import AnyFarmOption, with_farm

FUNCTIONAL_NETWORK = (
    "functional network: links are longer than in the system, so that parts seldom wait for each "
    "other; times on it are not exact, no token hash"
)


@plain_errors
def runcheck(
    config: ConfigOption,
    override: OverrideOption = None,
    farm: AnyFarmOption = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Also draw into this SVG file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check a configuration and show what it means; nothing is built or started.

    With a run farm it is shown which host simulates what; hosts that are not this computer are
    asked what they can take. What can only be checked by building is named: it is checked when a
    run begins.

    Examples:

      firesim runcheck -c quickstart

      firesim runcheck -c rack_8 --farm two_processes

      firesim runcheck -c rack_8 -x system.topology=torus_4_4_1 --svg torus.svg

      firesim runcheck -c rack_8 --json
    """
    from rich.console import Console

    from firesim.cli.check_tables import node_table, placement_table, plan_json, switch_table
    from firesim.pipeline.check import check
    from firesim.pipeline.load import find_config, load_file
    from firesim.topology.draw import text_drawing

    bound = check(load_file(find_config(config), with_farm(override, farm)))
    plan, places = bound.plan, bound.places
    hosts = places.of_model if places else {}
    if svg is not None:
        from firesim.report.plan_svg import write_svg

        write_svg(plan, svg)
    if as_json:
        typer.echo(plan_json(plan.name, plan, hosts))
        return
    console = Console()
    console.print(text_drawing(plan, hosts), highlight=False)
    console.print(node_table(plan))
    if plan.switches:
        console.print(switch_table(plan))
    if plan.run.network.is_functional:
        console.print(FUNCTIONAL_NETWORK, highlight=False, soft_wrap=True)
    if places is not None:
        console.print(placement_table(plan, places))
    if svg is not None:
        console.print(f"drawing: {svg}", highlight=False)
    decided = [line for blade in plan.own_blades.values() for line in blade.decided]
    for line in (*decided, *bound.checked_later):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(
        f"{plan.name}: {len(plan.nodes)} nodes, {len(plan.switches)} switches, "
        f"{len(plan.links)} links: ok",
        highlight=False,
    )
