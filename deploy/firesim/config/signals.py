# SPDX-License-Identifier: BSD-3-Clause
"""Settings of peeks and pokes: signals inside an RTL node, read or set in single cycles."""

from __future__ import annotations

from typing import Annotated

from firesim_common.base import Name, Strict
from pydantic import Field

Cycle = Annotated[int, Field(ge=0, lt=2**64 - 1)]
Signal = Annotated[str, Field(min_length=1)]


class Peek(Strict):
    """Values of signals in some cycles, as lines of NODE/peeks.csv; changes no target cycle."""

    node: Name
    """The node."""
    cycles: Annotated[list[Cycle], Field(min_length=1)]
    """The target cycles."""
    signals: Annotated[list[Signal], Field(min_length=1)]
    """Registers, memories or wires by hierarchical name; a row of a memory is memory[row]."""


class Poke(Strict):
    """A register or a row of a memory that is set: the run is another one from that cycle on."""

    node: Name
    """The node."""
    cycle: Cycle
    """The first target cycle that sees the value."""
    signal: Signal
    """The register by hierarchical name, or memory[row]."""
    value: Annotated[int, Field(ge=0)]
    """The value, such as 0x1f."""
