# SPDX-License-Identifier: BSD-3-Clause
"""Two models of one design with the same random inputs: each output's changes, and differences."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

from firesim_common.tools import run as run_tool
from goldengate.engine import backend, emit, items, profile
from goldengate.engine.fold import Folding

from regression.support.experiment import ExperimentError

SOURCE = Path(__file__).resolve().with_suffix(".cc")


def compare_tool(folder: Path) -> Path:
    """Build the program that drives both models, in `folder`."""
    program = folder / "compare"
    run_tool(
        [backend.COMPILER, "-std=c++20", "-O2", "-I", backend.ENGINE_FOLDER, "-o", program,
         SOURCE]
    )  # fmt: skip
    return program


@dataclass(frozen=True)
class Output:
    """How often an output changed, and the first cycle in which the second model's differs."""

    name: str
    changes: int
    differs_in_cycle: int | None


@dataclass(frozen=True)
class Compared:
    """What two models of a design did, and the CPU seconds of each."""

    outputs: list[Output]
    cpu_s: tuple[float, float]

    def first_difference(self) -> Output | None:
        """Return the output that differs first; None when all are equal in every cycle."""
        wrong = [(o.differs_in_cycle, o) for o in self.outputs if o.differs_in_cycle is not None]
        return min(wrong, key=lambda pair: pair[0])[1] if wrong else None


def compare(tool: Path, first: Path, second: Path, seed: int, cycles: int) -> Compared:
    """Drive two libraries with the same inputs.

    Raises:
        ExperimentError: a model could not be run.
    """
    command = [str(tool), str(first), str(second), str(seed), str(cycles)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ExperimentError(f"{' '.join(command)}: {done.stderr}")
    # A model may print lines of its own ($display).
    lines = [line.split() for line in done.stdout.splitlines()]
    outputs = [
        Output(words[1], int(words[2]), None if words[3] == "-" else int(words[3]))
        for words in lines
        if words[:1] == ["output"]
    ]
    first_s, second_s = (float(word) for word in lines[-1][1:])
    return Compared(outputs, (first_s, second_s))


def invented_cut(folding: Folding, seed: int) -> emit.Emitter:
    """Cut a design by a profile that is not true: any cut must be right."""
    generator = random.Random(seed)
    samples, found = 64, folding.found.items
    keys: set[object] = {items.key_of(node) for item in found for node in item.reads}
    keys |= {("column", column) for item in found for column in item.columns}
    changed = {}
    for key in sorted(keys, key=repr):
        density = generator.choice((0, 0, 0.02, 0.1, 0.5))
        changed[key] = sum(1 << bit for bit in range(samples) if generator.random() < density)
    return backend.cut(folding, profile.Profile(samples, changed))
