# SPDX-License-Identifier: BSD-3-Clause
"""Copies to each host what it needs of a run, and makes the run's folder there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from firesim.hosts.agent import FILES
from firesim.hosts.bundle import Bundler
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost, on_all
from firesim.remote.keys import FILE as KEYS
from firesim.remote.keys import make_keys
from firesim.snapshots.files import FILE as INDEX
from firesim.snapshots.files import files_of

DESCRIPTION = "description.json"
SNAPSHOT = f"{FILES}/snapshot"


def ship(
    hosts: Sequence[ReadyHost],
    description: Mapping[str, Any],
    program: Path,
    run: str,
    shared: Path | None = None,
    bundler: Bundler | None = None,
) -> int:
    """Copy to each host what it needs of a described run; return the bytes copied.

    A snapshot in the folder `shared` is not copied: all hosts see it. Nothing of the run is left on
    the others when it cannot be made on one. A `bundler` of runs before knows files already.

    Raises:
        HostLost, HostError: a host is gone or refuses, as with a full disk.
        ToolError: the program's libraries cannot be found out.
        OSError, ValueError: the snapshot to go on from cannot be read.
    """
    bundler = bundler or Bundler()
    origin = _to_copy(description, shared)
    text = json.dumps(_there(bundler, description, origin))
    bundles = bundles_of(bundler, description, program, hosts, origin)
    keys = make_keys([ready.name for ready in hosts])

    def one(ready: ReadyHost) -> int:
        bundle = bundles[ready.name]
        copied = bundler.send(ready.client, bundle)
        links = {place: bundler.sha256(file) for place, file in bundle.items()}
        models = [entry["name"] for entry in _part(description, ready.name)]
        ready.client.make(run, links, {DESCRIPTION: text, KEYS: keys[ready.name]}, models)
        return copied

    try:
        return sum(on_all(hosts, one))
    except BaseException:
        for ready in hosts:
            with suppress(HostLost, HostError):
                ready.client.remove(run)
        raise


def bundles_of(
    bundler: Bundler,
    description: Mapping[str, Any],
    program: Path,
    hosts: Sequence[ReadyHost],
    origin: Path | None = None,
) -> dict[str, dict[str, Path]]:
    """Return the files that each host needs, by its name and their places there.

    `origin` is the snapshot that the run goes on from, if that has to be copied.
    """
    return {r.name: _bundle_of(bundler, description, program, r.name, origin) for r in hosts}


def _bundle_of(
    bundler: Bundler,
    description: Mapping[str, Any],
    program: Path,
    process: str,
    origin: Path | None,
) -> dict[str, Path]:
    part = _part(description, process)
    bundle = bundler.bundle(part, program)
    if origin is not None:
        index = json.loads((origin / INDEX).read_text())
        models = {str(entry.get("restore_from", entry["name"])) for entry in part}
        for name in [INDEX, *files_of(index, models)]:
            bundle[f"{SNAPSHOT}/{name}"] = origin / name
    return bundle


def _to_copy(description: Mapping[str, Any], shared: Path | None) -> Path | None:
    """Return the snapshot to go on from, None when there is none or all hosts see it."""
    if "restore" not in description:
        return None
    origin = Path(description["restore"]["snapshot"])
    return None if shared is not None and origin.is_relative_to(shared) else origin


def _there(bundler: Bundler, description: Mapping[str, Any], origin: Path | None) -> Any:
    """Return a description as it is on the hosts."""
    there = bundler.rewritten({**description, "results": "."})
    return there if origin is None else {**there, "restore": {"snapshot": SNAPSHOT}}


def _part(description: Mapping[str, Any], process: str) -> list[dict[str, Any]]:
    """Return the models of one process."""
    models = [*description["nodes"], *description["switches"]]
    return [entry for entry in models if entry["process"] == process]
