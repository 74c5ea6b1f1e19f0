# SPDX-License-Identifier: BSD-3-Clause
"""The live page's server: uvicorn on a port of loopback, in a thread of the process.

In a thread it takes no signal, and it leaves the loggers of the process as they are: a program that
uses FireSim as a library has its own. Any user of this computer may open its port, so that no
client may keep the others out, or have anything printed.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from types import TracebackType
from typing import Any, Self, cast

import uvicorn
from firesim_common.errors import InputError
from uvicorn.protocols.http.h11_impl import H11Protocol

from firesim.view.door import Door
from firesim.view.stage import Stage
from firesim.view.subject import subject
from firesim.view.swept import ViewedSweep
from firesim.view.viewed import ViewedRun
from firesim.watch.few_clients import IDLE_S, MOST_CLIENTS

ADDRESS = "127.0.0.1"
END_S = 2.0
"""Longest wait at the end for an answer that somebody still waits for."""
_HEADERS = [
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
]
_LOGGER = logging.getLogger(__name__)
_LOGGER.setLevel(logging.ERROR)  # Broken requests are warnings, which anybody could have printed.


class ViewServer:
    """Answers at `url` within its block; any number of pages show the same run or sweep."""

    def __init__(self, viewed: ViewedRun | ViewedSweep, port: int) -> None:
        """Open a port, with 0 any free one.

        Raises:
            InputError: the port is in use, or is not for this user.
        """
        self.stage = Stage()
        door = Door(subject(viewed, self.stage), self.stage, lambda: self._server.should_exit)
        self.token, self.rate = door.token, door.rate
        try:
            self._socket = socket.create_server((ADDRESS, port))
        except OSError as error:
            raise InputError(
                f"--port: port {port} of {ADDRESS} cannot be opened ({error.strerror}), expected "
                "a free one, or 0 for any free one."
            ) from error
        self.server_port = int(self._socket.getsockname()[1])
        self.origin = f"http://{ADDRESS}:{self.server_port}"
        self.url = f"{self.origin}/{self.token}/"
        self._server = uvicorn.Server(_config(door))
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), daemon=True, name="firesim view"
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        self._thread.join(END_S)

    def wait(self) -> None:
        """Wait until the server ends, which it does with the block or with a defect."""
        self._thread.join()


def _config(door: Door) -> uvicorn.Config:
    return uvicorn.Config(
        door.app,
        loop="asyncio",
        http=_Client,
        ws="none",
        lifespan="off",
        log_config=None,
        proxy_headers=False,
        server_header=False,
        headers=_HEADERS,
        timeout_keep_alive=int(IDLE_S),
    )


class _Client(H11Protocol):
    """A connection: one of few, and closed when it is silent.

    When there are too many, one that waits for no answer makes room, the oldest first.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.logger, self.access_log = _LOGGER, False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.begun_s = self.loop.time()
        self._limit_silence()
        others = cast("set[_Client]", self.connections) - {self}
        if len(others) >= MOST_CLIENTS:
            oldest = min(others, key=lambda one: (one.waits_for_answer, one.begun_s))
            oldest.transport.abort()
            self.connections.discard(oldest)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.waits_for_answer:
            self._limit_silence()

    @property
    def waits_for_answer(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _limit_silence(self) -> None:
        """End the connection as uvicorn ends one between two requests."""
        self._unset_keepalive_if_required()
        ends = self.timeout_keep_alive_handler
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, ends)
