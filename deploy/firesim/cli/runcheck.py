# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runcheck`: check a configuration, draw the topology, show what would run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import ConfigOption, OverrideOption, plain_errors
from firesim.cli.farms import AnyFarmOption, with_farm

if TYPE_CHECKING:
    from rich.table import Table

    from firesim.run.remote.places import Places
    from firesim.topology.plan import Plan

MOST_ROWS = 64
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
) -> None:
    """Check a configuration and show what it means; nothing is built or started.

    With a run farm its hosts are asked, and it is shown which one simulates what.

    Examples:

      firesim runcheck -c quickstart

      firesim runcheck -c rack_8 --farm two_processes

      firesim runcheck -c rack.yaml -x system.topology=clos_2_8_2 --svg clos.svg
    """
    from rich.console import Console

    from firesim.config.load import find_config, load_file
    from firesim.run.checks import check_plan
    from firesim.run.remote.places import placed
    from firesim.topology.draw import text_drawing, write_svg
    from firesim.topology.resolve import resolve

    loaded = load_file(find_config(config), with_farm(override, farm))
    plan = resolve(loaded)
    check_plan(loaded, plan)
    places = placed(plan)
    console = Console()
    console.print(text_drawing(plan, places.of_model if places else {}), highlight=False)
    console.print(node_table(plan))
    if plan.switches:
        console.print(switch_table(plan))
    if plan.run.network.is_functional:
        console.print(FUNCTIONAL_NETWORK, highlight=False, soft_wrap=True)
    if places is not None:
        console.print(placement_table(plan, places))
        places.close()
    if svg is not None:
        write_svg(plan, svg)
        console.print(f"drawing: {svg}", highlight=False)
    console.print(
        f"{loaded.name}: {len(plan.nodes)} nodes, {len(plan.switches)} switches, "
        f"{len(plan.links)} links: ok",
        highlight=False,
    )


def placement_table(plan: Plan, places: Places) -> Table:
    """Return which host simulates what, its share of the cost, and which of its links are cut."""
    from rich import box
    from rich.table import Table

    from firesim.run.remote.places import costs

    cost = costs(plan)
    table = Table(title="placement", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("host", overflow="fold")
    for heading in ("cores", "cost %", "links cut", "shortest"):
        table.add_column(heading, justify="right")
    table.add_column("parts", overflow="fold")
    for ready in places.hosts:
        parts = [name for name, host in places.of_model.items() if host == ready.name]
        cut = [link for link in plan.links if (link.a in parts) != (link.b in parts)]
        shortest = min((link.latency_cycles for link in cut), default=None)
        share = sum(cost[part] for part in parts) / sum(cost.values())
        more = [f"and {len(parts) - 12} more"] if len(parts) > 12 else []
        table.add_row(
            ready.name,
            str(ready.cores),
            f"{100 * share:.0f}",
            str(len(cut)),
            "-" if shortest is None else f"{shortest:,}",
            ", ".join(parts[:12] + more),
        )
    return table


def node_table(plan: Plan) -> Table:
    """Return the resolved nodes as a table."""
    from rich.table import Table

    table = Table(title="nodes", title_justify="left")
    headings = ("node", "blade", "engine", "memory MiB", "timing", "MAC", "IP", "Gb/s", "software")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for node in plan.nodes[:MOST_ROWS]:
        software = node.program or node.elf or node.linux or node.traffic or "-"
        table.add_row(
            node.name,
            node.blade,
            "-" if node.traffic else node.engine,
            "-" if node.traffic else str(node.memory_mib),
            "-" if node.traffic or node.engine != "rtl" else node.memory.timing.model,
            node.mac,
            node.ip,
            f"{200 * node.rate[0] / node.rate[1]:g}",
            " ".join([str(software), *node.args, *([node.command] if node.command else [])]),
        )
    if len(plan.nodes) > MOST_ROWS:
        table.caption = f"{len(plan.nodes) - MOST_ROWS} more nodes"
    return table


def switch_table(plan: Plan) -> Table:
    """Return the resolved switches as a table."""
    from rich.table import Table

    table = Table(title="switches", title_justify="left")
    for heading in ("switch", "kind", "switching cycles", "ports", "port: peer (nodes reached)"):
        table.add_column(heading, overflow="fold")
    for switch in plan.switches[:MOST_ROWS]:
        reached = [0] * len(switch.ports)
        for port in switch.table.values():
            reached[port] += 1
        ports = [f"{i}: {port.peer} ({reached[i]})" for i, port in enumerate(switch.ports)]
        more = [f"and {len(ports) - 16} more"] if len(ports) > 16 else []
        table.add_row(
            switch.name,
            switch.kind,
            str(switch.switching_latency_cycles),
            str(len(switch.ports)),
            ", ".join(ports[:16] + more),
        )
    if len(plan.switches) > MOST_ROWS:
        table.caption = f"{len(plan.switches) - MOST_ROWS} more switches"
    return table
