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
from firesim.run.remote.keys import FILE as KEYS
from firesim.run.remote.keys import make_keys
from firesim.run.snapshots import FILE as INDEX
from firesim.run.snapshots import files_of

DESCRIPTION = "description.json"
SNAPSHOT = f"{FILES}/snapshot"


def ship(
    hosts: Sequence[ReadyHost], description: Mapping[str, Any], program: Path, run: str
) -> int:
    """Copy to each host what it needs of a described run; return the bytes copied.

    Nothing of the run is left on the others when it cannot be made on one.

    Raises:
        HostLost, HostError: a host is gone or refuses, as with a full disk.
        ToolError: the program's libraries cannot be found out.
        OSError, ValueError: the snapshot to go on from cannot be read.
    """
    bundler = Bundler()
    text = json.dumps(_there(bundler, description))
    bundles = {r.name: bundle_of(bundler, description, program, r.name) for r in hosts}
    keys = make_keys([ready.name for ready in hosts])
    copied: list[int] = []

    def one(ready: ReadyHost) -> None:
        bundle = bundles[ready.name]
        copied.append(bundler.send(ready.client, bundle))
        links = {place: bundler.sha256(file) for place, file in bundle.items()}
        models = [entry["name"] for entry in _part(description, ready.name)]
        ready.client.make(run, links, {DESCRIPTION: text, KEYS: keys[ready.name]}, models)

    try:
        on_all(hosts, one)
    except BaseException:
        for ready in hosts:
            with suppress(HostLost, HostError):
                ready.client.remove(run)
        raise
    return sum(copied)


def bundle_of(
    bundler: Bundler, description: Mapping[str, Any], program: Path, process: str
) -> dict[str, Path]:
    """Return the files that one process needs, by their places on its host."""
    part = _part(description, process)
    bundle = bundler.bundle(part, program)
    if "restore" in description:
        folder = Path(description["restore"]["snapshot"])
        index = json.loads((folder / INDEX).read_text())
        models = {str(entry.get("restore_from", entry["name"])) for entry in part}
        for name in [INDEX, *files_of(index, models)]:
            bundle[f"{SNAPSHOT}/{name}"] = folder / name
    return bundle


def _there(bundler: Bundler, description: Mapping[str, Any]) -> Any:
    """Return a description as it is on the hosts."""
    there = bundler.rewritten({**description, "results": "."})
    return {**there, "restore": {"snapshot": SNAPSHOT}} if "restore" in there else there


def _part(description: Mapping[str, Any], process: str) -> list[dict[str, Any]]:
    """Return the models of one process."""
    models = [*description["nodes"], *description["switches"]]
    return [entry for entry in models if entry["process"] == process]
