# SPDX-License-Identifier: BSD-3-Clause
"""`firesim why`: the cycles before an event of a run, simulated again, as one page."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.common import OverrideOption, ResultsOption, leaves_nothing, plain_errors
from firesim.cli.completion import complete_run

RunArgument = Annotated[
    str | None,
    typer.Argument(
        help="A results folder, or its name among the runs (default: the newest).",
        autocompletion=complete_run,
    ),
]
NodeArgument = Annotated[
    str | None, typer.Argument(help="The node to look at (default: where it happened).")
]
AssertOption = Annotated[
    bool, typer.Option("--assert", help="The failed assert that ended the run.")
]
PanicOption = Annotated[bool, typer.Option("--panic", help="The first panic of a kernel.")]
PrintOption = Annotated[
    str | None,
    typer.Option("--print", help="The first line with this text, of a console or the RTL."),
]
DropOption = Annotated[
    str | None,
    typer.Option("--drop", help="The first packet dropped by this switch or faulty link (A-to-B)."),
]
AtOption = Annotated[int | None, typer.Option("--at", min=0, help="This target cycle.")]
NthOption = Annotated[
    int, typer.Option("--nth", min=1, help="With --print or --drop: not the first but the nth.")
]
CyclesOption = Annotated[
    int,
    typer.Option("--cycles", min=1, max=10_000_000, help="Number of target cycles before it."),
]
WholeOption = Annotated[
    bool,
    typer.Option("--whole", help="Simulate the run to its end again, and compare its token hash."),
]


@plain_errors
@leaves_nothing
def why(
    run: RunArgument = None,
    node: NodeArgument = None,
    asserted: AssertOption = False,
    panic: PanicOption = False,
    text: PrintOption = None,
    drop: DropOption = None,
    at: AtOption = None,
    nth: NthOption = 1,
    cycles: CyclesOption = 2000,
    whole: WholeOption = False,
    override: OverrideOption = None,
    results: ResultsOption = None,
) -> None:
    """Show why something happened in a finished run, as one page: why.html.

    Without an option it is what ended the run: a failed assert, a panic, or the first node that
    failed. The run is simulated again up to the event, where it must have told the same (or to its
    end, where it must have the recorded token hash), then once more around the event, with waves,
    call stacks, packets and counters. The recorded run is not changed.

    Examples:

      firesim why

      firesim why results/c --assert --cycles 500

      firesim why results/b node0 --print "ping seq=3"

      firesim why results/a --drop root --nth 3 --whole
    """
    from firesim_common.errors import InputError
    from rich.console import Console

    from firesim.run.replay import chosen_run
    from firesim.why.go import why as write
    from firesim.why.wanted import wanted_of
    from firesim.work.folder import named_folder, newest_folder

    wanted = wanted_of(
        asserted=asserted, panic=panic, text=text, drop=drop, at=at, node=node, nth=nth
    )
    if run is None and newest_folder() is None:
        raise InputError("why: found no results folder, expected one.")
    folder = chosen_run(named_folder(run, "why") if run else None)
    console = Console()
    found = write(folder, wanted, cycles, override or [], results, console, whole)
    console.print(
        f"{found.cause.what}\ncycle {found.cause.cycle:,}"
        f"{f' of {found.cause.node}' if found.cause.node else ''}\nwhy: {found.page}",
        soft_wrap=True,
        highlight=False,
        markup=False,
    )
