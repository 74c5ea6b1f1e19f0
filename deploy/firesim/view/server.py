# SPDX-License-Identifier: BSD-3-Clause
"""The live page's server: the door, behind a port of loopback."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from firesim_common.errors import InputError

from firesim.view.door import Door
from firesim.view.stage import Stage
from firesim.view.subject import subject
from firesim.view.swept import ViewedSweep
from firesim.view.viewed import ViewedRun
from firesim.watch.local_server import ADDRESS, LocalServer

END_S = 2.0
"""Longest wait at the end for an answer that somebody still waits for."""
_HEADERS = [
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
]


class ViewServer:
    """Answers at `url` within its block; any number of pages show the same run or sweep."""

    def __init__(self, viewed: ViewedRun | ViewedSweep, port: int) -> None:
        """Open a port, with 0 any free one.

        Raises:
            InputError: the port is in use, or is not for this user.
        """
        self.stage = Stage()
        door = Door(subject(viewed, self.stage), self.stage, lambda: self._server.is_ending)
        self.token, self.rate = door.token, door.rate
        try:
            self._server = LocalServer(door.app, port, "firesim view", _HEADERS)
        except OSError as error:
            raise InputError(
                f"--port: port {port} of {ADDRESS} cannot be opened ({error.strerror}), expected "
                "a free one, or 0 for any free one."
            ) from error
        self.server_port = self._server.port
        self.origin = f"http://{ADDRESS}:{self.server_port}"
        self.url = f"{self.origin}/{self.token}/"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.stop(END_S)

    def wait(self) -> None:
        """Wait until the server ends, which it does with the block or with a defect."""
        self._server.wait()
