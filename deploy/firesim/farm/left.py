# SPDX-License-Identifier: BSD-3-Clause
"""Runs that went on without a host: their folders there, removed when the host answers again.

Each is noted in the cache folder when it goes on; nothing that is not noted is removed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from firesim_common.paths import cache_root

from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost
from firesim.work.folder import write_json

OLD_S = 90 * 24 * 3600.0
"""A host that has not come back for so long will not."""


def _notes() -> Path:
    return cache_root() / "left-on-hosts"


def note(run: str, farm: Path, hosts: Collection[str]) -> None:
    """Note that a run's folder may have stayed on some hosts of a farm, and is not wanted."""
    _notes().mkdir(mode=0o700, parents=True, exist_ok=True)
    write_json(_notes() / f"{run}.json", {"farm": str(farm.absolute()), "hosts": sorted(hosts)})


def clear(farm: Path, hosts: Iterable[ReadyHost]) -> None:
    """Remove from hosts of a farm what was noted for them; a process of it is ended first.

    A host that does not do it is asked again the next time.
    """
    for file in sorted(_notes().glob("*.json")):
        try:
            if file.stat().st_mtime < time.time() - OLD_S:
                file.unlink()
            found = json.loads(file.read_text())
            left = set(found["hosts"]) if found["farm"] == str(farm) else set()
        except (OSError, ValueError, KeyError, TypeError):
            continue
        done = {ready.name for ready in hosts if ready.name in left and _cleared(ready, file.stem)}
        with suppress(OSError):  # Somebody else was faster.
            if done and left == done:
                file.unlink()
            elif done:
                write_json(file, {"farm": str(farm), "hosts": sorted(left - done)})


def _cleared(ready: ReadyHost, run: str) -> bool:
    try:
        ready.client.end(run, 0)
        ready.client.remove(run)
    except (HostLost, HostError):
        return False
    return True
