# SPDX-License-Identifier: BSD-3-Clause
"""`firesim test`: the one entry for every test."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors


@plain_errors
def test(
    ci: Annotated[bool, typer.Option("--ci", help="Also with sanitizers, as CI does.")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Parts whose name contains this.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="Also write all results to this JUnit XML file.")
    ] = None,
) -> None:
    """Run every test: C++, Python, Chisel and the quick form of every experiment.

    The last line is "N passed, N failed"; the exit status is 0 when nothing failed.

    Examples:

      firesim test

      firesim test --only python --only c++

      firesim test --only "experiment quickstart" --junit results.xml
    """
    from firesim_common.errors import InputError, listed

    from firesim.suite.suite import matching, parts, run_parts
    from firesim.work.process_tree import in_session_of_its_own

    every = parts(ci)
    chosen = matching(every, only or [])
    if not chosen:
        raise InputError(
            f"--only: found {only}, expected part of {listed([p.name for p in every])}."
        )

    def work() -> int:
        total = run_parts(chosen, typer.echo, junit)
        typer.echo(f"{total.passed} passed, {total.failed} failed")
        return 1 if total.failed or not total.passed else 0

    raise typer.Exit(in_session_of_its_own(work))
