# SPDX-License-Identifier: BSD-3-Clause
"""What is in a node's memory at first, in the description of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Load:
    """A file put into a node's memory before cycle 0, or, without such memory, by its host."""

    file: Path
    format: str
    """elf (64-bit RISC-V), elf_any (of any processor) or raw, which needs an address."""
    address: int | None = None


def described_load(part: Load) -> dict[str, Any]:
    """Return a file as the description has it."""
    entry: dict[str, Any] = {"file": str(part.file), "format": part.format}
    return entry if part.address is None else {**entry, "address": part.address}
