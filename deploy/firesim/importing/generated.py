# SPDX-License-Identifier: BSD-3-Clause
"""The hardware itself: FIRRTL that the earlier FireSim has generated, where it keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

FOLDER = "../sim/generated-src"
"""Beside the folder of the configurations."""


def generated_target(folders: Iterable[Path], quintuplet: str) -> Path | None:
    """Return the FIRRTL of PLATFORM-PROJECT-DESIGN-TARGET_CONFIG-PLATFORM_CONFIG, None without one.

    Where both are, the text for CIRCT (`.fir`) is taken, not the older dialect (`.sfc.fir`).
    """
    for folder in folders:
        found = sorted((folder / quintuplet.partition("-")[0] / quintuplet).glob("*.fir"))
        newer = [file for file in found if not file.name.endswith(".sfc.fir")]
        if found:
            return [*newer, *found][0]
    return None
