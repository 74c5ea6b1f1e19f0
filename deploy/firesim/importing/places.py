# SPDX-License-Identifier: BSD-3-Clause
"""Where the earlier FireSim, Chipyard and FireMarshal keep what an imported file names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_ABOVE = 5
"""Most folders above a file that are looked into."""
_DEPLOY = (".", "deploy", "firesim/deploy", "sims/firesim/deploy")
"""Their `deploy/`, from a folder at or above it: in a clone of FireSim, or of Chipyard."""
_SAMPLES = (
    "config_{}.yaml",
    "sample_config_{}.yaml",
    "sample-backup-configs/sample_config_{}.yaml",
)
"""A configuration, and the one that it begins as where nobody has made it yet."""
_MARSHAL = (".", "firemarshal", "software/firemarshal")
IMAGES = "images/firechip"
"""What FireMarshal has built, in its folder."""


def _above(file: Path) -> Iterator[Path]:
    """Yield the folder of a file as it is written, then those above it."""
    yield file.parent
    yield from list(file.absolute().parents)[1:_ABOVE]


def homes(file: Path) -> list[Path]:
    """Return the folders in which files that `file` names may be, the nearest first."""
    found = [folder / deploy for folder in _above(file) for deploy in _DEPLOY]
    return [folder for folder in found if folder.is_dir()]


def beside(file: Path, name: str) -> Path | None:
    """Return the nearest file of a name, None without one; it may have folders in it."""
    return next((one for folder in homes(file) if (one := folder / name).is_file()), None)


def configuration(file: Path, kind: str) -> Path | None:
    """Return the nearest configuration of a kind, such as `hwdb`; None without one."""
    for folder in homes(file):
        for sample in _SAMPLES:
            if (found := folder / sample.format(kind)).is_file():
                return found
    return None


def images(file: Path, name: str) -> Path | None:
    """Return the folder with what FireMarshal has built of a workload; None without one."""
    for folder in file.absolute().parents:
        for marshal in _MARSHAL:
            if (found := folder / marshal / IMAGES / name).is_dir():
                return found
    return None
