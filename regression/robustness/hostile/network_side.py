# SPDX-License-Identifier: BSD-3-Clause
"""Broken words of others over a network: requests to the figures of a run, listings of a bucket."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesim.config.keep import S3Place, s3_place
from firesim.snapshots import bucket
from firesim.watch.local_server import ADDRESS
from firesim.watch.metrics_server import MetricsServer
from firesim_common.errors import InputError

from regression.robustness.hostile.mutate import mutated
from regression.robustness.hostile.results_side import Taker

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SCRAPE = (
    b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: application/openmetrics-text;"
    b"version=1.0.0,text/plain;q=0.5\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
)
SELECTED = b"GET /metrics?name[]=firesim_run_info&name[]=x HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc"
NEXT_PAGE = b"\n--next page--\n"
MOST_PAGES = 20
"""Of a listing, so that one without an end costs little."""
PLACE = S3Place("bucket", "case")
_LIMIT_S = 5.0
_SILENCE_S = 0.3
"""After which a broken request is taken for one whose rest the server waits for."""
_LARGEST_ANSWER = 1 << 20


@cache
def _door() -> MetricsServer:
    """Return a server that was opened once for all cases."""
    return MetricsServer(0)


def _answer(port: int, request: bytes, silence_s: float = _LIMIT_S) -> bytes:
    """Return what is answered, until the server ends it or says nothing for so long."""
    answer = b""
    with socket.create_connection((ADDRESS, port), timeout=_LIMIT_S) as client:
        try:
            client.sendall(request)
            client.settimeout(silence_s)
            while (more := client.recv(1 << 16)) and len(answer) <= _LARGEST_ANSWER:
                answer += more
        except (ConnectionResetError, BrokenPipeError):
            return b""  # It need not hear out who talks nonsense.
        except TimeoutError:
            pass
    return answer


def _scraped(data: bytes, folder: Path) -> None:
    port = _door().port
    answer = _answer(port, data, _SILENCE_S)
    if len(answer) > _LARGEST_ANSWER:
        raise ValueError("an answer without an end")
    if answer.startswith(b"HTTP/1.1 5"):
        raise ValueError(f"a defect of the server: {answer[:200]!r}")
    if not _answer(port, SCRAPE).startswith(b"HTTP/1.1 200 OK\r\n"):
        raise ValueError("the next client is not served")
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise InputError(f"refused: {answer[:40]!r}")


@cache
def _client() -> S3Client:
    import boto3
    from botocore.config import Config

    return boto3.session.Session().client(
        "s3",
        region_name="us-east-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=Config(retries={"max_attempts": 0}),
    )


def _answering(pages: list[bytes]) -> Callable[..., Any]:
    """Return what botocore calls for its requests, and has these pages in turn for ever."""
    from botocore.awsrequest import AWSResponse
    from botocore.compat import HTTPHeaders

    asked = 0

    def answer(request: Any, **_: Any) -> AWSResponse:
        nonlocal asked
        page = pages[asked % len(pages)]
        asked += 1
        return AWSResponse(request.url, 200, HTTPHeaders(), _Raw(page))

    return answer


class _Raw(io.BytesIO):
    """A body as botocore reads it."""

    def stream(self, **_: Any) -> Any:
        yield self.read()


def _listing(data: bytes, folder: Path) -> None:
    client = _client()
    answer = _answering(data.split(NEXT_PAGE))
    client.meta.events.register("before-send.s3", answer)
    try:
        with bucket.refusals(PLACE, "s3:ListBucket"):
            found = bucket.listed_by(client, PLACE, MOST_PAGES)
    finally:
        client.meta.events.unregister("before-send.s3", answer)
    if bad := [str(one.place) for one in found if s3_place(str(one.place)) is None]:
        raise ValueError(f"{bad[0]!r} is listed")
    if bad := [str(one.bytes) for one in found if not isinstance(one.bytes, int)]:
        raise ValueError(f"{bad[0]!r} is listed as bytes")


def _page(more: bytes, *keys: bytes) -> bytes:
    contents = b"".join(
        b"<Contents><Key>%b</Key><LastModified>2026-11-23T14:00:00.000Z</LastModified>"
        b"<ETag>&quot;0&quot;</ETag><Size>4096</Size></Contents>" % key
        for key in keys
    )
    return (
        b'<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><Prefix>case/</Prefix>'
        b"<KeyCount>%d</KeyCount>%b%b</ListBucketResult>" % (len(keys), more, contents)
    )


def takers() -> dict[str, Taker]:
    """Return good inputs, what takes one, its share of the cases, and how it is broken, by name."""
    more = b"<IsTruncated>true</IsTruncated><NextContinuationToken>t1</NextContinuationToken>"
    last = b"<IsTruncated>false</IsTruncated>"
    listings = [
        _page(last, b"case/cycle-1.tar", b"case/other"),
        _page(more, b"case/a.tar") + NEXT_PAGE + _page(last, b"case/b/c.tar"),
        _page(last, b"case/../../x.tar", b"../x.tar", b"case//y.tar", b"case/%1b[2J.tar"),
    ]
    return {
        "metrics": ([SCRAPE, SELECTED], _scraped, 0.5, mutated),
        "listing": (listings, _listing, 0.5, mutated),
    }
