# SPDX-License-Identifier: BSD-3-Clause
"""`firesim schema`: JSON Schema of the YAML files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors


@plain_errors
def schema(
    kind: Annotated[str, typer.Argument(help="run, workload, farm, builds or hwdb.")] = "run",
    output: Annotated[Path | None, typer.Option("-o", help="File to write.")] = None,
) -> None:
    """Print the JSON Schema of a kind of YAML file, so that editors complete and check it.

    Examples:

      firesim schema > run.schema.json

      firesim schema workload -o workload.schema.json
    """
    from firesim.cli.schemas import schema as make

    text = json.dumps(make(kind), indent=2)
    if output is None:
        typer.echo(text)
    else:
        output.write_text(text + "\n")
