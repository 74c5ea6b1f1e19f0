# SPDX-License-Identifier: BSD-3-Clause
"""Files that Linux nodes sent over their consoles, or that are wanted of disks, in `NODE/outputs`.

What a workload lists as outputs, or a recipe as outputs of a disk, and did not arrive is written to
`outputs-missing.txt`, which the end of the run and the report show.
"""

from __future__ import annotations

import errno
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from firesim.results.disk_outputs import read_disk
from firesim.topology.plan import Plan, PlannedNode

FOLDER = "outputs"
OVERLAY = "disk.overlay"
MISSING = "outputs-missing.txt"
NO_NAME = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)
"""What only the one file suffers from: too long a name, or a file and a folder of one name."""


def collect_outputs(plan: Plan, results: Path) -> list[Path]:
    """Write every file found on the consoles and asked for of disks; return their paths.

    Raises:
        OSError: the disk is full, or a tool to read disks is not installed.
    """
    written: dict[Path, None] = {}
    missing: list[str] = []
    for node in plan.nodes:
        if node.linux is not None:
            missing += _of_console(node, results, written)
        if node.disk_outputs:
            missing += _of_disk(node, results, written)
    (results / MISSING).unlink(missing_ok=True)
    if missing:
        (results / MISSING).write_text("".join(f"{line}\n" for line in missing), encoding="utf-8")
    return list(written)


def _of_console(node: PlannedNode, results: Path, written: dict[Path, None]) -> list[str]:
    """Write what a node sent over its console; return a line for each output without a file."""
    from firesim_software.linux.commands import outputs

    log = results / node.name / "uart.log"
    if node.linux is None or not log.is_file():
        return []
    sent, missing = [], []
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
    return missing


def _of_disk(node: PlannedNode, results: Path, written: dict[Path, None]) -> list[str]:
    """Copy what is wanted of a node's disk; return a line for each path without a file."""
    assert node.disk_image is not None, "a plan with outputs of a disk has its image"
    folder = results / node.name / FOLDER
    overlay = results / node.name / OVERLAY
    found = read_disk(node.disk_image, overlay, node.disk_outputs, folder)
    written.update(dict.fromkeys(folder / name.lstrip("/") for name in found.files))
    return [f"{node.name}: {line}" for line in found.missing]


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
