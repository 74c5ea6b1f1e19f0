# SPDX-License-Identifier: BSD-3-Clause
"""What the cells of FPGA families take of a device.

A look-up table is one of the family's own size: four inputs on ECP5, six on Xilinx devices. Carry
chains lie beside the tables of a Xilinx slice; on ECP5 a carry cell takes two tables. Distributed
memory takes the tables it is made of, on ECP5 with those of its write port.
"""

from __future__ import annotations

import re

LEVELS = {"lut": 1.0, "carry": 0.1, "dsp": 4.0, "memory": 1.0, None: 0.3}
"""What a cell adds to a path, in levels of look-up tables; None is a multiplexer beside them."""

KINDS = ("lut", "ff", "bram_kbit", "uram", "dsp")
FAMILIES = {"ecp5": "Lattice ECP5", "xcup": "Xilinx UltraScale+", "xc7": "Xilinx 7 series"}

_ECP5 = {
    "LUT4": ("lut", {"lut": 1}),
    "CCU2C": ("carry", {"lut": 2}),
    "TRELLIS_DPR16X4": ("memory", {"lut": 6}),
    "TRELLIS_FF": ("ff", {"ff": 1}),
    "DP16KD": ("memory", {"bram_kbit": 18}),
    "PDPW16KD": ("memory", {"bram_kbit": 18}),
    "MULT18X18D": ("dsp", {"dsp": 1}),
    "ALU54B": ("dsp", {}),
}
_XILINX_MEMORIES = {
    "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8,
    "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8,
    "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM64X8SW": 8,
    "SRL16E": 1, "SRLC16E": 1, "SRLC32E": 1,
}  # fmt: skip
_XILINX: dict[str, tuple[str, dict[str, int]]] = {
    **{f"LUT{inputs}": ("lut", {"lut": 1}) for inputs in range(1, 7)},
    "INV": ("lut", {}),
    **{name: ("lut", {}) for name in ("MUXF7", "MUXF8", "MUXF9")},
    **{name: ("carry", {}) for name in ("CARRY4", "CARRY8")},
    **{name: ("memory", {"lut": tables}) for name, tables in _XILINX_MEMORIES.items()},
    **{name: ("memory", {"bram_kbit": 36}) for name in ("RAMB36E1", "RAMB36E2")},
    **{name: ("memory", {"bram_kbit": 18}) for name in ("RAMB18E1", "RAMB18E2")},
    "URAM288": ("memory", {"uram": 1}),
    "DSP48E1": ("dsp", {"dsp": 1}),
    "DSP48E2": ("dsp", {"dsp": 1}),
}
_BLOCKS = ("DP16KD", "PDPW16KD", "RAMB36E1", "RAMB36E2", "RAMB18E1", "RAMB18E2", "URAM288")
_XILINX_REGISTER = re.compile(r"FD[RSCP]E(_1)?")


def _entry(family: str, cell: str) -> tuple[str | None, dict[str, int]]:
    if family == "ecp5":
        return _ECP5.get(cell, (None, {}))
    if _XILINX_REGISTER.fullmatch(cell):
        return "ff", {"ff": 1}
    return _XILINX.get(cell, (None, {}))


def kind_of(family: str, cell: str) -> str | None:
    """Return `lut`, `carry`, `ff`, `memory` or `dsp`, or None for wiring, buffers and the like."""
    return _entry(family, cell)[0]


def weight_of(family: str, cell: str) -> dict[str, int]:
    """Return what one cell takes, by kind (KINDS)."""
    return _entry(family, cell)[1]


def levels_of(family: str, cell: str) -> float | None:
    """Return what a cell adds to a path through it, None when a path ends there."""
    kind = kind_of(family, cell)
    return None if kind == "ff" or cell in _BLOCKS else LEVELS[kind]
