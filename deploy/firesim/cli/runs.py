# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runs`: list, compare, export and remove results of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import RunArgument, plain_errors
from firesim.cli.completion import complete_run
from firesim.cli.runs_stacks import stacks

if TYPE_CHECKING:
    from rich.table import Table

    from firesim.results.compare import Difference

MOST_ROWS = 60
DIFFERENT = 1
"""Exit status with --exit-code when two runs differ."""

runs = typer.Typer(
    help="Results of runs: list them, compare two, export tables, remove what is not needed.",
    no_args_is_help=True,
)
runs.command()(stacks)
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def _folder(name: str) -> Path:
    """Return the results folder that a user names."""
    from firesim.work.folder import named_folder

    return named_folder(name, "runs")


def _megabytes(folder: Path) -> float:
    sizes = (file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())
    return sum(sizes) / 1e6


@runs.command("list")
@plain_errors
def list_all(as_json: JsonOption = False) -> None:
    """List all runs, oldest first, with how they ended, their hash and the disk they take.

    Examples:

      firesim runs list

      firesim runs list --json
    """
    import json

    from firesim_common.printable import printable
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from firesim.run.again import listed_runs
    from firesim.work.folder import saved_result

    rows = [
        {
            "run": one.folder.name,
            "folder": str(one.folder),
            "state": one.state,
            "is_over": one.is_over,
            "token_hash": saved_result(one.folder).get("token_hash"),
            "megabytes": round(_megabytes(one.folder), 1),
        }
        for one in listed_runs()
    ]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("run", overflow="fold")
    table.add_column("state", overflow="fold")
    table.add_column("token hash", no_wrap=True)
    table.add_column("MB", justify="right", no_wrap=True)
    for row in rows:
        cells = [printable(str(row[key] or "-")) for key in ("run", "state", "token_hash")]
        table.add_row(*cells, f"{row['megabytes']:,.1f}")
    if rows:
        Console(markup=False).print(table)
    else:
        typer.echo("no runs")


@runs.command()
@plain_errors
def compare(
    first: RunArgument,
    second: RunArgument,
    as_json: JsonOption = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with status 1 when they differ.")
    ] = False,
) -> None:
    """Show all in which two runs differ: configuration, software, ends, counters, metrics, hashes.

    Examples:

      firesim runs compare results/a results/b

      firesim runs compare results/a results/b --json --exit-code
    """
    import json

    from rich.console import Console

    from firesim.results.compare import compare as differences_of

    found = differences_of(_folder(first), _folder(second))
    if as_json:
        typer.echo(json.dumps([vars(one) for one in found], indent=2))
    elif found:
        Console(markup=False).print(_difference_table(found))
        more = f", {len(found) - MOST_ROWS} not shown: see --json"
        typer.echo(f"{len(found)} differences{more if len(found) > MOST_ROWS else ''}")
    else:
        typer.echo("the same: configuration, software, ends, counters and hashes")
    raise typer.Exit(DIFFERENT if found and exit_code else 0)


def _difference_table(found: Sequence[Difference]) -> Table:
    from firesim_common.printable import printable
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("value", "first", "second"):
        table.add_column(heading, overflow="fold")
    section = ""
    for one in found[:MOST_ROWS]:
        if one.section != section:  # In a line of its own, which leaves names of values their room.
            section = one.section
            table.add_row(section, "", "", style="bold")
        cells = ["-" if value is None else str(value) for value in (one.left, one.right)]
        table.add_row(*(printable(text) for text in (f"  {one.key}", *cells)))
    return table


@runs.command()
@plain_errors
def export(
    run: RunArgument,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder for the files (default RUN/frames).")
    ] = None,
    kind: Annotated[
        str, typer.Option("--format", "-f", help="Format of the files: csv, parquet or json.")
    ] = "csv",
    frame: Annotated[
        list[str] | None,
        typer.Option("--frame", help="Export this frame alone, such as links. Repeatable."),
    ] = None,
) -> None:
    """Write the tables of a run to files: CSV, Parquet (needs pyarrow) or JSON, a file a table.

    The tables are the frames of the Python API: nodes, links, ports, throughput, counters, metrics,
    percentiles, pings, measurements, consoles and stacks. A table without rows gets no file.

    Examples:

      firesim runs export results/a

      firesim runs export results/a --to tables --format parquet --frame counters --frame links
    """
    from firesim.api.results import FRAMES, Results

    folder = _folder(run)
    chosen = frame or FRAMES
    target = folder / "frames" if to is None else to
    written = Results(folder).export(target, kind, chosen)
    for path in written:
        typer.echo(path)
    for name in chosen:
        if target / f"{name}.{kind}" not in written:
            typer.echo(f"{name}: no rows, no file", err=True)


@runs.command()
@plain_errors
def remove(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Results folders, or names among the runs.", autocompletion=complete_run
        ),
    ] = None,
    keep: Annotated[
        int | None, typer.Option("--keep", min=0, help="Remove all but this number of newest runs.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove results of runs, with their snapshots; none that goes on.

    Examples:

      firesim runs remove results/a

      firesim runs remove --keep 5 --yes
    """
    import shutil

    from firesim_common.errors import InputError

    from firesim.run.again import listed_runs, run_of

    if (names is None) == (keep is None):
        raise InputError("runs remove: found neither or both, expected names of runs or --keep.")
    if keep is None:
        chosen = [_folder(name) for name in names or []]
        for folder in chosen:
            if not run_of(folder).is_over:
                text = f"found the run of {folder} going on, expected one that is over"
                raise InputError(f"runs remove: {text}: firesim kill ends it.")
    else:
        over = [one.folder for one in listed_runs() if one.is_over]
        chosen = over[: max(len(over) - keep, 0)]
    for folder in chosen:
        typer.echo(f"{folder}  {_megabytes(folder):,.1f} MB")
    if not chosen:
        typer.echo("nothing to remove")
        return
    if not yes:
        typer.confirm(f"remove {len(chosen)} runs?", abort=True)
    for folder in chosen:
        shutil.rmtree(folder)
