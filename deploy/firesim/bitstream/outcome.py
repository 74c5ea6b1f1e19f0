# SPDX-License-Identifier: BSD-3-Clause
"""What came of a build: utilisation, timing, what it cost and which tools made it."""

from __future__ import annotations

from pathlib import Path

from firesim_common.base import Strict
from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.tools import ToolError
from pydantic import Field, ValidationError


class Use(Strict):
    """How much of one kind of cell a bitstream takes."""

    used: int
    """Cells."""
    available: int
    """Cells that the device has."""


class Outcome(Strict):
    """What a job leaves in its result file."""

    fmax_mhz: float
    """Clock that the slowest path allows."""
    used: dict[str, Use]
    """By kind of cell, as the tools name them."""
    cpu_s: dict[str, float]
    """Processor time by stage."""
    memory_mb: float
    """The most that a stage held at once."""
    tools: dict[str, str] = Field(default_factory=dict)
    """Versions of what made it."""


def read_outcome(file: Path) -> Outcome:
    """Read what a job left.

    Raises:
        ToolError: it is not whole.
    """
    try:
        return Outcome.model_validate(read_json(file))
    except (InputError, ValidationError) as error:
        raise ToolError(f"{file}: found no whole result of a build: {error}") from error
