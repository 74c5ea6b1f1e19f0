# SPDX-License-Identifier: BSD-3-Clause
"""The HTTP server of a run's figures, for clients that may be anybody on this computer."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

from firesim.watch.few_clients import IDLE_S, FewClients

_VERSION = re.compile(r"version\s*=([^,;]*)", re.IGNORECASE)
_NUMBERS = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}")
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class _Handler(WSGIRequestHandler):
    timeout = IDLE_S

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the live table's."""


class _Server(FewClients, WSGIServer):
    def server_bind(self) -> None:
        super().server_bind()
        self.setup_environ()


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
