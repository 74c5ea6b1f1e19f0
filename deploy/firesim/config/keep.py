# SPDX-License-Identifier: BSD-3-Clause
"""Where snapshots may be kept, as a configuration and the command line name it."""

from __future__ import annotations

import re
from dataclasses import dataclass

MANAGER = "manager"
"""On the computer of the manager, with the results."""
_S3 = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9!_.*'()-]+)*)/?")


@dataclass(frozen=True)
class S3Place:
    """A bucket of S3 and the start of the keys in it."""

    bucket: str
    prefix: str
    """Without a slash at either end; may be empty."""

    def below(self, *names: str) -> S3Place:
        """Return the place of some names below this one."""
        return S3Place(self.bucket, "/".join([*([self.prefix] if self.prefix else []), *names]))

    def __str__(self) -> str:
        """Return it as a URL."""
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def s3_place(text: str) -> S3Place | None:
    """Return the place that a URL means, None when it is none of S3."""
    found = _S3.fullmatch(text)
    return S3Place(found[1], found[2].strip("/")) if found else None


def kept(text: str) -> str:
    """Return where snapshots are kept, if it is a place.

    Raises:
        ValueError: it is none.
    """
    if text == MANAGER or text.startswith("/") or s3_place(text) is not None:
        return text.rstrip("/") or "/"
    wanted = f'"{MANAGER}", a folder such as /scratch/me or s3://BUCKET/PREFIX'
    raise ValueError(f'found "{text}", expected {wanted}.')
