# SPDX-License-Identifier: BSD-3-Clause
"""Finds out before a run whether its snapshots can be kept where they are to be."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from firesim_common.errors import InputError

from firesim.config.keep import MANAGER, s3_place
from firesim.hosts.agent import MANAGERS
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost, on_all
from firesim.snapshots.bucket import check

KEY = "placement.keep_snapshots"
SEEN_S = 10.0
"""Until then a file of another host must be seen here; NFS takes some seconds."""


def check_kept(place: str, hosts: Sequence[ReadyHost]) -> None:
    """Refuse a folder that this computer and some hosts do not share, or a bucket of no use.

    Raises:
        InputError: with one sentence.
        HostLost: a host is gone.
    """
    if place == MANAGER:
        return
    bucket = s3_place(place)
    if bucket is not None:
        try:
            check(bucket)
        except InputError as error:
            raise InputError(f"{KEY}: {error}") from error
        return
    _check_shared(Path(place), hosts)


def _check_shared(shared: Path, hosts: Sequence[ReadyHost]) -> None:
    token = secrets.token_hex(16)
    folder = shared / f".firesim-check-{token[:8]}"
    try:
        folder.mkdir(mode=0o700)
        (folder / MANAGERS).write_text(token)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(
            f'{KEY}: found that this computer cannot write to "{shared}" ({error.strerror}), '
            "expected a folder that it and all hosts share."
        ) from error

    def one(ready: ReadyHost) -> None:
        try:
            ready.client.shares(folder, f"of-{ready.name}", token)
        except HostError as error:
            raise InputError(
                f'{KEY}: found that "{shared}" of this computer is not that of {ready.name}, '
                f"expected a folder that all share ({error})."
            ) from error
        if not _is_seen(folder / f"of-{ready.name}", token):
            raise InputError(
                f"{KEY}: found that this computer cannot read what {ready.name} writes to "
                f'"{shared}", expected a folder that both share, as the same user.'
            )

    try:
        on_all(hosts, one)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_seen(file: Path, token: str) -> bool:
    limit = time.monotonic() + SEEN_S
    while True:
        try:
            return file.read_text() == token
        except PermissionError:
            return False
        except OSError:
            if time.monotonic() > limit:
                return False
        time.sleep(0.2)
