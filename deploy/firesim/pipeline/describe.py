# SPDX-License-Identifier: BSD-3-Clause
"""The fifth step: the results folder gets the description that the simulator reads."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from firesim_common.errors import InputError

from firesim.metrics.own import FILE as METRICS
from firesim.pipeline.build import Built
from firesim.prepare.versions import versions
from firesim.topology.describe import description
from firesim.topology.peers import FILE as PEERS
from firesim.topology.peers import peers
from firesim.work.folder import make_reserve, write_json

LEAST_FREE_BYTES = 4 << 20


@dataclass(frozen=True)
class Described:
    """A built plan with its description in a results folder."""

    built: Built
    folder: Path
    file: Path
    description: Mapping[str, Any]


def described(built: Built, folder: Path, threads: int | None = None) -> dict[str, Any]:
    """Return the description of a run in `folder`, with worker threads for this computer."""
    plan, places = built.plan, built.bound.places
    together = plan.supernodes()
    if threads is None:
        threads = plan.run.threads or max(os.cpu_count() or 1, len(together))
    processes = places.processes(plan.run.threads, together) if places is not None else None
    origin = built.bound.origin
    return description(plan, built.files, folder, threads, origin, processes, built.libraries)


def describe(built: Built, folder: Path) -> Described:
    """Write all that a run begins with into its results folder.

    Raises:
        InputError: its disk is full.
        HostLost, HostError: a host is gone, or has no free ports.
    """
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        raise InputError(f"{folder}: found {free} bytes free on the disk, expected at least 4 MiB.")
    plan, origin = built.plan, built.bound.origin
    for name in [node.name for node in plan.nodes] + [switch.name for switch in plan.switches]:
        (folder / name).mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(plan.configuration(), sort_keys=False))
    made = versions(plan, built.binary, built.files, built.libraries, origin)
    write_json(folder / "versions.json", made)
    write_json(folder / PEERS, peers(plan))
    if own := {k: v for node in plan.nodes for k, v in node.instruments.metrics.items()}:
        write_json(folder / METRICS, own)
    file = folder / "description.json"
    entry = described(built, folder)
    write_json(file, entry)
    make_reserve(folder)
    return Described(built, folder, file, entry)
