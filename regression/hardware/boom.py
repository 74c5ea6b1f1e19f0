# SPDX-License-Identifier: BSD-3-Clause
"""FIRRTL as a blade: an out-of-order core from its text to the end of a program on both engines.

The design is that of `--firrtl`, with Rocket Chip's own harness, such as SmallBoom of GSIM's
benchmarks: it has no link to a host, which looks for tohost in memory, so the program brings its
words there by the flush register of the L2. Both RTL engines must agree in the end cycle, the exit
code, the console and the memory statistics, and the console must be that of the same program on
this computer. Time and memory from the text to a model are measured.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from regression.support import tethered
from regression.support.as_user import UserRun, run_as_user
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)

RECIPE = """\
system:
  topology: {{nodes: [soc], switches: [], links: []}}
  clock_hz: 1_000_000_000
  blades: {{mine: {{chipyard: "{design}"}}}}
  node: {{blade: mine}}
workload: {{nodes: {{soc: {{elf: "{elf}"}}}}}}
simulation: {{max_cycles: 2_000_000, threads: 1}}
"""
ROUNDS, QUICK_ROUNDS = 4, 1
ENGINES = ("generated", "verilator")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--firrtl", type=Path, help="a design with Rocket Chip's own harness")


def _left(run: UserRun) -> dict[str, object]:
    """Return what a run left that must not depend on the engine."""
    (node,) = run.nodes
    return {
        "end cycle": node["ended_at_cycle"],
        "exit code": node["exit_code"],
        "console": run.console("soc"),
        "memory statistics": json.loads((run.folder / "soc/memory.json").read_text()),
    }


def _cost(run: UserRun) -> list[object]:
    """Return the cells of a run's cost; what it built counts if it had to make the model."""
    (node,) = run.nodes
    khz = node["ended_at_cycle"] / node["cpu_s"] / 1000
    built = "compiling the model" in run.folder.with_name(f"{run.folder.name}.log").read_text()
    whole = [f"{run.cpu_s:,.0f}", f"{run.peak_bytes / 1e9:.2f}"] if built else ["cached"] * 2
    return [f"{khz:.1f}", *whole]


@experiment_named("boom", _arguments)
def main(experiment: Experiment) -> Verdict:
    """Run the program on both engines."""
    design: Path | None = experiment.arguments.firrtl
    if design is None:
        raise NotHereError("it needs a design that is not ours: --firrtl FILE")
    rounds = QUICK_ROUNDS if experiment.quick else ROUNDS
    folder = experiment.folder
    elf = tethered.built(folder, tethered.WORK, flush=tethered.L2_FLUSH, rounds=rounds)
    recipe = folder / "recipe.yaml"
    recipe.write_text(RECIPE.format(design=design.resolve(), elf=elf))
    runs = {
        engine: run_as_user(recipe, folder / engine, f"simulation.rtl_engine={engine}")
        for engine in ENGINES
    }
    left = {engine: _left(run) for engine, run in runs.items()}
    first, second = left.values()
    if first["end cycle"] is None:
        raise ExperimentError(f"{folder}: the program did not end.")
    rows = [
        [engine, f"{left[engine]['end cycle']:,}", left[engine]["exit code"], *_cost(run)]
        for engine, run in runs.items()
    ]
    columns = ["engine", "end cycle (measured)", "exit code (measured)", "kHz of processor time"]
    columns += ["build and run (s of processor time)", "largest process (GB)"]
    experiment.table("a program on both engines", columns, rows)
    different = [what for what in first if first[what] != second[what]]
    if first["console"] != tethered.expected(folder, tethered.WORK, rounds):
        different.append("console, from this computer's")
    if first["exit code"] != 0:
        different.append("exit code, from 0")
    experiment.keep(end_cycle=first["end cycle"], different=different, console=first["console"])
    said = f", different in: {', '.join(different)}" if different else ", equal in all results"
    figure = f"the program ended at cycle {first['end cycle']:,}{said},"
    return Verdict(not different, figure, "equality")
