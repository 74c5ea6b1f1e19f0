"""`system.node.memory`: size, DRAM timing model and last-level cache of a blade."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from firesim.config.base import Strict

Cycles16 = Annotated[int, Field(ge=1, le=65535)]


class FixedTiming(Strict):
    """Every access takes the same time."""

    model: Literal["fixed"] = "fixed"
    latency_cycles: Annotated[int, Field(ge=1, le=65535)] = 40
    """Cycles from the request to its first data."""


class DramTiming(Strict):
    """DDR3 with banks and rows; times in cycles of the DRAM clock."""

    model: Literal["fcfs", "fr_fcfs"]
    """First come first served, or row hits first."""


MemoryTiming = Annotated[FixedTiming | DramTiming, Field(discriminator="model")]


class LastLevelCache(Strict):
    """A cache between the blade and its DRAM."""

    size_kib: Annotated[int, Field(ge=1, le=65536)] = 512
    """Capacity in KiB."""


class Memory(Strict):
    """The memory of one blade."""

    size_mib: Annotated[int, Field(ge=4, le=2048)] = 256
    """Size of the DRAM at 0x8000_0000 in MiB."""
    timing: MemoryTiming = FixedTiming()
    """What decides how long an access takes."""
    llc: LastLevelCache | None = None
    """Last-level cache in front of the DRAM; null = none."""
