# SPDX-License-Identifier: BSD-3-Clause
"""A server of loopback for clients that may be anyone: few at a time, none of them trusted.

A page in a browser and any user may open a port of loopback. No client may keep the others out,
use up the descriptors of the command, or have a stack trace printed into the terminal.
"""

from __future__ import annotations

import socket
import sys
import threading
from contextlib import suppress
from socketserver import TCPServer, ThreadingMixIn
from typing import Any

MOST_CLIENTS = 16
"""At a time; the next one takes the place of the oldest."""
IDLE_S = 10.0
"""Without a byte of a request, or without room for the answer."""


class FewClients(ThreadingMixIn, TCPServer):
    """Serves each client in a thread, and a bounded number of them."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *arguments: Any) -> None:
        self._clients: dict[socket.socket, None] = {}
        """Those that are connected, the oldest first."""
        self._lock = threading.Lock()
        super().__init__(*arguments)

    def server_bind(self) -> None:
        """Bind without asking a name server who this is, as an HTTP server does."""
        TCPServer.server_bind(self)
        host, self.server_port = self.socket.getsockname()[:2]
        self.server_name = str(host)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a client; the client that has waited longest makes room when there are too many."""
        with self._lock:
            while len(self._clients) >= MOST_CLIENTS:
                oldest = next(iter(self._clients))
                del self._clients[oldest]
                with suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)  # Its thread finds the end and closes it.
            self._clients[request] = None
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close the connection of a client."""
        with self._lock:
            self._clients.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a client that went away or fell silent; any other error is a defect of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)
