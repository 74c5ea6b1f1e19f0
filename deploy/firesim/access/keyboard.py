# SPDX-License-Identifier: BSD-3-Clause
"""Types into the console of a node of a running simulation, here or on the host that simulates it.

Whatever is typed enters the target, and the simulator then marks the run as not deterministic.
"""

from __future__ import annotations

import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown

from firesim.access.console import opened, send
from firesim.run.attach import is_remote
from firesim.run.control import is_running
from firesim.run.reach import reached, simulated
from firesim.topology.describe import CONSOLE

TAKES_S = 2.0
"""A node that takes no input for longer is told no more."""


def console_of(run: Path, node: str) -> dict[str, Any]:
    """Return a node with a console, as the description of its run has it.

    Raises:
        InputError: the run has no such node.
    """
    nodes = simulated(run)
    known = sorted(name for name, one in nodes.items() if "uart" in (one.get("bridges") or {}))
    if node not in known:
        raise InputError(unknown(node, "one of the nodes with a console", known))
    return nodes[node]


def type_into(run: Path, node: str, data: bytes) -> None:
    """Give bytes to the console of a node, as if they were typed at `firesim console`.

    Raises:
        InputError: no such node, nothing there to type into, the run is over, or the node takes
            no input.
        HostLost, HostError: its host is gone or refuses.
    """
    entry = console_of(run, node)
    if not is_running(run):
        raise InputError("the run is over, expected one that goes on: nothing was typed.")
    if not entry["bridges"]["uart"].get("pty"):
        raise InputError(
            f"{node}: found a console that can only be watched, expected a terminal: start the "
            "run with -x simulation.uart_pty=true."
        )
    with _line(run, node, entry) as line:
        left = send(line, data, TAKES_S)
    if left:
        raise InputError(
            f"{node}: took {len(data) - len(left)} of {len(data)} bytes, expected that it reads "
            "its console; the rest was dropped."
        )


@contextmanager
def _line(run: Path, node: str, entry: dict[str, Any]) -> Iterator[int]:
    """Open the terminal of a node's console, as a descriptor that does not block."""
    if is_remote(run):
        with reached(run, str(entry["process"])) as reach:
            terminal = str(entry["bridges"]["uart"]["pty"])
            with reach.client.terminal(reach.run, terminal) as stream:
                stream.setblocking(False)
                yield stream.fileno()
        return
    try:
        with opened(run / node / CONSOLE) as line:
            yield line
    except (OSError, termios.error) as error:
        raise InputError(f"{node}: its terminal cannot be reached: {error.args[-1]}.") from error
