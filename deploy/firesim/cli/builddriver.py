# SPDX-License-Identifier: BSD-3-Clause
"""`firesim builddriver`: the host's side of bitstreams, and their metasimulation."""

from __future__ import annotations

from typing import Annotated

import typer

from firesim.cli.buildbitstream import OnlyOption, RecipeArgument
from firesim.cli.common import leaves_nothing, plain_errors


@plain_errors
@leaves_nothing
def builddriver(
    recipe: RecipeArgument,
    only: OnlyOption = None,
    metasim: Annotated[
        bool, typer.Option(help="Compile the metasimulation of each build's design, too.")
    ] = True,
) -> None:
    """Build firesim-sim, in which all drivers are, and the metasimulation of each build's design.

    It prints their paths, and the fingerprint that the bitstream of each design must have.

    Examples:

      firesim builddriver reflector --only reflector-8

      firesim builddriver reflector --no-metasim
    """
    from firesim.bitstream.forms import build_design, check_builds, design_form
    from firesim.build.model import metasim_model
    from firesim.build.simulator import simulator
    from firesim.config.bitstream import LoadedBuilds, find_builds

    loaded = LoadedBuilds(find_builds(recipe))
    names = check_builds(loaded, only or [])
    typer.echo(simulator())
    for name in names:
        design = build_design(loaded, name)
        fingerprint = design_form(design).manifest.design_hash
        where = f" {metasim_model(design)}" if metasim else ""
        typer.echo(f"{name}: {fingerprint}{where}")
