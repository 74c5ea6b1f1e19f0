# SPDX-License-Identifier: BSD-3-Clause
"""`firesim poke`: a run once more, with registers or memories set in a cycle."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.common import (
    OverrideOption,
    PastRunOption,
    ResultsOption,
    plain_errors,
    run_console,
)
from firesim.cli.completion import complete_past_node


def _value(text: str) -> tuple[str, int]:
    """Return the name and the number of NAME=VALUE."""
    from firesim_common.errors import InputError

    name, equals, value = text.rpartition("=")
    try:
        number = int(value, 0)
    except ValueError:
        number = -1
    if not equals or not name or number < 0:
        raise InputError(f'poke: found "{text}", expected NAME=VALUE such as count=0x1f.')
    return name, number


@plain_errors
def poke(
    node: Annotated[
        str, typer.Argument(help="Name of an RTL node.", autocompletion=complete_past_node)
    ],
    values: Annotated[
        list[str], typer.Argument(help="NAME=VALUE: a register, or a row of a memory (m[3]=7).")
    ],
    at: Annotated[int, typer.Option("--at", min=0, help="First target cycle of the values.")],
    run: PastRunOption = None,
    override: OverrideOption = None,
    results: ResultsOption = None,
) -> None:
    """Set what is inside a node in a cycle of a run that has been, and run on from there.

    The results are those of a new run; it begins at the last snapshot before the cycle, if there is
    one. The same in a configuration: simulation.pokes.

    Examples:

      firesim peek node0 tile.core --list

      firesim poke node0 soc.system.tile.core.csr.reg_mscratch=0x1f --at 900000
    """

    from firesim.run.replay import check_ran, check_reached
    from firesim.run.shown import run_shown
    from firesim.run.signals import poked

    pairs = [_value(text) for text in values]
    loaded, restart = poked(run, node, pairs, at, override or [])
    outcome = run_shown(loaded, results, run_console(), restart)
    check_ran("poke", outcome)
    check_reached("poke", outcome, at)
    raise typer.Exit(outcome.exit_status)
