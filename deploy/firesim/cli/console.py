# SPDX-License-Identifier: BSD-3-Clause
"""`firesim console`: the console of a simulated machine."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from firesim.cli.common import RunOption, plain_errors


@plain_errors
def console(
    node: Annotated[str, typer.Argument(help="Name of the node.")], run: RunOption = None
) -> None:
    """Show the console of a node of the running simulation; Ctrl-] leaves.

    With simulation.uart_pty: true, what you type goes to the node, and the run is then marked as
    not deterministic. Without it you can only watch, and Ctrl-C leaves.

    Example: firesim console node3
    """
    from firesim_common.errors import InputError, unknown

    from firesim.access.console import attach, show_log
    from firesim.run.control import running_folder
    from firesim.run.folder import is_alive, load_simulator
    from firesim.topology.describe import CONSOLE, CONSOLE_LOG

    folder = running_folder(run)
    record = load_simulator(folder)

    def is_running() -> bool:
        return record is not None and is_alive(record)

    consoles = sorted(path.parent.name for path in folder.glob(f"*/{CONSOLE_LOG}"))
    if node not in consoles:
        raise InputError(unknown(node, "one of the nodes with a console", consoles))
    terminal = folder / node / CONSOLE
    if terminal.exists():
        attach(terminal, folder / node / CONSOLE_LOG, is_running)
    else:
        show_log(folder / node / CONSOLE_LOG, is_running, sys.stdout.buffer)
