# SPDX-License-Identifier: BSD-3-Clause
"""`firesim ssh`: a shell, or a command, on a simulated machine."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from firesim.cli.common import RunOption, plain_errors
from firesim.cli.completion import complete_node

WaitOption = Annotated[
    float, typer.Option("--wait", help="Seconds to wait for the node's ssh server.", min=0)
]


@plain_errors
def ssh(
    node: Annotated[str, typer.Argument(help="Name of the node.", autocompletion=complete_node)],
    command: Annotated[
        list[str] | None, typer.Argument(help="What to run there (default: a shell).")
    ] = None,
    run: RunOption = None,
    wait: WaitOption = 60.0,
) -> None:
    """Log into a node of the running simulation, which needs a gateway and a node with ssh.

    Options stand before the name of the node. The exit status is that of the command.

    Examples:

      firesim ssh node3

      firesim ssh node3 -- uname -a
    """
    from firesim.access.door import door_of, wait_until_open
    from firesim.access.ssh import become_ssh
    from firesim.run.control import running_folder

    say = partial(typer.echo, err=True)
    door = door_of(running_folder(run, say), node, say)
    wait_until_open(door, wait)
    words = command or []
    become_ssh(door, words[1:] if words[:1] == ["--"] else words)
