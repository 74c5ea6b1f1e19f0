# SPDX-License-Identifier: BSD-3-Clause
"""`firesim import`: a recipe from files of the earlier FireSim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors

FileArgument = Annotated[
    Path,
    typer.Argument(
        help="config_runtime.yaml, the JSON of a workload, or a workload of FireMarshal."
    ),
]
OutputOption = Annotated[
    Path | None, typer.Option("-o", "--output", help="Recipe to write (default: print it).")
]
HwdbOption = Annotated[
    Path | None,
    typer.Option("--hwdb", help="Hardware database (default: config_hwdb.yaml beside FILE)."),
]
BuildRecipesOption = Annotated[
    Path | None,
    typer.Option(
        "--build-recipes",
        help="Build recipes (default: config_build_recipes.yaml beside FILE).",
    ),
]
WorkloadOption = Annotated[
    Path | None,
    typer.Option("--workload", help="Workload (default: as FILE names it, in workloads/)."),
]
CustomConfigsOption = Annotated[
    Path | None,
    typer.Option("--custom-configs", help="Folder with runtime settings of the memory."),
]
BladeOption = Annotated[
    str | None,
    typer.Option("--blade", help="Blade, a name or a file, instead of the design in FILE."),
]
ChipyardOption = Annotated[
    Path | None,
    typer.Option(
        "--chipyard",
        help="Hardware to use: FIRRTL (.fir) of the target, or a gen-collateral "
        "(default: one of our blades, else what is in ../sim/generated-src).",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


@plain_errors
def import_files(
    file: FileArgument,
    output: OutputOption = None,
    hwdb: HwdbOption = None,
    build_recipes: BuildRecipesOption = None,
    workload: WorkloadOption = None,
    custom_configs: CustomConfigsOption = None,
    blade: BladeOption = None,
    chipyard: ChipyardOption = None,
    force: ForceOption = False,
) -> None:
    """Make a recipe of a runtime configuration of FireSim 1.x, or of a workload alone.

    What has no counterpart is named once, here and at the top of the recipe. The recipe is checked
    as `firesim runcheck` does, and written even if that refuses it.

    Examples:

      firesim import firesim/deploy/config_runtime.yaml -o mine.yaml

      firesim import config_runtime.yaml --hwdb my_hwdb.yaml --blade rocket-4-l2

      firesim import config_runtime.yaml --chipyard sim/generated-src/f2/NAME/FireSim.fir

      firesim import deploy/workloads/bare-base.json -o bare.yaml

      firesim import firemarshal/example-workloads/bench.json --chipyard FireSim.fir
    """
    from firesim_common.errors import InputError

    from firesim.importing.imported import Request, import_files

    if blade is not None and chipyard is not None:
        text = "--blade cannot be combined with --chipyard: each says the hardware. Remove one."
        raise InputError(text)
    if output is not None and output.exists() and not force:
        raise InputError(f'-o: found "{output}", expected a new file, or --force.')
    made = import_files(
        Request(file, hwdb, build_recipes, workload, custom_configs, blade, chipyard)
    )
    name = output or Path("recipe.yaml")
    fault = _fault(made.text, name)
    if output is None:
        typer.echo(made.text, nl=False)
    else:
        output.write_text(made.text)
    typer.echo("".join(f"{line}\n" for line in made.notes), nl=False, err=True)
    typer.echo(f"runcheck: {fault}" if fault else f"runcheck of {name}: ok", err=True)
    if fault:
        raise typer.Exit(2)


def _fault(text: str, name: Path) -> str:
    """Return what `runcheck` says against a recipe that would lie at `name`, or nothing."""
    from firesim_common.errors import InputError
    from firesim_common.positions import parse_yaml

    from firesim.pipeline.check import check
    from firesim.pipeline.load import load_source, name_of_file

    try:
        check(load_source(parse_yaml(text, str(name)), name.absolute().parent, name_of_file(name)))
    except InputError as error:
        return str(error)
    return ""
