# SPDX-License-Identifier: BSD-3-Clause
"""`firesim peek`: signals of a node in single cycles of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.common import OverrideOption, PastRunOption, ResultsOption, plain_errors
from firesim.cli.completion import complete_past_node

_MOST_COLUMNS = 10_000
"""Of a line on the terminal."""


@plain_errors
def peek(
    node: Annotated[
        str, typer.Argument(help="Name of an RTL node.", autocompletion=complete_past_node)
    ],
    signals: Annotated[
        list[str],
        typer.Argument(help="Registers, memories, rows of memories (m[3]) or wires by name."),
    ],
    at: Annotated[
        list[int] | None,
        typer.Option("--at", min=0, help="Target cycle; may be repeated (default 0)."),
    ] = None,
    names: Annotated[
        bool, typer.Option("--list", help="List the signals whose names hold these texts.")
    ] = False,
    run: PastRunOption = None,
    override: OverrideOption = None,
    results: ResultsOption = None,
) -> None:
    """Show what is inside a node in cycles of a run that has been: simulate it again up to there.

    A register or memory is as the cycle finds it, a wire as the cycle leaves it. To see signals
    cycle by cycle use: firesim waves

    Examples:

      firesim peek node0 tile.core --list

      firesim peek node0 soc.system.tile.core.csr.reg_mepc --at 900000

      firesim peek node1 "soc.system.tile.core.mem_ext.Memory[30]" --at 5000 --at 5001
    """
    from rich.console import Console
    from rich.table import Table

    from firesim.run import signals as access

    console = Console()
    table = Table(box=None, pad_edge=False)
    if names:
        for column in ("signal", "kind", "bits", "rows"):
            table.add_column(column, no_wrap=True)
        for one in access.list_signals(run, node, signals, override or []):
            table.add_row(one.name, one.kind, str(one.width_bits), str(one.rows))
    else:
        for column in ("cycle", "signal", "value"):
            table.add_column(column, no_wrap=True)
        for value in access.peek(run, node, signals, at or [0], override or [], results, console):
            place = value.signal if value.row is None else f"{value.signal}[{value.row}]"
            table.add_row(f"{value.cycle:,}", place, hex(value.value))
    # Names are as long as the design's hierarchy is deep: none of a line is left out.
    wide = Console(width=_MOST_COLUMNS)
    width = wide.measure(table).maximum
    wide.print(table, width=width, soft_wrap=True, highlight=False, markup=False)
