# SPDX-License-Identifier: BSD-3-Clause
"""Files that Linux nodes sent over their consoles, put into `NODE/outputs` of the results."""

from __future__ import annotations

import errno
from pathlib import Path, PurePosixPath

from firesim.topology.plan import Plan

FOLDER = "outputs"
NO_NAME = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)
"""What only the one file suffers from: too long a name, or a file and a folder of one name."""


def collect_outputs(plan: Plan, results: Path) -> list[Path]:
    """Write every file found on the consoles; return their paths.

    Raises:
        OSError: the disk is full.
    """
    if not any(node.linux for node in plan.nodes):
        return []
    from firesim_software.linux.commands import outputs

    written: dict[Path, None] = {}
    for node in plan.nodes:
        log = results / node.name / "uart.log"
        if node.linux is None or not log.is_file():
            continue
        with log.open(errors="replace", newline="\n") as console:
            for name, content in outputs(console):
                if path := _written(results / node.name / FOLDER, name, content):
                    written[path] = None
    return list(written)


def _written(folder: Path, name: str, content: bytes) -> Path | None:
    """Write one file; return where, None when it has no name that it can have here."""
    # The name comes from the simulated machine, which must not write elsewhere.
    parts = [part for part in PurePosixPath(name).parts if part not in ("/", "..")]
    if not parts:
        return None
    path = folder.joinpath(*parts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        if error.errno not in NO_NAME:
            raise
        return None  # Nor may its names keep those of others from being written.
    return path
