# SPDX-License-Identifier: BSD-3-Clause
"""What a bitstream's memory in RTL has room for: `memory_hardware` of a build, `memory` in hwdb."""

from __future__ import annotations

from typing import Annotated

from firesim_common.base import Strict
from pydantic import Field

from firesim.config.memory import DramTiming, Memory, PowerOfTwo

_LEAST_SLOTS_LOG2 = 5


class MemoryHardware(Strict):
    """The largest settings of a node's memory that a run may choose with this bitstream."""

    dram: bool = True
    """DDR3 timing (the models fcfs and fr_fcfs); false: the model fixed."""
    llc: bool = False
    """With a last-level cache."""
    bursts: Annotated[int, Field(ge=1, le=64)] = 32
    """max_reads and max_writes, rounded up to 32 or 64."""
    ranks: Annotated[int, Field(ge=1, le=8), PowerOfTwo] = 2
    """Ranks of the channel."""
    banks: Annotated[int, Field(ge=1, le=64), PowerOfTwo] = 8
    """Banks a rank."""
    queue_depth: Annotated[int, Field(ge=1, le=64)] = 8
    """Accesses the scheduler holds."""
    sets: Annotated[int, Field(ge=1, le=1 << 14), PowerOfTwo] = 512
    """Sets of the cache."""
    ways: Annotated[int, Field(ge=1, le=16)] = 8
    """Blocks a set."""
    mshrs: Annotated[int, Field(ge=1, le=16)] = 8
    """Misses under way at once."""

    def parameters(self) -> dict[str, int]:
        """Return the parameters of the RTL: `host_rtl` in sim/bridges/memory/bridge.yaml."""
        slots = max(_LEAST_SLOTS_LOG2, (self.bursts - 1).bit_length())
        found = {"SLOTS_LOG2": slots, "DRAM": int(self.dram), "CACHE": int(self.llc)}
        if self.dram:
            found["RANKS_LOG2"] = self.ranks.bit_length() - 1
            found["BANKS_LOG2"] = self.banks.bit_length() - 1
            found["QUEUE"] = self.queue_depth
        if self.llc:
            found["SETS_LOG2"] = self.sets.bit_length() - 1
            found["WAYS"] = self.ways
            found["MSHRS"] = self.mshrs
        return found

    def misfit(self, memory: Memory) -> str | None:
        """Return what of a node's memory this hardware has not, None when all fits."""
        timing, cache = memory.timing, memory.llc
        if isinstance(timing, DramTiming) != self.dram:
            wanted = "fcfs or fr_fcfs" if self.dram else "fixed"
            return f"found memory.timing.model {timing.model}, expected {wanted}"
        if (cache is not None) != self.llc:
            found, wanted = ("no", "one") if self.llc else ("a", "none")
            return f"found {found} memory.llc, expected {wanted}"
        slots: int = 1 << self.parameters()["SLOTS_LOG2"]
        limits = {"max_reads": slots, "max_writes": slots}
        limits |= {name: getattr(self, name) for name in ("ranks", "banks", "queue_depth")}
        for part, place, names in (
            (timing, "timing", limits),
            (cache, "llc", {name: getattr(self, name) for name in ("sets", "ways", "mshrs")}),
        ):
            for name, most in names.items():
                if (value := getattr(part, name, 0)) > most:
                    return f"found memory.{place}.{name} {value}, expected at most {most}"
        return None
