# SPDX-License-Identifier: BSD-3-Clause
"""Symbols and processes that traces of a node look up, as the description has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.topology.plan_run import Instruments


@dataclass(frozen=True)
class TracedProcesses:
    """By what traces of a Linux node look at its processes."""

    types: Path
    """Where the kernel's structures have their fields."""
    files: Mapping[str, Path]
    """Programs and libraries by their paths on the node, without the first `/`."""
    registers: dict[str, Any] | None
    """Where the registers and the newest data are in the RTL; None for a functional node."""

    def described(self) -> dict[str, Any]:
        """Return the key `linux` of the settings of a trace."""
        files = [{"path": path, "file": str(file)} for path, file in self.files.items()]
        return {"types": str(self.types), "files": files, "registers": self.registers}


def described_symbols(path: Path, also_at: int | None) -> str | dict[str, Any]:
    """Return an entry of the key `elf`: a file whose code may be found at a second place, too."""
    return str(path) if also_at is None else {"file": str(path), "also_at": also_at}


def described_lookups(wanted: Instruments, processes: TracedProcesses | None) -> dict[str, Any]:
    """Return the settings of a trace that say what frames tell beyond the function's name."""
    linux = processes.described() if processes else None
    return {"linux": linux, "inlined": wanted.trace_inlined, "lines": wanted.trace_lines}
