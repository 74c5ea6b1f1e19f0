# SPDX-License-Identifier: BSD-3-Clause
"""What a module of units beside a core takes of an FPGA: LUT, FF, block RAM, by their settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from firesim.boards.one_module import synthesized_module
from firesim.build.rtl import peripherals
from firesim.build.rtl_blade import load_blade
from goldengate.synthesis import Counts
from goldengate.synthesis_cells import kind_of, weight_of

FAMILY = "xcup"
"""UltraScale+, the family of the boards on PCIe."""
_LUT_BITS = 64
_MODULE = re.compile(r"^module (\w+)\(.*?^endmodule", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_OPCODES = ("custom0", "custom1", "custom2", "custom3")

Options = Mapping[str, Mapping[str, int]]
"""Options by the name of a part, as a blade file has them."""


@dataclass(frozen=True)
class Area:
    """What a module takes. Small memories are in look-up tables: `memory_lut` of `lut`."""

    lut: float
    memory_lut: float
    ff: float
    bram_kbit: float
    levels: float | None
    """Look-up tables on the longest path between registers; None: not known."""
    cpu_s: float
    """Processor time of its synthesis, in seconds."""

    @property
    def logic_lut(self) -> float:
        """Look-up tables without those that hold memory."""
        return self.lut - self.memory_lut

    @property
    def memory_kbit(self) -> float:
        """What its memories take, in kbit: block RAM, and look-up tables of 64 bits."""
        return self.bram_kbit + self.memory_lut * _LUT_BITS / 1024

    def with_part(self, old: Area, new: Area) -> Area:
        """Return what is taken when a part of the module takes `new` in place of `old`."""
        return Area(
            self.lut - old.lut + new.lut,
            self.memory_lut - old.memory_lut + new.memory_lut,
            self.ff - old.ff + new.ff,
            self.bram_kbit - old.bram_kbit + new.bram_kbit,
            None,
            new.cpu_s,
        )

    def shares(self, whole: Area) -> tuple[float, float]:
        """Return its shares of the logic and of the memory of another area, which has both."""
        return self.logic_lut / whole.logic_lut, self.memory_kbit / whole.memory_kbit


def with_submodules(verilog: str, module: str) -> str:
    """Return the text of a module and of all below it, of Verilog as firtool writes it.

    So what is synthesized stays the same text when another part changes.

    Raises:
        KeyError: there is no such module.
    """
    texts = {found[1]: found[0] for found in _MODULE.finditer(verilog)}
    wanted, open_ = [module], [module]
    while open_:
        for word in dict.fromkeys(_WORD.findall(texts[open_.pop()])):
            if word in texts and word not in wanted:
                wanted.append(word)
                open_.append(word)
    return "\n".join(texts[name] for name in wanted)


def parts_verilog(options: Options, near_core: frozenset[str], folder: Path) -> str:
    """Elaborate parts with options beside a Rocket core; return the Verilog around the core.

    Parts of `near_core` get opcodes of their own; the blade file is written into `folder`.

    Raises:
        ToolError: the parts cannot be elaborated.
    """
    folder.mkdir(parents=True, exist_ok=True)
    opcodes = iter(_OPCODES)
    parts: list[dict[str, object]] = []
    for part, given in options.items():
        listed: dict[str, object] = {"part": part, "options": dict(given)}
        parts.append(listed | ({"opcodes": [next(opcodes)]} if part in near_core else {}))
    blade = folder / "area.yaml"
    blade.write_text(
        yaml.safe_dump(
            {
                "description": "A Rocket core with the units that are measured",
                "extends": "rocket-1",
                "parts": parts,
                "without": ["block_device"],
            }
        )
    )
    files = sorted(peripherals(load_blade(str(blade))).glob("*.sv"))
    return "\n".join(file.read_text() for file in files)


def area(verilog: str, module: str) -> Area:
    """Synthesize one module, as `firesim build estimate --module` does; results are cached.

    Raises:
        KeyError: the Verilog has no such module.
        GoldenGateError: Yosys refuses the module.
    """
    with TemporaryDirectory(prefix="firesim-area-") as folder:
        source = Path(folder) / f"{module}.sv"
        source.write_text(with_submodules(verilog, module))
        counts = Counts.read(synthesized_module([source], module, FAMILY))
    memory = sum(
        weight_of(FAMILY, cell).get("lut", 0) * count
        for cell, count in counts.cells.items()
        if kind_of(FAMILY, cell) == "memory"
    )
    total = counts.total
    return Area(total["lut"], memory, total["ff"], total["bram_kbit"], counts.levels, counts.cpu_s)
