# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the engines, and when snapshots are taken."""

from __future__ import annotations

from typing import Annotated, Literal

from firesim_common.base import Name, Strict
from pydantic import AfterValidator, Field, model_validator

from firesim.units import seconds_of

LEAST_INTERVAL_S = 0.1


def _interval(text: str) -> str:
    try:
        seconds = seconds_of(text)
    except ValueError as error:
        raise ValueError(f"{error}.") from error
    if seconds < LEAST_INTERVAL_S:
        raise ValueError(f'found "{text}", expected at least 0.1 s.')
    return text


class Functional(Strict):
    """The timing rule of functional nodes: it is stated, not measured."""

    cycles_per_instruction: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Target cycles every instruction takes."""
    quantum_cycles: Annotated[int, Field(ge=16, le=1 << 20)] = 1024
    """Target cycles each hart runs before the next one; what a node sends is this much later."""
    check_fence_i: bool = False
    """End a node that fetches what was stored after the hart's last fence.i, and say where; slower,
    and no other cycle changes."""


class Metasim(Strict):
    """The host's side of metasimulated nodes; nothing here changes a target cycle."""

    memory: Literal["host", "rtl"] = "host"
    """Where the memory's timing is computed: by the host's program, or by RTL beside the target,
    which needs no words to the program but cannot be saved in snapshots."""
    stall_rate: Annotated[int, Field(ge=0, le=240)] = 0
    """Host cycles of 256 in which each channel and stream stands still; 0 = none."""
    stall_seed: Annotated[int, Field(ge=1, lt=2**32)] = 1
    """Seed of the stalls."""


class Fpga(Strict):
    """Bitstreams of nodes on FPGAs."""

    hwdb: str | None = None
    """The hardware database, from the folder of the recipe (default: hwdb.yaml in results/)."""
    entries: dict[str, Name] = Field(default_factory=dict)
    """Entry of the database for each blade, by the blade's name."""


class Snapshots(Strict):
    """When the whole simulation is saved, to `snapshots/` in the results; changes no cycle."""

    interval_cycles: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Target cycles between two automatic snapshots; 0 = none."""
    interval: Annotated[str, AfterValidator(_interval)] | None = None
    """Wall time between two automatic snapshots, such as "30s" or "5min"."""
    at_cycles: list[Annotated[int, Field(ge=1, lt=2**63)]] = Field(default_factory=list)
    """Snapshots at these target cycles, named cycle-N and kept."""
    keep: Annotated[int, Field(ge=1, le=1000)] = 2
    """Automatic snapshots kept: the newest."""

    @model_validator(mode="after")
    def one_interval(self) -> Snapshots:
        if self.interval is not None and self.interval_cycles:
            raise ValueError("found interval and interval_cycles, expected one of the two.")
        return self

    @property
    def interval_s(self) -> float:
        """Wall time between two automatic snapshots in seconds, 0 for none."""
        return seconds_of(self.interval) if self.interval else 0.0
