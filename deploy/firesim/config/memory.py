# SPDX-License-Identifier: BSD-3-Clause
"""`system.node.memory`: size, DRAM timing model and last-level cache of a blade."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from firesim_common.base import Strict
from pydantic import AfterValidator, Field, model_validator

from firesim.config.memory_presets import Preset, with_preset

BURST_CYCLES = 4
"""DRAM clock cycles in which a burst occupies the data bus."""

MOST_MIB = 1 << 24


def _power_of_two(value: int) -> int:
    if value & (value - 1):
        raise ValueError(f"found {value}, expected a power of two.")
    return value


PowerOfTwo = AfterValidator(_power_of_two)
Latency = Annotated[int, Field(ge=1, le=1_000_000)]
Bursts = Annotated[int, Field(ge=1, le=256)]
Short = Annotated[int, Field(ge=1, le=255)]
Medium = Annotated[int, Field(ge=1, le=1023)]


class FixedTiming(Strict):
    """Every access takes the same time."""

    model: Literal["fixed"] = "fixed"
    latency_cycles: Latency = 40
    """Target cycles from the request to its first data."""
    max_reads: Bursts = 32
    """Read bursts under way at once."""
    max_writes: Bursts = 32
    """Write bursts under way at once."""
    bytes_per_cycle: Annotated[int, Field(ge=0, le=1024)] = 0
    """Bandwidth limit in bytes a target cycle; 0 = none."""


class DramTimings(Strict):
    """Timings in DRAM clock cycles; the defaults are DDR3-2133 14-14-14."""

    tCAS: Short = 14
    """Column read to its first data."""
    tCWD: Short = 10
    """Column write to its first data."""
    tRCD: Short = 14
    """Activate to column command."""
    tRP: Short = 14
    """Precharge to activate."""
    tRAS: Medium = 33
    """Activate to precharge."""
    tRC: Medium = 47
    """Activate to activate, same bank."""
    tRRD: Short = 6
    """Activate to activate, other bank of the rank."""
    tFAW: Medium = 25
    """Window in which a rank takes at most four activates."""
    tCCD: Annotated[int, Field(ge=BURST_CYCLES, le=255)] = 4
    """Column command to column command."""
    tWR: Short = 15
    """End of write data to precharge."""
    tWTR: Short = 8
    """End of write data to a read of the same rank."""
    tRTP: Short = 8
    """Read to precharge."""
    tRFC: Annotated[int, Field(ge=1, le=4095)] = 160
    """Length of a refresh."""
    tREFI: Latency = 7800
    """Mean distance of refreshes."""
    tRTRS: Short = 2
    """Data bus turn-around between ranks."""

    @model_validator(mode="after")
    def consistent(self) -> DramTimings:
        if self.tRC < self.tRAS + self.tRP:
            raise ValueError(
                f"found tRC {self.tRC}, expected at least tRAS + tRP = {self.tRAS + self.tRP}."
            )
        if self.tCWD > self.tCAS + self.tCCD + 2:
            most = self.tCAS + self.tCCD + 2
            raise ValueError(f"found tCWD {self.tCWD}, expected at most tCAS + tCCD + 2 = {most}.")
        refresh = self.tRFC + self.tRC + self.tRP + self.tCWD + self.tWR + BURST_CYCLES
        if self.tREFI <= refresh:
            raise ValueError(
                f"found tREFI {self.tREFI}, expected more than {refresh}, "
                f"the time a refresh can take with tRFC {self.tRFC}."
            )
        return self


class ClockRatio(Strict):
    """`dram` DRAM cycles pass in `target` target cycles."""

    dram: Latency = 1
    """DRAM cycles."""
    target: Latency = 3
    """Target cycles in the same time."""


class DramTiming(Strict):
    """DRAM with banks, rows and refresh: DDR3, DDR4 or a pseudo channel of HBM."""

    model: Literal["fcfs", "fr_fcfs"]
    """First come first served, or row hits first."""
    preset: Preset | None = None
    """A part whose times, clock ratio to 3.2 GHz, banks and rows are taken where no other is given
    (default: those of ddr3_2133)."""
    timings: DramTimings = DramTimings()
    """Times between DRAM commands."""
    clock_ratio: ClockRatio = ClockRatio()
    """DRAM clock against target clock."""
    ranks: Annotated[int, Field(ge=1, le=8), PowerOfTwo] = 1
    """Ranks of the channel."""
    banks: Annotated[int, Field(ge=1, le=64), PowerOfTwo] = 8
    """Banks a rank."""
    row_bytes: Annotated[int, Field(ge=64, le=1 << 20), PowerOfTwo] = 8192
    """Bytes of a row of one bank, over the whole channel."""
    page_policy: Literal["open", "closed"] = "open"
    """Whether rows stay open after an access."""
    queue_depth: Bursts = 8
    """Accesses the scheduler holds."""
    backend_latency_cycles: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Target cycles added to every access."""
    max_reads: Bursts = 16
    """Read bursts under way at once."""
    max_writes: Bursts = 16
    """Write bursts under way at once."""
    bytes_per_cycle: Annotated[int, Field(ge=0, le=1024)] = 0
    """Bandwidth limit in bytes a target cycle; 0 = none."""
    window: Bursts | None = None
    """fr_fcfs: accesses looked at when choosing the next (default 8, at most queue_depth)."""
    reorder_limit: Latency | None = None
    """fr_fcfs: accesses that may overtake the oldest one (default 64)."""

    @model_validator(mode="before")
    @classmethod
    def as_the_part(cls, given: Any) -> Any:
        return with_preset(given)

    @model_validator(mode="after")
    def fits(self) -> DramTiming:
        if self.model == "fcfs" and (self.window is not None or self.reorder_limit is not None):
            raise ValueError("found window or reorder_limit, expected them only for fr_fcfs.")
        if self.window is not None and self.window > self.queue_depth:
            raise ValueError(
                f"found window {self.window}, expected at most queue_depth {self.queue_depth}."
            )
        return self


MemoryTiming = Annotated[FixedTiming | DramTiming, Field(discriminator="model")]


class LastLevelCache(Strict):
    """A write-back cache between the blade and its DRAM."""

    sets: Annotated[int, Field(ge=1, le=1 << 20), PowerOfTwo] = 512
    """Number of sets."""
    ways: Annotated[int, Field(ge=1, le=64)] = 8
    """Blocks a set."""
    block_bytes: Annotated[int, Field(ge=64, le=4096), PowerOfTwo] = 64
    """Bytes of a block."""
    mshrs: Annotated[int, Field(ge=1, le=64)] = 8
    """Misses under way at once."""
    hit_latency_cycles: Latency = 4
    """Target cycles from look-up to data."""


class Memory(Strict):
    """The memory of one blade."""

    size_mib: Annotated[int, Field(ge=4, le=MOST_MIB)] | None = None
    """Size of the DRAM in MiB (default 256; Linux 64 or what its workload needs). Blades of FireSim
    have room for 2048, those with 16gib in their names for 16384, your own for what their addresses
    reach."""
    timing: MemoryTiming = FixedTiming()
    """What decides how long an access takes."""
    llc: LastLevelCache | None = None
    """Last-level cache in front of the DRAM; null = none."""
