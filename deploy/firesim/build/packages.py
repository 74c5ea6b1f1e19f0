# SPDX-License-Identifier: BSD-3-Clause
"""Packages of setup.py's extras that few builds need, installed into the cache when needed."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.paths import ROOT
from firesim_common.tools import ToolError, python_command, run


def packages_folder(extra: str, modules: list[str], kind: str) -> Path | None:
    """Return the folder to import an extra's modules from, installed if need be.

    None: this Python has them. `kind` is what the folder is called in the cache.

    Raises:
        ToolError: they cannot be installed.
    """
    if all(importlib.util.find_spec(name) is not None for name in modules):
        return None
    found = re.search(rf'"{extra}": \[([^\]]+)\]', (ROOT / "setup.py").read_text())
    if found is None:
        raise ToolError(f"setup.py: found no extra {extra}, expected one that names {modules[0]}.")
    wanted = re.findall(r'"([^"]+)"', found[1])

    def build(folder: Path) -> None:
        run(python_command("-m", "pip", "install", "-q", "--target", folder, *wanted))

    return cached(kind, wanted, build)
