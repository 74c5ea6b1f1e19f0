# SPDX-License-Identifier: BSD-3-Clause
"""Which packages the workloads of this repository are made of: `linux/packages.lock`.

So they are the same on every computer, whatever Debian has changed meanwhile, and the lists of its
mirror, of which one may be older than another, are not needed. The file is written by
`python -m firesim_software.linux lock`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[2] / "linux" / "packages.lock"
MIRROR = "http://deb.debian.org/debian"
ARCHIVE = "http://snapshot.debian.org/archive/debian"
"""Has what was ever in Debian, by the time of its lists."""


@dataclass(frozen=True)
class Package:
    """One package of a resolved set."""

    name: str
    version: str
    uri: str
    size_bytes: int
    digest: str
    """`SHA256:` and hexadecimal digits, from the lists, whose signature apt has checked."""
    archived: str = ""
    """Where it still is when the mirror has a newer one; only known of locked ones."""

    def __str__(self) -> str:
        return f"{self.name} {self.version} {self.digest}"


@lru_cache
def _content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def locked(names: Sequence[str]) -> list[Package] | None:
    """Return the packages of a set, sorted by name; None when no workload of ours has this set."""
    content = _content()
    chosen = content["sets"].get(_key(names))
    if chosen is None:
        return None
    return [_package(name, content["packages"][name], content["archived_at"]) for name in chosen]


def _key(names: Sequence[str]) -> str:
    return " ".join(sorted(set(names)))


def _package(name: str, entry: Mapping[str, Any], archived_at: str) -> Package:
    path = entry["path"]
    archived = f"{ARCHIVE}/{archived_at}/{path}"
    uri = f"{MIRROR}/{path}"
    return Package(name, entry["version"], uri, entry["size_bytes"], entry["digest"], archived)


def write(sets: Mapping[tuple[str, ...], Sequence[Package]], archived_at: str) -> None:
    """Write the file; `archived_at` is a time as the archive names it, 20261121T000000Z."""
    packages = {
        one.name: {
            "version": one.version,
            "path": one.uri.removeprefix(f"{MIRROR}/"),
            "size_bytes": one.size_bytes,
            "digest": one.digest,
        }
        for chosen in sets.values()
        for one in chosen
    }
    content = {
        "archived_at": archived_at,
        "sets": {_key(names): [one.name for one in chosen] for names, chosen in sets.items()},
        "packages": packages,
    }
    FILE.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    _content.cache_clear()
