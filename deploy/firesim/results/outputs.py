# SPDX-License-Identifier: BSD-3-Clause
"""Files that Linux nodes sent over their consoles, put into `NODE/outputs` of the results.

What a workload lists as outputs and did not arrive is written to `outputs-missing.txt`, which the
end of the run and the report show.
"""

from __future__ import annotations

import errno
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from firesim.topology.plan import Plan

FOLDER = "outputs"
MISSING = "outputs-missing.txt"
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
    missing: list[str] = []
    for node in plan.nodes:
        log = results / node.name / "uart.log"
        if node.linux is None or not log.is_file():
            continue
        sent = []
        with log.open(encoding="utf-8", errors="replace", newline="\n") as console:
            for name, content in outputs(console):
                if path := _written(results / node.name / FOLDER, name, content):
                    written[path] = None
                    sent.append(name)
                else:
                    missing.append(f"{node.name}: {name}: it cannot be a file here")
        missing += [
            f"{node.name}: {listed}: no such file was sent"
            for listed in _listed(node.linux)
            if not any(_is_of(name, listed) for name in sent)
        ]
    (results / MISSING).unlink(missing_ok=True)
    if missing:
        (results / MISSING).write_text("".join(f"{line}\n" for line in missing), encoding="utf-8")
    return list(written)


def missing_outputs(results: Path) -> list[str]:
    """Return what collect_outputs wrote of outputs that did not arrive, a line each."""
    try:
        return (results / MISSING).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _listed(workload: str) -> list[str]:
    from firesim_software.linux import LinuxError, description

    try:
        return description.describe(workload).outputs
    except LinuxError:
        return []  # It was changed while the run went on.


def _is_of(name: str, listed: str) -> bool:
    """Return whether a file is one that an entry of `outputs` stands for."""
    path = PurePosixPath(name)
    return any(
        str(one) == str(PurePosixPath(listed)) or fnmatchcase(str(one), listed)
        for one in (path, *path.parents)
    )


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
