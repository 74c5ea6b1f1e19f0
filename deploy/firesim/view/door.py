# SPDX-License-Identifier: BSD-3-Clause
"""Whom the live page's server answers, and with what: this computer only, and who has the token.

A page of another origin in the same browser may send requests here, and a name server may call
127.0.0.1 by the name of such a page. So the host must be loopback, an origin must be this one, and
the token in the address must be right; without it, nothing says that there is anything. Viewers and
the files that they show have a token of their own (`stage.py`).

What acts on a simulation is a POST: it must say its origin, and be JSON, which no form of another
page can send; its size and its rate are bounded.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from http import HTTPStatus
from typing import Any, BinaryIO

from firesim_common.errors import InputError
from firesim_common.printable import printable
from firesim_common.regular_file import opened_regular
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from firesim.view.answers import Teller
from firesim.view.libraries import LibraryError, served
from firesim.view.messages import MOST_BYTES
from firesim.view.rate import Rate
from firesim.view.stage import POLICY, Shown, Stage
from firesim.view.subject import Subject
from firesim.watch.local_server import IDLE_S

NEWS_S = 0.25
"""Between two looks for news."""
MOST_ACTS_PER_S = 40
"""Of all pages together; what is typed faster than that waits in the page for the next message."""
_PLACE = "/{token}/{place:path}"
_PIECE = 1 << 16
_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")
_POLICY = (
    "default-src 'none'; connect-src 'self'; img-src data:; script-src 'nonce-{nonce}'; "
    "style-src-elem 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


class Door:
    """Answers requests; what it looks up is looked up in threads."""

    def __init__(self, of: Subject, stage: Stage, is_ending: Callable[[], bool]) -> None:
        """Take what is shown, where files are opened, and what says that pages are to be left."""
        self.subject, self.stage, self.is_ending = of, stage, is_ending
        self.token = secrets.token_urlsafe(18)
        self.rate = Rate(MOST_ACTS_PER_S)
        tells = Route(_PLACE, self._tell, methods=["GET"])
        acts = Route(_PLACE, self._act, methods=["POST"])
        self.app = Starlette(routes=[tells, acts])
        self.app.router.redirect_slashes = False  # An address is right, or there is nothing.

    def _tell(self, request: Request) -> Response:
        """Answer what is asked."""
        host, token, place = _asked(request)
        if request.method != "GET":  # HEAD, which Starlette takes for one.
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED)
        if _same(token, self.stage.token):
            return self._on_stage(place, host)
        of, place = self._below(token, place)
        if place == "":
            return _page(of)
        if place == "events":
            return self._events(of.teller())
        if (file := served(place)) is not None:
            kind, path = file
            return Response(path.read_bytes(), media_type=kind)
        told = of.places.get(place)
        return _json(None if told is None else told(request.query_params))

    async def _act(self, request: Request) -> Response:
        """Act on the simulation, or say in a sentence why not."""
        _, token, place = _asked(request)
        of, place = await run_in_threadpool(self._below, token, place)
        if len(request.headers.getlist("origin")) != 1:
            raise HTTPException(HTTPStatus.FORBIDDEN)
        act = of.acts.get(place)
        if act is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        body = await _body(request)
        if not self.rate.has_room():
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS)
        try:
            await run_in_threadpool(act, body)
        except InputError as error:
            return _json({"error": printable(str(error))}, HTTPStatus.CONFLICT)
        return _json({})

    def _below(self, token: str, place: str) -> tuple[Subject, str]:
        """Return what is asked of what."""
        if not _same(token, self.token):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        name, slash, inner = place.partition("/")
        if not slash:
            return self.subject, place
        of = self.subject.below(name)
        if of is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return of, inner

    def _on_stage(self, place: str, host: str) -> Response:
        """Answer a viewer, or the page that opens one."""
        if not place.startswith("open/"):
            return _file(self.stage.shown(place))
        try:
            return RedirectResponse(self.stage.opened(place, host), HTTPStatus.FOUND)
        except LookupError as error:
            raise HTTPException(HTTPStatus.NOT_FOUND) from error
        except LibraryError as error:
            return PlainTextResponse(f"{error}\n", HTTPStatus.SERVICE_UNAVAILABLE)

    def _events(self, teller: Teller | None) -> Response:
        """Tell a page what happens until the run is over or the page is closed."""
        if teller is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)

        async def told() -> AsyncIterator[str]:
            while not teller.is_over and not self.is_ending():
                news = await run_in_threadpool(teller.news)
                if news is not None:
                    yield f"data: {json.dumps(news)}\n\n"
                if not teller.is_over:
                    await asyncio.sleep(NEWS_S)

        return StreamingResponse(told(), media_type="text/event-stream")


def _asked(request: Request) -> tuple[str, str, str]:
    """Return the host, the token and the place of a request; refuse one that is of no page here."""
    host, origins = request.headers.get("host", ""), request.headers.getlist("origin")
    if not _HOST.fullmatch(host) or any(one != f"http://{host}" for one in origins):
        raise HTTPException(HTTPStatus.FORBIDDEN)
    return host, request.path_params["token"], request.path_params["place"]


def _same(token: str, right: str) -> bool:
    return secrets.compare_digest(token.encode(), right.encode())


async def _body(request: Request) -> bytes:
    """Return what was sent, if it is JSON of a length that is said and bounded."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    length = request.headers.get("content-length")
    if length is None or "transfer-encoding" in request.headers:
        raise HTTPException(HTTPStatus.LENGTH_REQUIRED)
    if int(length) > MOST_BYTES:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    try:
        async with asyncio.timeout(IDLE_S):
            return await request.body()
    except (TimeoutError, ClientDisconnect) as error:
        raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from error


def _page(of: Subject) -> Response:
    nonce = secrets.token_urlsafe(18)
    policy = {"Content-Security-Policy": _POLICY.format(nonce=nonce)}
    return HTMLResponse(of.page(nonce), headers=policy)


def _json(value: dict[str, Any] | None, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return an answer in ASCII: a stranger's name may be no text of UTF-8."""
    if value is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return Response(json.dumps(value), status, media_type="application/json")


def _file(shown: Shown | None) -> Response:
    """Return a file as it is now: it may grow meanwhile."""
    try:
        stream = None if shown is None else opened_regular(shown.path)
    except OSError:
        stream = None
    if shown is None or stream is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    size = os.fstat(stream.fileno()).st_size
    about = {"Content-Length": str(size), "Content-Security-Policy": POLICY}
    return StreamingResponse(_pieces(stream, size), headers=about, media_type=shown.kind)


def _pieces(stream: BinaryIO, size: int) -> Iterator[bytes]:
    with stream:
        while piece := stream.read(min(size, _PIECE)):
            size -= len(piece)
            yield piece
