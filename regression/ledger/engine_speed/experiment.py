# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine against Verilator: one blade, one thread, CPU time, both in one run.

Programs reported here are not those the engine was trained with (deploy/firesim/build/training.py),
and neither is Linux. Each side runs inside firesim-sim with all devices, memory timing and
counters; what is compared is target cycles per CPU second. The token hashes of both sides must be
equal. Verilator's model is compiled with a profile of the same training programs; --quick leaves
that and Linux out.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from firesim.build.model import blade_model
from firesim_common.tools import run as run_tool
from firesim_software.builder import COMPILER

from regression.ledger.engine_speed.profiled_verilator import profiled_model
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.one_blade import kilohertz, medians, one_blade
from regression.support.random_programs.machines import build

BLADE = "rocket-1"
GOALS = {"linux": 5.0, "counters": 5.0, "random": 3.5, "idle": 20.0}
"""Least ratios, by program: Linux's boot; integer; floating point and traps; a core that waits.
What streams at the full rate of the network is reported, too, and has no goal."""
LIMITS = {"linux": 3_000_000, "idle": 400_000}
"""Target cycles of the programs that would go on longer."""


def _waiting(folder: Path) -> Path:
    """Link a program that waits for an interrupt that never comes."""
    source, elf = folder / "wait.S", folder / "wait.elf"
    source.write_text(".globl _start\n_start: wfi\n j _start\n")
    options = [
        "-march=rv64gc",
        "-mabi=lp64d",
        "-nostdlib",
        "-Wl,-Ttext=0x80000000,-n,--build-id=none",
    ]
    run_tool([COMPILER, *options, "-o", elf, source])
    return elf.absolute()


def workloads(experiment: Experiment) -> dict[str, dict[str, Any]]:
    """Return the programs reported, none of them trained with."""
    quick = experiment.quick
    program = build(experiment.seed, experiment.folder / "oracle")
    end = 200_000 if quick else 900_000
    stream = ["role=sender", "peer=00:12:6D:00:00:03", "start=20000", f"end={end}", "size=1504"]
    rounds = 1_000 if quick else 6_000
    linux = {} if quick else {"linux": {"node": {"linux": "linux-hello"}}}
    return linux | {
        "counters": {"node": {"program": "counters", "args": [f"rounds={rounds}"]}},
        "random": {"nodes": {"node0": {"elf": str(program.for_rocket)}}},
        "stream": {"node": {"program": "saturate", "args": stream}},
        "idle": {"node": {"elf": str(_waiting(experiment.folder))}},
    }


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=0, help="runs of each side")


@experiment_named("engine-speed", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every program reaches its ratio."""
    repeats: int = experiment.arguments.repeats or (2 if experiment.quick else 5)
    verilator = blade_model(BLADE, "verilator") if experiment.quick else profiled_model(BLADE)
    models = {"verilator": verilator, "generated": blade_model(BLADE, "generated")}
    rows, ratios = [], {}
    for name, workload in workloads(experiment).items():
        watched = {"max_cycles": LIMITS.get(name, 0), "autocounter": {"enabled": True}}
        config = one_blade(BLADE, workload, watched)
        speeds = kilohertz(experiment, name, config, models, repeats)
        base, ours = medians(speeds)
        ratios[name] = ours / base
        goal = f"{GOALS[name]:.1f}" if name in GOALS else "none"
        rows.append([name, f"{base:,.0f}", f"{ours:,.0f}", f"{ours / base:.2f}", goal])
        experiment.keep(**{name: speeds})
    experiment.table(
        f"One {BLADE} blade, thousand cycles per CPU second, median of {repeats}",
        [
            "program",
            f"Verilator 5.48{'' if experiment.quick else ', profiled'} (kHz)",
            "generated (kHz)",
            "ratio",
            "goal",
        ],
        rows,
    )
    holds = all(ratio >= GOALS.get(name, 0.0) for name, ratio in ratios.items())
    figure = ", ".join(f"{name} {ratio:.2f} x" for name, ratio in ratios.items())
    goals = ", ".join(f"{name} {goal} x" for name, goal in GOALS.items())
    return Verdict(holds, f"{figure} of Verilator,", goals, timed_only=True)
