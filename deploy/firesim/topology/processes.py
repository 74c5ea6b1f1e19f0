# SPDX-License-Identifier: BSD-3-Clause
"""By what traces of a Linux node look up its processes, as the description has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class TracedProcesses:
    """By what traces of a Linux node in RTL look at its processes."""

    types: Path
    """Where the kernel's structures have their fields."""
    files: Mapping[str, Path]
    """Programs and libraries by their paths on the node, without the first `/`."""
    registers: list[dict[str, Any]]
    """Where the registers are in the RTL, by hart."""

    def described(self) -> dict[str, Any]:
        """Return the key `linux` of the settings of a trace."""
        files = [{"path": path, "file": str(file)} for path, file in self.files.items()]
        return {"types": str(self.types), "files": files, "registers": self.registers}
