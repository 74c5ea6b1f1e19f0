# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots in a bucket of S3: one object each, an archive whose holes take no room.

An object is there when it is whole, so a snapshot is never half there. What comes from a bucket is
not trusted: an archive may only hold plain files, and the snapshot in it is checked like any other.
"""

from __future__ import annotations

import re
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from firesim_common.cache import cached
from firesim_common.errors import InputError, cut, unknown
from firesim_common.json_text import read_json
from firesim_common.tar_stream import BROKEN, opened_stream

from firesim.config.keep import S3Place, s3_place
from firesim.snapshots.files import AUTOMATIC, files_of
from firesim.snapshots.files import FILE as INDEX

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectsV2OutputTypeDef

ENDING = ".tar"
PIECE = 1 << 20
MOST_FILES, MOST_BYTES = 1 << 20, 1 << 42
"""In an archive, and of one file: more than any node has memory."""
PLAIN = re.compile(r"[A-Za-z0-9_%][A-Za-z0-9_.%-]*")
MOST_PAGES = 1_000
"""Of a listing; each has up to 1,000 keys."""
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RuntimeError)
NOT_THERE = {"404", "NoSuchBucket", "NoSuchKey", "NotFound"}
REFUSED = {"403", "AccessDenied", "AllAccessDisabled", "Forbidden"}
NOT_VALID = {"InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"}


@dataclass(frozen=True)
class InS3:
    """A snapshot in a bucket."""

    place: S3Place
    bytes: int
    """Of its archive."""
    saved_at: datetime


def check(place: S3Place) -> None:
    """Write a small object to a place and remove it again.

    Raises:
        InputError: it cannot be done; one sentence.
    """
    key = _key(place.below(".firesim-check"))
    with _asking(place, "s3:PutObject") as s3:
        s3.put_object(Bucket=place.bucket, Key=key, Body=b"")
        s3.delete_object(Bucket=place.bucket, Key=key)


def send(folder: Path, place: S3Place) -> None:
    """Keep the complete snapshot of a folder at a place, unless it is there already.

    Raises:
        InputError: S3 refuses; one sentence.
        OSError: the snapshot cannot be read.
    """
    if _state(place) is not None:
        return
    names = [INDEX, *files_of(read_json(folder / INDEX))]
    words = ["tar", "--create", "--sparse", "--format=gnu", f"--directory={folder}", "--", *names]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tar:
        try:
            with _asking(place, "s3:PutObject") as s3:
                body = cast(IO[bytes], _Whole(tar, folder))
                s3.upload_fileobj(body, place.bucket, _key(place))
        finally:
            tar.kill()


class _Whole:
    """What a program writes, which has no end unless the program ends well."""

    def __init__(self, program: subprocess.Popen[bytes], folder: Path) -> None:
        self.program, self.folder = program, folder

    def read(self, size: int = -1) -> bytes:
        assert self.program.stdout is not None
        data = self.program.stdout.read(size)
        if not data and self.program.wait() != 0:
            raise OSError(f"{self.folder}: cannot be read, it was changed or removed meanwhile")
        return data


def remove(place: S3Place) -> None:
    """Remove the snapshot at a place, if there is one.

    Raises:
        InputError: S3 refuses; one sentence.
    """
    with _asking(place, "s3:DeleteObject") as s3:
        s3.delete_object(Bucket=place.bucket, Key=_key(place))


def listed(place: S3Place) -> list[InS3]:
    """Return the snapshots below a place, run by run, those of a run by cycle.

    Raises:
        InputError: S3 refuses; one sentence.
    """
    with _asking(place, "s3:ListBucket") as s3:
        return listed_by(s3, place)


def listed_by(s3: S3Client, place: S3Place, most_pages: int = MOST_PAGES) -> list[InS3]:
    """Return what a client of S3 lists below a place, run by run, those of a run by cycle.

    Keys that are no place, which nobody could go on from, are left out.

    Raises:
        InputError: a listing without an end, or none; one sentence.
    """
    found = []
    for page in _pages(s3, place, most_pages):
        for one in page.get("Contents", []):
            key, saved_at = one.get("Key", ""), one.get("LastModified")
            if key.endswith(ENDING) and saved_at is not None and saved_at.tzinfo is not None:
                at = s3_place(f"s3://{place.bucket}/{key.removesuffix(ENDING)}")
                if at is not None:
                    found.append(InS3(at, one.get("Size", 0), saved_at))
    return _ordered(found)


def _ordered(found: list[InS3]) -> list[InS3]:
    """Return snapshots run by run, the run first kept first, those of a run by cycle.

    When each arrived says nothing of its cycle: large ones take longer. A name that the user gave
    has no cycle: it stays behind those that arrived before it.
    """
    runs: dict[str, list[tuple[int, InS3]]] = {}
    for one in sorted(found, key=lambda one: one.saved_at):
        run, _, name = one.place.prefix.rpartition("/")
        of_run = runs.setdefault(run, [])
        named = AUTOMATIC.fullmatch(name)
        cycle = int(named[1]) if named else max((cycle for cycle, _ in of_run), default=0)
        of_run.append((cycle, one))
    return [one for of_run in runs.values() for _, one in sorted(of_run, key=lambda two: two[0])]


def _pages(s3: S3Client, place: S3Place, most_pages: int) -> Iterator[ListObjectsV2OutputTypeDef]:
    prefix = f"{place.prefix}/" if place.prefix else ""
    asked = s3.get_paginator("list_objects_v2").paginate(Bucket=place.bucket, Prefix=prefix)
    pages = iter(asked)
    for _ in range(most_pages):
        try:
            page = next(pages)
        except StopIteration:
            return
        except UNREADABLE as error:  # of botocore, about numbers and dates that are none
            raise InputError(
                f"{place}: found no listing of a bucket ({cut(str(error))}), expected one of S3."
            ) from error
        yield page
    raise InputError(
        f"{place}: found more than {most_pages:,} pages of names below it, expected the place of "
        "your snapshots alone."
    )


def fetched(place: S3Place) -> Path:
    """Return a folder of the cache with the snapshot at a place.

    Raises:
        InputError: there is none, S3 refuses, or it is none of ours; one sentence.
    """
    tag = _state(place)
    if tag is None:
        above = S3Place(place.bucket, place.prefix.rpartition("/")[0])
        names = [str(one.place) for one in listed(above)]
        if not names:
            raise InputError(f"{place}: found no snapshot there, and none below {above}.")
        raise InputError(unknown(str(place), "one of the snapshots", names))

    key = [str(place), tag]

    def fetch(folder: Path) -> None:
        with _asking(place, "s3:GetObject") as s3:
            # Else what was put there since would be kept as what was there before.
            answer = s3.get_object(Bucket=place.bucket, Key=_key(place), IfMatch=key[1])
            unpacked(cast(IO[bytes], answer["Body"]), folder, place)

    return cached("snapshots", key, fetch)


def unpacked(stream: IO[bytes], folder: Path, place: S3Place) -> None:
    """Unpack the archive of a snapshot into an empty folder; `place` is where it comes from.

    Raises:
        InputError: it is no whole one, or holds anything but plain files.
    """
    try:
        with opened_stream(stream) as archive:
            for count, member in enumerate(archive.each()):
                source = archive.extractfile(member) if member.isreg() else None
                if source is None or not PLAIN.fullmatch(member.name) or count == MOST_FILES:
                    raise InputError(f"{place}: found {member.name!r} in it, expected plain files.")
                if member.size > MOST_BYTES:
                    size = f"{member.size:,} bytes"
                    raise InputError(
                        f"{place}: found {size} in it, expected {MOST_BYTES:,} at most."
                    )
                with (folder / member.name).open("xb") as target:
                    _copy(member, source, target)
    except (*BROKEN, FileExistsError) as error:
        raise InputError(f"{place}: found no whole archive of a snapshot: {error}.") from error


def _copy(member: tarfile.TarInfo, source: IO[bytes], target: IO[bytes]) -> None:
    """Copy a member; its holes, of which it may say any size, are not read, and stay holes."""
    parts: list[tuple[int, int]] = getattr(member, "sparse", None) or [(0, member.size)]
    plain: IO[bytes] = source.raw  # type: ignore[attr-defined]  # a stream has no other that seeks
    for offset, size in parts:
        plain.seek(offset)
        target.seek(offset)
        left = size
        while left and (data := plain.read(min(PIECE, left))):
            left -= len(data)
            if data.count(0) == len(data):
                target.seek(len(data), 1)
            else:
                target.write(data)
        if left:
            raise EOFError("its end is missing")
    target.truncate(member.size)


def _key(place: S3Place) -> str:
    return place.prefix + ("" if place.prefix.endswith(ENDING) else ENDING)


def _state(place: S3Place) -> str | None:
    """Return what changes when a snapshot does, None when there is none."""
    with _asking(place, "s3:GetObject") as s3:
        try:
            return str(s3.head_object(Bucket=place.bucket, Key=_key(place))["ETag"])
        except s3.exceptions.ClientError as error:
            if str(error.response["Error"].get("Code")) in NOT_THERE:
                return None
            raise


@contextmanager
def _asking(place: S3Place, action: str) -> Iterator[S3Client]:
    """Yield what talks to S3; what that raises becomes a sentence.

    `action` is what a policy has to allow.
    """
    import boto3
    from botocore.config import Config

    settings = Config(retries={"mode": "standard", "max_attempts": 8})
    with refusals(place, action):
        yield boto3.session.Session().client("s3", config=settings)


@contextmanager
def refusals(place: S3Place, action: str) -> Iterator[None]:
    """Make sentences of what S3 and botocore raise."""
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

    try:
        yield
    except NoCredentialsError as error:
        wanted = "those of `aws configure` or `aws sso login`"
        raise InputError(f"{place}: found no AWS credentials, expected {wanted}.") from error
    except (ClientError, BotoCoreError, Boto3Error) as error:
        raise InputError(f"{place}: {_reason(error, place, action)}") from error


def _reason(error: Exception, place: S3Place, action: str) -> str:
    cause: Any = error if hasattr(error, "response") else error.__context__
    answer = getattr(cause, "response", {}).get("Error", {})
    code = str(answer.get("Code", ""))
    if code in NOT_THERE:
        return f"found no bucket {place.bucket}, expected one that is there."
    if code in REFUSED:
        return (
            f"found that your AWS policy or the bucket's refuses it, expected {action} allowed: "
            "docs/how-to/run-on-ec2.md has a policy."
        )
    if code in NOT_VALID:
        return "found AWS credentials that are not valid (any more), expected you to log in again."
    return f"S3 refuses: {answer.get('Message') or error}".rstrip(".") + "."
