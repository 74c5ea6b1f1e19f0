# SPDX-License-Identifier: BSD-3-Clause
"""The HTTP server of the live page: it answers this computer only, and requests with the token.

A page of another origin in the same browser may send requests here, and a name server may call
127.0.0.1 by the name of such a page. So the host must be loopback, an origin must be this one, and
the token in the address must be right; without it, nothing says that there is anything. Viewers and
the files that they show have a token of their own (`stage.py`).

What acts on a simulation is a POST: it must say its origin, and be JSON, which no form of another
page can send; its size and its rate are bounded.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from firesim_common.errors import InputError
from firesim_common.printable import printable
from firesim_common.regular_file import opened_regular

from firesim.view.libraries import LibraryError, served
from firesim.view.messages import MOST_BYTES
from firesim.view.rate import Rate
from firesim.view.stage import POLICY, Shown, Stage
from firesim.view.subject import Subject, subject
from firesim.view.swept import ViewedSweep
from firesim.view.viewed import ViewedRun
from firesim.watch.few_clients import IDLE_S, FewClients

ADDRESS = "127.0.0.1"
NEWS_S = 0.25
"""Between two looks for news; a page is told at least once in ALIVE_S that the run is looked at."""
ALIVE_S = 5.0
MOST_ACTS_PER_S = 40
"""Of all pages together; what is typed faster than that waits in the page for the next message."""
_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")
_LENGTH = re.compile(r"[0-9]{1,9}")
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_POLICY = (
    "default-src 'none'; connect-src 'self'; img-src data:; script-src 'nonce-{nonce}'; "
    "style-src-elem 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def _same(token: str, right: str) -> bool:
    return secrets.compare_digest(token.encode(), right.encode())


class ViewServer(FewClients):
    """Answers at `url`; any number of pages show the same run or sweep."""

    allow_reuse_address = True

    def __init__(self, viewed: ViewedRun | ViewedSweep, port: int) -> None:
        """Open a port, with 0 any free one.

        Raises:
            InputError: the port is in use, or is not for this user.
        """
        self.stage = Stage()
        self.subject, self.token = subject(viewed, self.stage), secrets.token_urlsafe(18)
        self.rate = Rate(MOST_ACTS_PER_S)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            raise InputError(
                f"--port: port {port} of {ADDRESS} cannot be opened ({error.strerror}), expected "
                "a free one, or 0 for any free one."
            ) from error
        self.origin = f"http://{ADDRESS}:{self.server_port}"
        self.url = f"{self.origin}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    timeout = IDLE_S
    server: ViewServer
    server_version, sys_version = "firesim", ""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the user's."""

    def do_GET(self) -> None:
        """Answer one request."""
        found = self._place()
        if found is None:
            return
        of, place, query = found
        if place == "":
            self._page(of)
        elif place == "events":
            self._events(of)
        elif (file := served(place)) is not None:
            kind, path = file
            self._send(HTTPStatus.OK, kind, path.read_bytes())
        else:
            told = of.places.get(place)
            self._json(None if told is None else told(query))

    def do_POST(self) -> None:
        """Act on the simulation, or say in a sentence why not."""
        found = self._place()
        if found is None:
            return
        if len(self.headers.get_all("Origin", [])) != 1:
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        of, place, _ = found
        act = of.acts.get(place)
        if act is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        body = self._body()
        if body is None:
            return
        if not self.server.rate.has_room():
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS)
            return
        try:
            act(body)
        except InputError as error:
            self._json({"error": printable(str(error))}, HTTPStatus.CONFLICT)
            return
        self._json({})

    def _body(self) -> bytes | None:
        """Return what was sent; None when that is refused, which is then said."""
        lengths = self.headers.get_all("Content-Length", [])
        length = lengths[0] if len(lengths) == 1 else ""
        status = None
        if self.headers.get_content_type() != "application/json":
            status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        elif "Transfer-Encoding" in self.headers or not _LENGTH.fullmatch(length):
            status = HTTPStatus.LENGTH_REQUIRED
        elif int(length) > MOST_BYTES:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        body = b"" if status else self.rfile.read(int(length))
        if status is None and len(body) < int(length):
            status = HTTPStatus.BAD_REQUEST
        if status is not None:
            self._refuse(status)
            return None
        return body

    def _place(self) -> tuple[Subject, str, dict[str, str]] | None:
        """Return what is asked of what; None if it was refused here, or answered by the stage."""
        host, origin = self.headers.get_all("Host", []), self.headers.get_all("Origin", [])
        if len(host) != 1 or not _HOST.fullmatch(host[0]):
            self._refuse(HTTPStatus.FORBIDDEN)
            return None
        if any(one != f"http://{host[0]}" for one in origin):
            self._refuse(HTTPStatus.FORBIDDEN)
            return None
        try:
            parts = urlsplit(self.path)
            values = parse_qs(parts.query, max_num_fields=8)
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST)
            return None
        token, slash, place = parts.path.removeprefix("/").partition("/")
        if slash and self.command == "GET" and _same(token, self.server.stage.token):
            self._on_stage(unquote(place), host[0])
            return None
        if not slash or not _same(token, self.server.token):
            self._refuse(HTTPStatus.NOT_FOUND)
            return None
        of: Subject | None = self.server.subject
        name, slash, inner = place.partition("/")
        if slash:
            of, place = self.server.subject.below(name), inner
        if of is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return None
        return of, place, {key: value[-1] for key, value in values.items()}

    def _on_stage(self, place: str, host: str) -> None:
        """Answer a viewer, or the page that opens one."""
        stage = self.server.stage
        if not place.startswith("open/"):
            self._file(stage.shown(place))
            return
        try:
            to = stage.opened(place, host)
        except LookupError:
            self._refuse(HTTPStatus.NOT_FOUND)
        except LibraryError as error:
            words = f"{error}\n".encode()
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", words)
        else:
            self._send(HTTPStatus.FOUND, "text/plain; charset=utf-8", b"", Location=to)

    def _file(self, shown: Shown | None) -> None:
        try:
            stream = None if shown is None else opened_regular(shown.path)
        except OSError:
            stream = None
        if shown is None or stream is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        with stream:
            size = os.fstat(stream.fileno()).st_size
            about = {"Content-Length": str(size), "Content-Security-Policy": POLICY}
            self._head(HTTPStatus.OK, shown.kind, about)
            shutil.copyfileobj(stream, self.wfile)

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{status.phrase}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, data: bytes, **more: str) -> None:
        self._head(status, kind, {"Content-Length": str(len(data)), **more})
        self.wfile.write(data)

    def _head(self, status: HTTPStatus, kind: str, more: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **_HEADERS, **more}.items():
            self.send_header(name, value)
        self.end_headers()

    def _page(self, of: Subject) -> None:
        nonce = secrets.token_urlsafe(18)
        policy = {"Content-Security-Policy": _POLICY.format(nonce=nonce)}
        data = of.page(nonce).encode()
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", data, **policy)

    def _json(self, value: dict[str, Any] | None, status: HTTPStatus = HTTPStatus.OK) -> None:
        if value is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        self._send(status, "application/json", json.dumps(value).encode())

    def _events(self, of: Subject) -> None:
        """Tell a page what happens until the run is over or the page is closed."""
        teller = of.teller()
        if teller is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        self._head(HTTPStatus.OK, "text/event-stream", {})
        said_s = time.monotonic()
        while not teller.is_over:
            news = teller.news()
            if news is not None:
                self.wfile.write(b"data: " + json.dumps(news).encode() + b"\n\n")
                said_s = time.monotonic()
            elif time.monotonic() - said_s >= ALIVE_S:
                self.wfile.write(b": nothing new\n\n")  # Fails when the page was closed.
                said_s = time.monotonic()
            if not teller.is_over:
                time.sleep(NEWS_S)
