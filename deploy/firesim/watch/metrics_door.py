# SPDX-License-Identifier: BSD-3-Clause
"""The HTTP server of a run's figures, for clients that may be anybody on this computer.

A page in a browser and any user may open a port of loopback. None of them may keep Prometheus out,
use up the descriptors of the command, or have a stack trace printed into the live table.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

MOST_CLIENTS = 16
"""At a time; the next one takes the place of the oldest."""
IDLE_S = 10.0
"""Without a byte of a request, or without room for the answer."""
_VERSION = re.compile(r"version\s*=([^,;]*)", re.IGNORECASE)
_NUMBERS = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}")
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class _Handler(WSGIRequestHandler):
    timeout = IDLE_S

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the live table's."""


class _Server(ThreadingMixIn, WSGIServer):
    """Serves each client in a thread, and a bounded number of them."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *arguments: Any) -> None:
        self._clients: dict[socket.socket, None] = {}
        """Those that are connected, the oldest first."""
        self._lock = threading.Lock()
        super().__init__(*arguments)

    def server_bind(self) -> None:
        """Bind without asking a name server who this is, as its base does."""
        TCPServer.server_bind(self)
        host, self.server_port = self.socket.getsockname()[:2]
        self.server_name = str(host)
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a client; who has waited longest makes room when there are too many."""
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
        """Pass over a client that went away or fell silent; whatever else is a defect of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _understood(app: Application) -> Application:
    """Return what gives plain text to whom asks for a version that is none.

    prometheus_client ends in an exception there.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        versions = _VERSION.findall(environ.get("HTTP_ACCEPT", ""))
        if not all(_NUMBERS.fullmatch(version) for version in versions):
            environ["HTTP_ACCEPT"] = "text/plain"
        return app(environ, start_response)

    return answer


def open_door(
    address: str, port: int, registry: CollectorRegistry
) -> tuple[WSGIServer, Callable[[], None]]:
    """Serve the figures of a registry; return the server, and what ends it.

    Raises:
        OSError: the port cannot be opened.
    """
    server = _Server((address, port), _Handler)
    server.set_app(_understood(make_wsgi_app(registry)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def close() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return server, close
