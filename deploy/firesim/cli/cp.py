# SPDX-License-Identifier: BSD-3-Clause
"""`firesim cp`: files to and from a simulated machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import RunOption, plain_errors
from firesim.cli.ssh import WaitOption


@plain_errors
def cp(
    source: Annotated[str, typer.Argument(help="File or folder: PATH here, or NODE:PATH.")],
    target: Annotated[str, typer.Argument(help="Where to: PATH here, or NODE:PATH.")],
    run: RunOption = None,
    wait: WaitOption = 60.0,
) -> None:
    """Copy a file or folder to a node of the running simulation, or from one.

    Into the target when that is a folder. The node needs a shell, cat and tar. What comes from a
    node is yours, with the mode 644 or 755, and stays inside the target: what leads elsewhere, and
    what is neither file, folder nor link, is left out and named.

    Examples:

      firesim cp trace.txt node3:/tmp

      firesim cp node3:/tmp results-of-node3
    """
    from firesim_common.errors import InputError
    from firesim_common.printable import printable

    from firesim.access.copy import copy_from, copy_to, place_of
    from firesim.access.door import door_of, wait_until_open
    from firesim.run.control import running_folder

    origin, goal = place_of(source), place_of(target)
    if (origin.node is None) == (goal.node is None):
        raise InputError(
            f'cp: found "{source}" and "{target}", expected one of the two as NODE:PATH.'
        )
    say = partial(typer.echo, err=True)
    door = door_of(running_folder(run, say), str(origin.node or goal.node), say)
    wait_until_open(door, wait)
    if goal.node is not None:
        copy_to(Path(origin.path), door, goal.path)
    else:
        for line in copy_from(door, origin.path, Path(goal.path)):
            say(printable(line))
