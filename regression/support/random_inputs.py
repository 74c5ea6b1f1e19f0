# SPDX-License-Identifier: BSD-3-Clause
"""Two models of one design with the same random inputs: the first difference of each output."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from firesim.build.tools import run as run_tool
from goldengate.engine import backend, emit, items, profile

from regression.support.experiment import ExperimentError

HERE = Path(__file__).resolve().parent / "engine_fuzz"


def compare_tool(folder: Path) -> Path:
    """Build the program that drives both models, in `folder`."""
    program = folder / "compare"
    run_tool(
        [backend.COMPILER, "-std=c++20", "-O2", "-I", backend.ENGINE_FOLDER, "-o", program,
         HERE / "compare.cc"]
    )  # fmt: skip
    return program


def differences(
    tool: Path, first: Path, second: Path, seed: int, cycles: int
) -> list[tuple[str, int]]:
    """Return (output, first cycle in which it differs) of two libraries; empty when all are equal.

    Raises:
        ExperimentError: a model could not be run.
    """
    command = [str(tool), str(first), str(second), str(seed), str(cycles)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ExperimentError(f"{' '.join(command)}: {done.stderr}")
    return [(line.split()[0], int(line.split()[1])) for line in done.stdout.splitlines()]


def invented_cut(found: items.Items, seed: int) -> emit.Emitter:
    """Cut a design by a profile that is not true: any cut must be right."""
    generator = random.Random(seed)
    samples = 64
    keys: set[object] = {profile.key_of(node) for item in found.items for node in item.reads}
    keys |= {("column", column) for item in found.items for column in item.columns}
    changed = {}
    for key in sorted(keys, key=repr):
        density = generator.choice((0, 0, 0.02, 0.1, 0.5))
        changed[key] = sum(1 << bit for bit in range(samples) if generator.random() < density)
    return backend.cut(found, profile.Profile(samples, changed))
