# SPDX-License-Identifier: BSD-3-Clause
"""`firesim experiment NAME`: run one published experiment or ledger of `regression/`."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import plain_errors

if TYPE_CHECKING:
    from firesim.suite.experiments import Found


def _completed(incomplete: str) -> list[tuple[str, str]]:
    """Return the names that begin so, each with what it shows, for the shell's completion."""
    from firesim.suite.experiments import experiments

    return [(k, one.summary) for k, one in experiments().items() if k.startswith(incomplete)]


def _room(found: Found) -> str:
    return found.room


@plain_errors
def experiment(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="Name of the experiment.", autocompletion=_completed)
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
) -> None:
    """Run an experiment; --quick takes about a minute. NAME --help shows its other options.

    Examples:

      firesim experiment --list

      firesim experiment ping-latency --quick
    """
    from firesim_common.errors import InputError, unknown

    from firesim.suite.experiments import experiments, run_experiment
    from firesim.work.process_tree import in_session_of_its_own

    if name == "--help":
        typer.echo(context.get_help())
        return
    known = experiments()
    if list_all or name is None:
        for room, inside in groupby(sorted(known.values(), key=_room), _room):
            typer.echo(f"{room}:")
            for one in inside:
                typer.echo(f"  {one.name:20} {one.summary}")
        return
    if name not in known:
        raise InputError(f"experiment: {unknown(name, 'one of the experiments', list(known))}")
    raise typer.Exit(in_session_of_its_own(partial(run_experiment, name, context.args)))
