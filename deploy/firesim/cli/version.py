# SPDX-License-Identifier: BSD-3-Clause
"""`firesim version`."""

from __future__ import annotations

import typer


def version() -> None:
    """Print the version of FireSim.

    Example: firesim version
    """
    from firesim import __version__

    typer.echo(f"firesim {__version__}")
