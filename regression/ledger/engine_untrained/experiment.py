# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine without training, beside itself trained and beside Verilator at its best.

Stock blade: one rocket-1, one thread, all devices, on a busy core, with floating point and traps,
and idle; token hashes are equal. With `--firrtl FILE`, a design with Rocket Chip's own harness and
memory (such as those of GSIM's benchmarks) runs a program of integers, records and sorting; with
`--gsim FOLDER`, a checkout in which `make build-gsim` was run, GSIM is one more side. Every cycle's
output and the memory in the end are equal on all sides. What is trained is so with other programs
than those reported. All sides run alternately; what is compared is cycles per CPU second.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from statistics import median

from firesim.build.design import stock_design
from firesim.build.model import blade_model, design_model

from regression.ledger.engine_speed.experiment import BLADE, LIMITS, workloads
from regression.ledger.engine_speed.profiled_verilator import profiled_model
from regression.ledger.engine_untrained import gsim, sides
from regression.ledger.engine_untrained.sides import HERE, Ran, Side
from regression.support import tethered
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.one_blade import kilohertz, one_blade

GOALS = {"counters": 3.5, "idle": 40.0}
"""Least ratios to Verilator of the untrained stock blade, by program."""
PROGRAMS = ("counters", "random", "idle")
GSIM_GOALS = {sides.UNTRAINED: 1.1, sides.TRAINED: 2.0}
"""Least ratios to GSIM without and with its profile."""
CYCLES, QUICK_CYCLES = 200_000, 20_000
REPEATS, QUICK_REPEATS = 5, 2
LOG_LINES = 1024
"""64 KiB, more than caches hold: memory shows what the program computed."""
ENDLESS = 1 << 30
"""Rounds of a program that is to be busy for as long as it is looked at."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=0, help="runs of each side")
    parser.add_argument("--firrtl", type=Path, help="a design with Rocket Chip's own harness")
    parser.add_argument("--gsim", type=Path, help="a checkout of GSIM that is built")


def _stock(experiment: Experiment, repeats: int) -> dict[str, float]:
    """Measure the stock blade; return the untrained engine's ratio to Verilator by program."""
    design = dataclasses.replace(stock_design(BLADE), train=None, training_key=())
    models = {
        "verilator": blade_model(BLADE, "verilator") if experiment.quick else profiled_model(BLADE),
        sides.UNTRAINED: design_model(design, "generated"),
        sides.TRAINED: blade_model(BLADE, "generated"),
    }
    rows, ratios = [], {}
    programs = workloads(experiment)
    for name in PROGRAMS:
        config = one_blade(BLADE, programs[name], {"max_cycles": LIMITS.get(name, 0)})
        speeds = kilohertz(experiment, name, config, models, repeats)
        theirs, untrained, trained = (median(speeds[side]) for side in models)
        ratios[name] = untrained / theirs
        shown = [f"{one:,.0f}" for one in (theirs, untrained, trained)]
        rows.append([name, *shown, f"{ratios[name]:.2f}", GOALS.get(name, "none")])
        experiment.keep(**{name: speeds})
    theirs_are = f"Verilator 5.48{'' if experiment.quick else ', profiled'} (kHz)"
    experiment.table(
        f"One {BLADE} blade, thousand cycles per CPU second, median of {repeats}",
        ["program", theirs_are, "untrained (kHz)", "trained (kHz)", "untrained ratio", "goal"],
        rows,
    )
    return ratios


def _images(folder: Path) -> tuple[Path, Path]:
    """Return the program to train with and the one that is reported."""
    training = tethered.built(folder, HERE / "train.c", rounds=ENDLESS)
    reported = tethered.built(folder, tethered.WORK, rounds=ENDLESS, log_lines=LOG_LINES)
    return sides.image_of(training), sides.image_of(reported)


def _built(experiment: Experiment, design: Path, training: Path) -> dict[str, Side]:
    """Build all sides of a design."""
    folder = experiment.folder
    sources = sides.verilog(design, folder)
    drive = sides.engine_drive(folder)
    found = {
        sides.UNTRAINED: sides.ours(sources, folder / "untrained", drive, None),
        sides.TRAINED: sides.ours(sources, folder / "trained", drive, training),
        sides.PLAIN: sides.plain(sources, folder / "plain", training),
    }
    checkout: Path | None = experiment.arguments.gsim
    if checkout is not None:
        found |= gsim.sides(checkout.resolve(), design, folder / "gsim", training)
    return found


def _design(experiment: Experiment, design: Path, repeats: int) -> dict[str, float]:
    """Measure a design in FIRRTL; return the medians of all sides in kHz.

    Raises:
        ExperimentError: the sides differ in an output of a cycle, or in what is in memory.
    """
    if experiment.arguments.gsim is not None:
        gsim.generator(experiment.arguments.gsim)
    cycles = QUICK_CYCLES if experiment.quick else CYCLES
    training, image = _images(experiment.folder)
    built = _built(experiment, design, training)
    ran: dict[str, list[Ran]] = {name: [] for name in built}
    for _ in range(repeats):
        for name, side in built.items():
            ran[name].append(side.run(image, cycles))
    if ran[sides.UNTRAINED][0].memory == built[sides.UNTRAINED].run(image, 0).memory:
        raise ExperimentError(f"{design}: the program left memory as it was.")
    shown = {name: {(one.outputs, one.memory) for one in runs} for name, runs in ran.items()}
    if len(set().union(*shown.values())) != 1:
        raise ExperimentError(f"{design}: the sides differ: {shown}.")
    speeds = {name: [cycles / one.cpu_s / 1e3 for one in runs] for name, runs in ran.items()}
    medians = {name: median(of) for name, of in speeds.items()}
    experiment.table(
        f"{design.name}, {cycles:,} cycles, median of {repeats}, equal in all outputs and memory",
        ["side", "kHz of CPU time", "untrained engine's ratio", "trained", "built (CPU s)"],
        [
            [
                name,
                f"{medians[name]:.1f}",
                f"{medians[sides.UNTRAINED] / medians[name]:.2f}",
                f"{medians[sides.TRAINED] / medians[name]:.2f}",
                f"{side.build_s:.0f}",
            ]
            for name, side in built.items()
        ],
    )
    experiment.keep(design=speeds, built_s={name: side.build_s for name, side in built.items()})
    return medians


@experiment_named("engine-untrained", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every ratio is reached."""
    repeats: int = experiment.arguments.repeats or (QUICK_REPEATS if experiment.quick else REPEATS)
    design: Path | None = experiment.arguments.firrtl
    if design is None:
        ratios = _stock(experiment, repeats)
        holds = all(ratios[name] >= goal for name, goal in GOALS.items())
        figure = ", ".join(f"{name} {ratio:.2f} x" for name, ratio in ratios.items())
        goals = ", ".join(f"{name} {goal} x" for name, goal in GOALS.items())
        return Verdict(holds, f"{figure} of Verilator,", goals, timed_only=True)
    medians = _design(experiment, design.resolve(), repeats)
    others = {name: khz for name, khz in medians.items() if name not in GSIM_GOALS}
    figure = ", ".join(
        f"{ours} {medians[ours] / khz:.2f} x {other}"
        for ours in GSIM_GOALS
        for other, khz in others.items()
    )
    holds = all(
        medians[ours] >= khz * (goal if other != sides.PLAIN else 1.0)
        for ours, goal in GSIM_GOALS.items()
        for other, khz in others.items()
    )
    goals = ", ".join(f"{ours} {goal} x GSIM" for ours, goal in GSIM_GOALS.items())
    return Verdict(holds, f"equal; {figure},", goals, timed_only=True)
