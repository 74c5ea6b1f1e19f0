# SPDX-License-Identifier: BSD-3-Clause
"""Several blades in one netlist: each must do what one alone does with the same inputs.

It is what an FPGA or a board model would hold, and the largest netlist that FireSim has met: eight
Rocket blades with all their peripherals are one flat module.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import goldengate
from firesim.build.rtl import blade_rtl
from goldengate.harness import RESET_CYCLES, Model

from regression.support.experiment import ExperimentError

CHANGED = 0.2
"""Share of the inputs that are drawn again in a cycle."""


@dataclass(frozen=True)
class Copied:
    """What is copied: a module, the files of its text, and its parameters."""

    top: str
    sources: tuple[Path, ...]
    parameters: dict[str, str] = field(default_factory=dict)


def of_blade(blade: str) -> Copied:
    """Return a blade of stock as it is copied."""
    rtl = blade_rtl(blade)
    about = json.loads((rtl / "blade.json").read_text())
    return Copied(about["top"], tuple(rtl / source for source in about["sources"]))


def compile_copies(folder: Path, copied: Copied, copies: int) -> Path:
    """Compile `copies` of it in one module, untrained; return the model, which is in `folder`."""
    settings = ", ".join(f".{name}({value})" for name, value in copied.parameters.items())
    instances = [f"  {copied.top} #({settings}) blade{n}(.clock, .reset);" for n in range(copies)]
    folder.mkdir(parents=True)
    wrapper = folder / "copies.sv"
    text = ["module Copies(input logic clock, input logic reset);", *instances, "endmodule", ""]
    wrapper.write_text("\n".join(text))
    sources = [*copied.sources, wrapper]
    return goldengate.compile(sources, "Copies", folder / "model", engine="generated")


def compare_copies(one: Path, many: Path, copies: int, cycles: int, seed: int) -> None:
    """Drive the copies and as many single blades with the same random inputs.

    Raises:
        ExperimentError: an output differs.
    """
    generator = random.Random(seed)
    together = Model(many / "model.so")
    alone = [Model(one / "model.so") for _ in range(copies)]
    inputs = [n for n, (_, is_input) in alone[0].ports.items() if is_input and n != "reset"]
    for cycle in range(cycles):
        expected: dict[str, int] = {}
        together["reset"] = int(cycle < RESET_CYCLES)
        for index, model in enumerate(alone):
            model["reset"] = int(cycle < RESET_CYCLES)
            for name in inputs:
                if generator.random() < CHANGED:
                    value = generator.getrandbits(model.ports[name][0])
                    model[name] = together[f"blade{index}__{name}"] = value
            found = model.step()
            expected |= {f"blade{index}__{name}": value for name, value in found.items()}
        for name, value in together.step().items():
            if not name.startswith("firesim_") and expected[name] != value:
                raise ExperimentError(
                    f"{copies} blades in one netlist: output {name} differs in cycle {cycle}, "
                    f"seed {seed}."
                )
    for model in (together, *alone):
        model.close()
