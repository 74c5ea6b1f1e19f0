# SPDX-License-Identifier: BSD-3-Clause
"""A server of loopback for clients that may be anyone: uvicorn, in a thread of the process.

In a thread it takes no signal, and it leaves the loggers of the process as they are: a program that
uses FireSim as a library has its own. A page in a browser and any user may open a port of loopback.
No client may keep the others out, use up the descriptors of the command, or have anything printed.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Sequence
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

ADDRESS = "127.0.0.1"
MOST_CLIENTS = 16
"""At a time; the next client takes the place of the oldest."""
IDLE_S = 10.0
"""Without a byte of a request, or without room for the answer."""
_LOGGER = logging.getLogger(__name__)
_LOGGER.setLevel(logging.ERROR)  # Broken requests are warnings, which anybody could have printed.


class LocalServer:
    """Answers with an ASGI application at a port of `ADDRESS` from `start` to `stop`."""

    def __init__(
        self, app: Any, port: int, name: str, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Open a port, with 0 any free one; `headers` are part of each answer.

        Raises:
            OSError: the port is in use, or is not for this user.
        """
        self._socket = socket.create_server((ADDRESS, port))
        self.port = int(self._socket.getsockname()[1])
        self._server = uvicorn.Server(_config(app, headers))
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), daemon=True, name=name
        )

    def start(self) -> None:
        """Answer from now on; who connected before has waited."""
        self._thread.start()

    @property
    def is_ending(self) -> bool:
        """Whether answers that go on are to end."""
        return self._server.should_exit

    def stop(self, limit_s: float | None = None) -> None:
        """Close the port; wait for answers under way, `limit_s` at most."""
        self._server.should_exit = True
        self._thread.join(limit_s)

    def wait(self) -> None:
        """Wait until the server ends, which it does by `stop` or with a defect."""
        self._thread.join()


def _config(app: Any, headers: Sequence[tuple[str, str]]) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=_Client,
        ws="none",
        lifespan="off",
        log_config=None,
        proxy_headers=False,
        server_header=False,
        headers=list(headers),
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
