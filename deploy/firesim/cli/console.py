# SPDX-License-Identifier: BSD-3-Clause
"""`firesim console`: the console of a simulated machine."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from firesim.cli.common import RunOption, plain_errors
from firesim.cli.completion import complete_node

POLL_S = 0.5
"""Between two looks at a log on another host."""


@plain_errors
def console(
    node: Annotated[str, typer.Argument(help="Name of the node.", autocompletion=complete_node)],
    run: RunOption = None,
) -> None:
    """Show the console of a node of the running simulation; Ctrl-] leaves.

    With simulation.uart_pty: true, what you type goes to the node, and the run is then marked as
    not deterministic. Without it you can only watch.

    Example: firesim console node3
    """
    from firesim.access.keyboard import console_of
    from firesim.run.attach import is_remote
    from firesim.run.control import running_folder

    folder = running_folder(run, partial(typer.echo, err=True))
    entry = console_of(folder, node)
    if is_remote(folder):
        _there(folder, str(entry["process"]), entry["bridges"]["uart"])
    else:
        _here(folder, node)


def _here(folder: Path, node: str) -> None:
    """Show the console of a node that this computer simulates."""
    from firesim.access.console import attach, opened, show_log
    from firesim.topology.describe import CONSOLE, CONSOLE_LOG
    from firesim.work.folder import is_alive, load_simulator

    record = load_simulator(folder)

    def is_running() -> bool:
        return record is not None and is_alive(record)

    while is_running() and not (folder / node / CONSOLE_LOG).exists():
        time.sleep(POLL_S)  # The simulator has only just begun.
    terminal = folder / node / CONSOLE
    with (folder / node / CONSOLE_LOG).open("rb") as log:
        if terminal.exists():
            with opened(terminal) as line:
                attach(line, log, is_running)
        else:
            show_log(log, is_running, sys.stdout.buffer)


def _there(folder: Path, host: str, uart: dict[str, Any]) -> None:
    """Show the console of a node that a host of a farm simulates."""
    from firesim.access.console import attach, show_log
    from firesim.run.reach import reached

    with reached(folder, host) as reach, reach.log(str(uart["log"])) as log:
        if not uart["pty"]:
            show_log(log, reach.is_running, sys.stdout.buffer, POLL_S)
            return
        with reach.client.terminal(reach.run, str(uart["pty"])) as line:
            line.setblocking(False)
            attach(line.fileno(), log, lambda: True)  # The stream ends with the simulator.
