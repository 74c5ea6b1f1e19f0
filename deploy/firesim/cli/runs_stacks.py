# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runs stacks`: differential flame graphs of two runs, and what changed most."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import RunArgument, plain_errors

if TYPE_CHECKING:
    from rich.table import Table

    from firesim.report.stack_difference import FunctionChange
    from firesim.report.stack_tree import Stacks

FOLDER = "stacks-difference"


@plain_errors
def stacks(
    first: RunArgument,
    second: RunArgument,
    node: Annotated[
        list[str] | None, typer.Option("--node", help="Only this node (default: all). Repeatable.")
    ] = None,
    hart: Annotated[
        list[int] | None,
        typer.Option("--hart", min=0, help="Only harts of this number (default: all). Repeatable."),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="Only this command, process or thread: sh, sh-41. Repeatable."),
    ] = None,
    ids: Annotated[
        bool, typer.Option("--ids", help="Keep processes of the same command apart.")
    ] = False,
    rows: Annotated[
        int, typer.Option("--rows", min=1, help="Number of functions that are printed.")
    ] = 20,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help=f"Folder for the files (default SECOND/{FOLDER})."),
    ] = None,
) -> None:
    """Show where two traced runs spend their cycles differently, and draw it as flame graphs.

    Shares of cycles are compared, so the runs need not be equally long. Prints the functions whose
    own share has changed most; `all` is with what they call. Writes two pictures, one with the
    widths of each run, and the stacks of both runs as text for flamegraph.pl.

    Examples:

      firesim runs stacks results/a results/b

      firesim runs stacks results/a results/b --node node0 --hart 0 --rows 5 -o difference
    """
    from rich.console import Console

    from firesim.report.stack_choice import Chosen, chosen_stacks
    from firesim.report.stack_difference import changes
    from firesim.work.folder import named_folder

    folders = [named_folder(name, "runs") for name in (first, second)]
    chosen = Chosen(node or (), hart or (), task or (), ids)
    found = [chosen_stacks(folder, chosen) for folder in folders]
    console = Console(markup=False)
    console.print(_table(changes(found[0], found[1])[:rows]))
    target = output or folders[1] / FOLDER
    for path in _written(target, [folder.name for folder in folders], found[0], found[1]):
        typer.echo(path)


def _table(changed: Sequence[FunctionChange]) -> Table:
    from firesim_common.printable import printable
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("function", overflow="fold")
    for heading in ("itself 1st %", "2nd %", "change", "all 1st %", "2nd %", "change"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in changed:
        own = [*one.own, one.own_difference]
        total = [*one.total, one.total_difference]
        cells = [
            f"{100 * share:{sign}.2f}"
            for share, sign in zip(own + total, 2 * ["", "", "+"], strict=True)
        ]
        table.add_row(printable(one.name), *cells)
    return table


def _written(folder: Path, names: Sequence[str], first: Stacks, second: Stacks) -> list[Path]:
    """Write both pictures and the text; return their paths."""
    from firesim.report.difference_svg import difference_svg
    from firesim.report.stack_difference import folded_difference

    title = f"{names[0]} (first) and {names[1]} (second)"
    texts = {
        "second.svg": difference_svg(first, second, title),
        "first.svg": difference_svg(first, second, title, by_first=True),
        "difference.folded": "".join(f"{line}\n" for line in folded_difference(first, second)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]
