# SPDX-License-Identifier: BSD-3-Clause
"""`firesim timeline`: write the timeline of a run again, or of a part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors
from firesim.cli.completion import complete_run
from firesim.cli.stage import PortOption


@plain_errors
def timeline(
    run: Annotated[
        str | None,
        typer.Argument(
            help="A results folder, or its name among the runs (default: the newest).",
            autocompletion=complete_run,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File (default RUN/timeline.perfetto-trace)."),
    ] = None,
    first: Annotated[
        int, typer.Option("--from", min=0, help="First target cycle that is shown.")
    ] = 0,
    end: Annotated[
        int | None, typer.Option("--to", min=1, help="Target cycle before which it ends.")
    ] = None,
    view: Annotated[
        bool, typer.Option("--open", help="Serve it in Perfetto's viewer until Ctrl-C.")
    ] = False,
    port: PortOption = 0,
) -> None:
    """Write one timeline of a run for Perfetto: call stacks, packets, consoles, disks, counters.

    The run must have been made with -x simulation.timeline.enabled=true. With --open,
    open the printed address in a browser: only the first time, to fetch the viewer, needs a
    network. https://ui.perfetto.dev shows the file, too, and keeps it in the browser.

    Examples:

      firesim timeline

      firesim timeline --open

      firesim timeline results/a -o a.perfetto-trace --to 100000
    """
    from firesim_common.errors import InputError

    from firesim.timeline.window import MOST_CYCLE, Window
    from firesim.timeline.write import write_timeline
    from firesim.work.folder import named_folder, newest_folder

    folder = named_folder(run, "timeline") if run else newest_folder()
    if folder is None:
        raise InputError("timeline: found no results folder, expected one.")
    if end is not None and end <= first:
        raise InputError(f"timeline: found --to {end}, expected more than --from {first}.")
    window = Window(first, MOST_CYCLE if end is None else end)
    written = write_timeline(folder, output, window)
    for sentence in written.left_out:
        typer.echo(f"left out: {sentence}", err=True)
    typer.echo(f"{written.path}  {written.events:,} events, {written.bytes:,} bytes")
    if view:
        from firesim.cli.stage import serve_file
        from firesim.view.viewers import PERFETTO

        serve_file(folder, written.path, PERFETTO, port)
