# SPDX-License-Identifier: BSD-3-Clause
"""Where things are: the source tree and the cache folder."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The source tree (the folder that holds the launcher)."""


def cache_root() -> Path:
    """Return the cache folder: $FIRESIM_CACHE, $XDG_CACHE_HOME/firesim or ~/.cache/firesim."""
    if explicit := os.environ.get("FIRESIM_CACHE"):
        return Path(explicit).expanduser().resolve()
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).expanduser().resolve() / "firesim"
