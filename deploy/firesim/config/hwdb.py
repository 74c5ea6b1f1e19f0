# SPDX-License-Identifier: BSD-3-Clause
"""The hardware database: which bitstreams there are, and of which designs."""

from __future__ import annotations

from typing import Annotated, Self

from firesim_common.base import Name, Strict
from pydantic import Field, RootModel, StringConstraints, model_validator

from firesim.config.capture import Captured
from firesim.config.memory_hardware import MemoryHardware

MOST_BLADES = 16
"""On one FPGA, whichever it is; the top of its board may take fewer."""
Blades = Annotated[int, Field(ge=1, le=MOST_BLADES)]
Fingerprint = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class HwdbEntry(Strict):
    """One bitstream; either `bitstream` or `agfi` says where it is."""

    bitstream: str | None = None
    """A path from the folder of the database, or a URI: file:, https: or s3:."""
    agfi: Annotated[str, StringConstraints(pattern=r"^agfi-[0-9a-f]+$")] | None = None
    """The image's global number on AWS."""
    afi: Annotated[str, StringConstraints(pattern=r"^afi-[0-9a-f]+$")] | None = None
    """The image's number in its region, which sharing takes."""
    region: str | None = None
    """Where the image was made."""
    copies: dict[str, str] = Field(default_factory=dict)
    """Its numbers in further regions that it was copied to; its global number is the same there."""
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    """Hash of the bitstream's content. Without it a server is asked before each use whether its
    file is still the one that was fetched."""
    fingerprint: Fingerprint
    """Fingerprint of the design, as the board's register gives it."""
    blades: Blades = 1
    """How many of the design are on it."""
    supernode: bool = False
    """They share one copy of the logic, so that a run must have a node on each."""
    capture: Captured | None = None
    """The signals that it captures."""
    memory: MemoryHardware | None = None
    """What its memory in RTL has room for; without, the host's program computes the timing."""
    board: str
    """The board that it is for."""
    frequency_mhz: Annotated[float, Field(gt=0)]
    """Host clock that it was built for."""
    built: str
    """When, in UTC, such as 2026-11-23T14:00:00Z."""
    tools: dict[str, str] = Field(default_factory=dict)
    """Versions of what made it."""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.bitstream is None) == (self.agfi is None):
            raise ValueError('expected exactly one of the keys "bitstream" and "agfi".')
        return self


class Hwdb(RootModel[dict[Name, HwdbEntry]]):
    """What a hardware database is: entries by name."""
