# SPDX-License-Identifier: BSD-3-Clause
"""What ssh runs to get to a node whose gateway is on another host: it carries the bytes there.

The way is in the environment, so that the command is always the same and holds no names.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

from firesim_common.errors import InputError

from firesim.access.door import Door
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.run.reach import reached

COMMAND = '"$FIRESIM_PYTHON" -P -m firesim.access.through'
PYTHON, DOOR = "FIRESIM_PYTHON", "FIRESIM_DOOR"
PIECE = 1 << 16


def environment(door: Door) -> dict[str, str]:
    """Return our environment with what COMMAND needs for a door."""
    way = {"run": str(door.run), "there": door.there, "host": door.host, "port": door.port}
    return {**os.environ, PYTHON: sys.executable, DOOR: json.dumps(way)}


def carry(line: socket.socket) -> None:
    """Carry our input to a stream and it to our output, until either is at its end."""

    def inward() -> None:
        with suppress(OSError):
            while data := os.read(0, PIECE):
                line.sendall(data)
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=inward, daemon=True).start()
    with suppress(OSError):
        while data := line.recv(PIECE):
            while data:
                data = data[os.write(1, data) :]


def main() -> None:
    """Carry the bytes of one connection."""
    way = json.loads(os.environ[DOOR])
    try:
        with (
            reached(Path(way["run"]), way["there"]) as reach,
            reach.client.port(way["host"], way["port"]) as line,
        ):
            carry(line)
    except (InputError, HostLost, HostError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
