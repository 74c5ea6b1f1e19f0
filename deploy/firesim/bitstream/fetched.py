# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams from http, https and S3, kept by their content; an address alone is never trusted.

With a SHA-256 what is kept needs no server. Without one the server is asked each time whether what
is there is still what was fetched: by its ETag, or by Last-Modified where that says enough. A
server that says neither sends it again.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlparse

from firesim_common.cache import cached, content_key
from firesim_common.paths import cache_root
from firesim_common.whole_file import write_whole

KIND, FILE = "fetched-bitstream", "firesim.bit"
PIECE = 1 << 20
MOST_BYTES = 4 << 30
"""Of a bitstream or an image: far more than any device takes."""
LIMIT_S = 30.0
OLD_ENOUGH_S = 60
"""A file that was changed less than this before it was sent may have changed once more in the same
second, which Last-Modified does not show (RFC 9110, 8.8.2.2)."""
_NOT_MODIFIED = 304
State = dict[str, str]
"""What a server says of a file that changes when the file does."""


def fetched(uri: str, sha256: str | None) -> Path:
    """Return a file of the cache with what is at an address.

    Raises:
        ValueError: it is not what `sha256` says, or too large.
        Exception: of urllib or boto3, if it cannot be had.
    """
    if sha256 is None:
        return _checked_with_server(uri)
    wanted = sha256

    def build(folder: Path) -> None:
        with _opened(uri, {}) as (stream, _):
            found = _download(stream, folder / FILE)
        if found != wanted:
            raise ValueError(f"its SHA-256 is {found[:16]}..., not {wanted[:16]}...")

    return cached(KIND, [wanted], build) / FILE


def _checked_with_server(uri: str) -> Path:
    """Return what is at an address now, fetched if the server does not say that it is the same."""
    note = cache_root() / KIND / f".{content_key([uri])}.json"
    known, kept = _noted(note)
    with _opened(uri, known if kept is not None else {}) as (stream, state):
        if stream is None:
            assert kept is not None
            return kept
        note.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetched-", dir=note.parent) as name:
            new = Path(name) / FILE
            digest = _download(stream, new)

            def build(to: Path) -> None:
                new.replace(to / FILE)

            folder = cached(KIND, [digest], build)
    write_whole(note, json.dumps({"state": state, "sha256": digest}))
    return folder / FILE


def _noted(note: Path) -> tuple[State, Path | None]:
    """Return what a server said when a file was fetched, and the file, None if it is not kept."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        found = json.loads(note.read_text(encoding="utf-8"))
        file = cache_root() / KIND / content_key([found["sha256"]]) / FILE
        if found["state"] and file.is_file():
            return dict(found["state"]), file
    return {}, None


@contextmanager
def _opened(uri: str, known: State) -> Iterator[tuple[IO[bytes] | None, State]]:
    """Open what is at an address; no stream if the server says that it is what is `known`."""
    with _from_s3(uri, known) if uri.startswith("s3:") else _from_http(uri, known) as found:
        yield found


@contextmanager
def _from_http(uri: str, known: State) -> Iterator[tuple[IO[bytes] | None, State]]:
    # Nothing between may answer for the server.
    request = urllib.request.Request(uri, headers={"Cache-Control": "no-cache", **known})
    try:
        answer = urllib.request.urlopen(request, timeout=LIMIT_S)
    except HTTPError as error:
        if error.code != _NOT_MODIFIED or not known:
            raise
        error.close()
        yield None, known
        return
    with answer:
        yield answer, _state_of(answer.headers)


def _state_of(headers: Message) -> State:
    """Return the conditions under which a server need not send a file again; none if it has none.

    A weak ETag, and a time just before the answer's, may be those of another content, too.
    """
    tag = headers.get("ETag", "")
    if tag.startswith('"'):
        return {"If-None-Match": tag}
    with suppress(TypeError, ValueError):
        modified = headers.get("Last-Modified", "")
        sent = parsedate_to_datetime(headers.get("Date", ""))
        age = sent - parsedate_to_datetime(modified)
        if age.total_seconds() >= OLD_ENOUGH_S:
            return {"If-Modified-Since": modified}
    return {}


@contextmanager
def _from_s3(uri: str, known: State) -> Iterator[tuple[IO[bytes] | None, State]]:
    import boto3

    place = urlparse(uri)
    s3, key = boto3.client("s3"), place.path.lstrip("/")
    head = s3.head_object(Bucket=place.netloc, Key=key)
    # Each object that is put has a time and, in a bucket with versions, an identity of its own.
    state = {
        "tag": head["ETag"],
        "version": str(head.get("VersionId", "")),
        "bytes": str(head["ContentLength"]),
        "modified": head["LastModified"].isoformat(),
    }
    if state == known:
        yield None, known
        return
    answer: Any = s3.get_object(Bucket=place.netloc, Key=key, IfMatch=head["ETag"])
    with answer["Body"] as stream:
        yield stream, state


def _download(stream: IO[bytes] | None, target: Path) -> str:
    """Write what comes to a file; return its SHA-256.

    Raises:
        ValueError: it is too large.
    """
    assert stream is not None
    digest = hashlib.sha256()
    with target.open("wb") as to:
        while piece := stream.read(PIECE):
            if to.tell() + len(piece) > MOST_BYTES:
                raise ValueError(f"more than {MOST_BYTES:,} bytes came")
            to.write(piece)
            digest.update(piece)
    return digest.hexdigest()
