# SPDX-License-Identifier: BSD-3-Clause
"""Which hardware the memory of a node needs where its timing is RTL: parameters, and their ends."""

from __future__ import annotations

from firesim.config.memory import DramTiming, FixedTiming, Memory

KEY = "memory"
"""The kind of bridge whose host's side this is."""
MOST = {
    "max_reads": 64, "max_writes": 64, "queue_depth": 64, "sets": 1 << 14, "ways": 16, "mshrs": 16,
}  # fmt: skip
"""What sim/bridges/memory/rtl is compared up to, or somewhat beyond, with the C++ models."""


def memory_hardware(memory: Memory) -> dict[str, int]:
    """Return the parameters of the smallest hardware that this memory fits in.

    What it need not have is at its default, so that settings that differ in numbers alone mostly
    share one model. Parameters: `host_rtl` in sim/bridges/memory/bridge.yaml.
    """
    bursts = max(memory.timing.max_reads, memory.timing.max_writes)
    found = {"SLOTS_LOG2": max(5, _log2_up(bursts)), "DRAM": 0, "CACHE": 0}
    if isinstance(memory.timing, DramTiming):
        found["DRAM"] = 1
        found["RANKS_LOG2"] = max(1, _log2_up(memory.timing.ranks))
        found["BANKS_LOG2"] = max(3, _log2_up(memory.timing.banks))
        found["QUEUE"] = max(8, memory.timing.queue_depth)
    if memory.llc is not None:
        found["CACHE"] = 1
        found["SETS_LOG2"] = max(9, _log2_up(memory.llc.sets))
        found["WAYS"] = max(8, memory.llc.ways)
        found["MSHRS"] = max(8, memory.llc.mshrs)
    return found


def too_much(memory: Memory) -> str | None:
    """Return what no hardware has room for, None if there is nothing."""
    timing: FixedTiming | DramTiming = memory.timing
    for part, place in ((timing, "timing"), (memory.llc, "llc")):
        for key, most in MOST.items():
            found = getattr(part, key, 0)
            if found > most:
                return (
                    f"found memory.{place}.{key} {found}, expected at most {most} with "
                    f'"metasim: {{memory: rtl}}".'
                )
    return None


def _log2_up(value: int) -> int:
    return (value - 1).bit_length()
