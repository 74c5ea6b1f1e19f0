# SPDX-License-Identifier: BSD-3-Clause
"""`firesim snapshot`: save a running simulation, and list, show and delete what was saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import RunOption, plain_errors
from firesim.cli.completion import complete_snapshot

if TYPE_CHECKING:
    from firesim.config.keep import S3Place
    from firesim.snapshots.files import Snapshot

snapshot = typer.Typer(
    help="Snapshots of whole simulations: every model and link at one exact cycle.",
    no_args_is_help=True,
)

SnapshotArgument = Annotated[
    str,
    typer.Argument(
        help="Name (the newest of that name) or folder of a snapshot.",
        autocompletion=complete_snapshot,
    ),
]


@snapshot.command()
@plain_errors
def save(
    name: Annotated[str, typer.Argument(help="Name of the new snapshot.")],
    run: RunOption = None,
) -> None:
    """Save a running simulation; it goes on meanwhile and its result does not change.

    The snapshot is the folder snapshots/NAME in the run's results.

    Examples:

      firesim snapshot save booted

      firesim snapshot save booted --run results/2026-01-31-12-00-00-rack_linux_8
    """
    from firesim.run.control import running_folder
    from firesim.run.saving import save_snapshot

    folder = running_folder(run, partial(typer.echo, err=True))
    saved = save_snapshot(folder, name)
    typer.echo(f"saved {name} at cycle {saved.cycle:,}: {saved.path}")


@snapshot.command("list")
@plain_errors
def list_all(
    place: Annotated[
        str | None,
        typer.Argument(help="What placement.keep_snapshots says: a folder or s3://BUCKET/PREFIX."),
    ] = None,
) -> None:
    """List the snapshots of all runs in the results, oldest first, and what is wrong with others.

    With a place, list what runs on hosts have kept there. What a bucket has is named as --from
    takes it, run by run and by cycle; in a folder it is FOLDER/RUN/NAME.

    Examples:

      firesim snapshot list

      firesim snapshot list s3://my-bucket/firesim
    """
    from firesim_common.errors import InputError

    from firesim.config.keep import s3_place

    if place is None:
        _list_known()
    elif (bucket := s3_place(place)) is not None:
        _list_bucket(bucket)
    elif Path(place).is_dir():
        _list_known(Path(place))
    else:
        raise InputError(f'snapshot: found "{place}", expected a folder or s3://BUCKET/PREFIX.')


def _list_bucket(place: S3Place) -> None:
    """List the snapshots in a bucket."""
    import time

    from firesim_common.printable import printable

    from firesim.snapshots.bucket import listed

    found = listed(place)
    if not found:
        typer.echo("no snapshots")
    for each in found:
        saved = time.strftime("%Y-%m-%d %H:%M", each.saved_at.astimezone().timetuple())
        typer.echo(f"{saved}  {each.bytes / (1 << 20):9,.1f} MiB  {printable(str(each.place))}")


def _list_known(shared: Path | None = None) -> None:
    """List the snapshots of the results, or of a folder that hosts share."""
    import time

    from firesim_common.errors import InputError
    from firesim_common.printable import printable
    from rich.console import Console
    from rich.table import Table

    from firesim.snapshots.files import all_snapshots, shared_snapshots

    damaged: dict[Path, InputError] = {}
    known = all_snapshots(damaged) if shared is None else shared_snapshots(shared, damaged)
    for error in damaged.values():
        typer.echo(printable(str(error)), err=True)
    if not known:
        typer.echo("no snapshots")
        return
    table = Table()
    for heading in ("name", "cycle", "nodes", "MiB", "saved", "run"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("name", "cycle"))
    for each in known:
        table.add_row(
            each.name,
            f"{each.cycle:,}",
            _nodes(each),
            f"{each.bytes_on_disk() / (1 << 20):,.1f}",
            time.strftime("%Y-%m-%d %H:%M", time.localtime(each.saved_at)),
            each.path.parent.name if shared else each.run.name if each.run else "",
        )
    Console().print(table)


def _nodes(each: Snapshot) -> str:
    """Return how many nodes of which engine a snapshot has."""
    kinds = [each.kinds[name] for name in each.nodes]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))) or "none"


@snapshot.command()
@plain_errors
def show(name: SnapshotArgument) -> None:
    """Show what is in a snapshot.

    Example: firesim snapshot show booted
    """
    from firesim.snapshots.files import find_snapshot

    found = find_snapshot(name)
    typer.echo(f"folder: {found.path}")
    typer.echo(f"cycle: {found.cycle:,}")
    typer.echo(f"created by: {found.created_by}")
    typer.echo(f"on disk: {found.bytes_on_disk() / (1 << 20):,.1f} MiB")
    for model, kind in sorted(found.kinds.items()):
        typer.echo(f"model: {model} ({kind})")


@snapshot.command()
@plain_errors
def delete(name: SnapshotArgument) -> None:
    """Delete a snapshot.

    Example: firesim snapshot delete booted
    """
    from firesim.snapshots.files import delete_snapshot, find_snapshot

    found = find_snapshot(name)
    delete_snapshot(found.path)
    typer.echo(f"deleted {found.path}")
