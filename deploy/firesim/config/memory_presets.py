# SPDX-License-Identifier: BSD-3-Clause
"""Times of DRAM parts, by name: what `system.node.memory.timing.preset` stands for.

Each is in cycles of its own clock, worked out of the source that is named, rounded up. The timing
model has no bank groups: of two distances the shorter one is taken, that between groups, so that
accesses to one group follow each other sooner than the part would let them. `clock_ratio` is for a
target clock of 3.2 GHz.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args

Preset = Literal["ddr3_2133", "ddr4_2400", "ddr4_3200", "hbm2_2000"]

_DDR4_8GB: dict[str, int] = {"banks": 16, "row_bytes": 8192}
"""64 bits of eight Micron MT40A1G8 (8 Gb, x8): 4 groups of 4 banks, pages of 1 KiB a part."""

_PRESETS: dict[str, dict[str, Any]] = {
    # The defaults of the timing model: docs/explanation/memory-timing.md.
    "ddr3_2133": {"timings": {}},
    # Micron MT40A1G8-083E, 16-16-16, data sheet "8Gb: x4, x8, x16 DDR4 SDRAM" (JESD79-4): tRAS
    # 32 ns, tRRD_S 3.3 ns, tFAW 21 ns, tWR 15 ns, tWTR_S 2.5 ns, tRTP 7.5 ns, tRFC1 350 ns, tREFI
    # 7.8 us, CWL 16; at 1200 MHz, 3/8 of 3.2 GHz.
    "ddr4_2400": {
        **_DDR4_8GB,
        "clock_ratio": {"dram": 3, "target": 8},
        "timings": {
            **{"tCAS": 16, "tCWD": 16, "tRCD": 16, "tRP": 16, "tRAS": 39, "tRC": 55},
            **{"tRRD": 4, "tFAW": 26, "tCCD": 4, "tWR": 18, "tWTR": 3, "tRTP": 9},
            **{"tRFC": 420, "tREFI": 9360},
        },
    },
    # Micron MT40A1G8-062E, 22-22-22, the same data sheet: tRAS 32 ns, tRRD_S 2.5 ns or 4 cycles,
    # tFAW 21 ns, tWR 15 ns, tWTR_S 2.5 ns, tRTP 7.5 ns, tRFC1 350 ns, tREFI 7.8 us, CWL 16; at 1600
    # MHz, half of 3.2 GHz.
    "ddr4_3200": {
        **_DDR4_8GB,
        "clock_ratio": {"dram": 1, "target": 2},
        "timings": {
            **{"tCAS": 22, "tCWD": 16, "tRCD": 22, "tRP": 22, "tRAS": 52, "tRC": 74},
            **{"tRRD": 4, "tFAW": 34, "tCCD": 4, "tWR": 24, "tWTR": 4, "tRTP": 12},
            **{"tRFC": 560, "tREFI": 12_480},
        },
    },
    # One pseudo channel of HBM2, 64 bits at 2 Gb/s (JESD235: 16 banks, pages of 1 KiB, bursts of
    # four, two of which are 64 bytes). Makers do not publish its times: they are those of
    # HBM2_8Gb_x128.ini of DRAMsim3 (S. Li et al., IEEE Computer Architecture Letters 19(2), 2020);
    # at 1 GHz, 5/16 of 3.2 GHz.
    "hbm2_2000": {
        "banks": 16,
        "row_bytes": 1024,
        "clock_ratio": {"dram": 5, "target": 16},
        "timings": {
            **{"tCAS": 14, "tCWD": 4, "tRCD": 14, "tRP": 14, "tRAS": 34, "tRC": 48},
            **{"tRRD": 4, "tFAW": 30, "tCCD": 4, "tWR": 16, "tWTR": 6, "tRTP": 4},
            **{"tRFC": 260, "tREFI": 3900},
        },
    },
}
PRESETS: Mapping[str, dict[str, Any]] = MappingProxyType(_PRESETS)
assert set(PRESETS) == set(get_args(Preset))


def with_preset(given: Any) -> Any:
    """Return the timing that a recipe gives, with what its preset says of all that it does not."""
    if not isinstance(given, dict) or given.get("preset") not in PRESETS:
        return given
    preset = PRESETS[given["preset"]]
    own = given.get("timings")
    if own is not None and not isinstance(own, dict):
        return given
    return {**preset, **given, "timings": {**preset["timings"], **(own or {})}}
