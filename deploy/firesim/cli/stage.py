# SPDX-License-Identifier: BSD-3-Clause
"""Serves a file of a run in its viewer, for commands that have `--open`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from firesim.view.viewers import Viewer

PortOption = Annotated[
    int,
    typer.Option(min=0, max=65535, help="Port of 127.0.0.1 for --open; 0 takes any free port."),
]


def serve_file(run: Path, file: Path, viewer: Viewer, port: int) -> None:
    """Print the address at which a viewer shows a file, and serve it until Ctrl-C.

    Raises:
        InputError: the port cannot be opened, or `run` is no results folder.
    """
    from firesim.view.server import ViewServer
    from firesim.view.viewed import ViewedRun

    with ViewServer(ViewedRun(run), port) as server:
        place = server.stage.address(file.absolute(), file.absolute().parent, viewer)
        typer.echo(f"{server.origin}{place}\nCtrl-C ends it.")
        with suppress(KeyboardInterrupt):
            server.wait()
