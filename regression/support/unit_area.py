# SPDX-License-Identifier: BSD-3-Clause
"""What units beside a core take of an FPGA, by the settings of their part: LUT, FF, block RAM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import yaml
from firesim.build.rtl import peripherals
from firesim.build.rtl_blade import load_blade
from goldengate.synthesis import synthesize

from regression.support.experiment import Experiment

FAMILY = "xcup"
"""UltraScale+, the family of the boards on PCIe."""


@dataclass(frozen=True)
class Area:
    """What a unit takes."""

    lut: float
    ff: float
    bram_kbit: float

    def times(self, other: Area) -> list[str]:
        """Return the shares of another one's, as cells of a table."""
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return [f"{mine / theirs:.2f}" if theirs else "-" for mine, theirs in both]


def areas(
    experiment: Experiment, part: str, kernel: str, settings: Mapping[str, Mapping[str, int]]
) -> dict[str, Area]:
    """Synthesize the module `kernel` of a part for each of its settings; show a table.

    The first setting is the one that others are compared with. The same synthesis is that of
    `firesim build estimate`, which has a whole blade with the host's side.

    Raises:
        ToolError: a blade cannot be elaborated.
        GoldenGateError: Yosys refuses the module.
    """
    found: dict[str, Area] = {}
    for index, (name, options) in enumerate(settings.items()):
        folder = experiment.folder / f"area-{kernel}-{index}"
        folder.mkdir(parents=True)
        blade = folder / f"area-{index}.yaml"
        blade.write_text(
            yaml.safe_dump(
                {
                    "description": f"One Rocket core with the part {part}: {name}",
                    "extends": "rocket-1",
                    "parts": [{"part": part, "options": dict(options)}],
                    "without": ["block_device"],
                }
            )
        )
        sources = sorted(peripherals(load_blade(str(blade))).glob("*.sv"))
        total = synthesize(sources, kernel, FAMILY, folder).total
        found[name] = Area(total["lut"], total["ff"], total["bram_kbit"])
    first = next(iter(found.values()))
    rows = [
        [name, *(f"{value:,.0f}" for value in vars(area).values()), *area.times(first)]
        for name, area in found.items()
    ]
    titles = ["setting", "LUT", "FF", "BRAM (kbit)", "LUT by the first", "FF", "BRAM"]
    experiment.table(f"Area of {kernel} on UltraScale+, by Yosys", titles, rows)
    experiment.keep(**{f"area_{kernel}": {name: vars(area) for name, area in found.items()}})
    return found
