# SPDX-License-Identifier: BSD-3-Clause
"""`firesim waves`: the signals of a node in some cycles of a run, for Surfer or GTKWave."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.common import OverrideOption, PastRunOption, ResultsOption, plain_errors
from firesim.cli.completion import complete_past_node


@plain_errors
def waves(
    node: Annotated[
        str, typer.Argument(help="Name of an RTL node.", autocompletion=complete_past_node)
    ],
    start: Annotated[int, typer.Option("--from", min=0, help="First target cycle.")] = 0,
    cycles: Annotated[int, typer.Option("--cycles", min=1, help="Number of target cycles.")] = 1000,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", help="Module or signal by hierarchical name; may be repeated."),
    ] = None,
    run: PastRunOption = None,
    override: OverrideOption = None,
    results: ResultsOption = None,
    view: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Open the file in Surfer or GTKWave, or serve it in Surfer's page until Ctrl-C.",
        ),
    ] = False,
) -> None:
    """Write what is inside a node in cycles of a run that has been: simulate it again up to there.

    A run is the same in every cycle each time, so nothing need be recorded beforehand. It starts at
    the run's last snapshot before the first cycle, if it has one, else at cycle 0.

    Examples:

      firesim waves node0 --from 900000 --cycles 2000

      firesim waves node1 --from 5000 --scope soc.system.tile.core --open
    """
    from rich.console import Console

    from firesim.run.waves import write_waves

    console = Console()
    file = write_waves(
        run, node, start, start + cycles, scope or [], override or [], results, console
    )
    console.print(f"waves: {file}", soft_wrap=True, highlight=False)
    if view:
        from firesim.cli.stage import serve_file
        from firesim.run.waves import open_viewer
        from firesim.view.viewers import SURFER

        if not open_viewer(file):
            serve_file(file.parent.parent, file, SURFER, port=0)
