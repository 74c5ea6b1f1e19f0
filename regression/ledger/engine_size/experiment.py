# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine on larger blades: time and memory of the build, and speed against Verilator.

Each blade is compiled from its Verilog, and then runs a program on every core on both engines,
one thread, alternately; the token hashes must be equal. The ratio must not fall with the number of
cores. Last, eight blades in one netlist are compiled; each must do what one alone does with the
same random inputs. --quick does that with eight packet reflectors; it leaves the speed of the
engines to engine-speed.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import goldengate
from firesim.build.design import stock_design
from firesim.build.model import blade_model, compile_design
from firesim_common.paths import ROOT

from regression.ledger.engine_size.many_blades import (
    Copied,
    compare_copies,
    compile_copies,
    of_blade,
)
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.one_blade import ENGINES, kilohertz, medians, one_blade
from regression.support.simulate import children_cpu_s

BLADES = ("rocket-1", "rocket-4", "rocket-8")
REFLECTOR = Copied(
    "PacketReflector",
    (ROOT / "target-design/examples/packet-reflector/packet_reflector.sv",),
    {"DEPTH": "64"},
)
GOAL_BUILD_S = {"rocket-1": 60.0, "rocket-4": 180.0}
"""Most wall time from Verilog to a model on two free cores."""
ROUNDS = 1_500
COPIES = 8
COMPARED_CYCLES, QUICK_COMPARED_CYCLES = 5_000, 2_000
COLUMNS = ("blade", "build (s)", "build (CPU s)", "peak of a process (MiB)")
SPEEDS = ("Verilator 5.48 (kHz)", "generated (kHz)", "ratio")
LEAST_OF_FIRST = 0.95
"""The ratio of a larger blade may be this part of the smallest one's: what one run differs by."""


@dataclass(frozen=True)
class Built:
    """What a build took."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def measured(build: Callable[[], object]) -> Built:
    """Run a build; the peak is that of the largest process so far."""
    begun_s, cpu_s = time.monotonic(), children_cpu_s() + time.process_time()
    build()
    wall_s, cpu_s = time.monotonic() - begun_s, children_cpu_s() + time.process_time() - cpu_s
    everyone = (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    peak = max(resource.getrusage(who).ru_maxrss for who in everyone) / 1024
    return Built(wall_s, cpu_s, peak)


def compile_anew(experiment: Experiment, blade: str) -> Built:
    """Compile a blade, whatever is cached."""
    return measured(
        lambda: compile_design(stock_design(blade), experiment.folder / blade, "generated")
    )


def speeds(experiment: Experiment, blade: str) -> tuple[float, float]:
    """Return thousand cycles per CPU second by Verilator and by the generated engine."""
    workload = {"node": {"program": "cores", "args": [f"rounds={ROUNDS}"]}}
    models = {engine: blade_model(blade, engine) for engine in ENGINES}
    repeats: int = experiment.arguments.repeats
    config = one_blade(blade, workload, {})
    return medians(kilohertz(experiment, f"{blade}-run", config, models, repeats))


def _many_blades(experiment: Experiment, copied: Copied, one: Path) -> list[str]:
    """Compile and compare blades in one netlist; return their row of the table.

    `one` is the folder of a model of one alone.
    """
    folder = experiment.folder / "many"
    built = measured(lambda: compile_copies(folder, copied, COPIES))
    cycles = QUICK_COMPARED_CYCLES if experiment.quick else COMPARED_CYCLES
    compare_copies(one, folder / "model", COPIES, cycles, experiment.seed)
    name = f"{COPIES} {copied.top} in one netlist, {cycles:,} cycles equal"
    return _row(name, built, [])


def _row(name: str, built: Built, more: list[str]) -> list[str]:
    return [name, f"{built.wall_s:.0f}", f"{built.cpu_s:.0f}", f"{built.peak_mib:,.0f}", *more]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side")


def _quick(experiment: Experiment) -> Verdict:
    """Hold when eight packet reflectors in one netlist do what one alone does."""
    one = goldengate.compile(
        REFLECTOR.sources,
        REFLECTOR.top,
        experiment.folder / "one",
        engine="generated",
        parameters=REFLECTOR.parameters,
    )
    several = _many_blades(experiment, REFLECTOR, one)
    experiment.table("From Verilog to a model", COLUMNS, [several])
    return Verdict(True, several[0], "equal outputs")


@experiment_named("engine-size", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when builds are short and the ratio does not fall."""
    if experiment.quick:
        return _quick(experiment)
    rows, ratios, builds = [], {}, {}
    for blade in BLADES:
        built = builds[blade] = compile_anew(experiment, blade)
        theirs, ours = speeds(experiment, blade)
        ratios[blade] = ours / theirs
        speed = [f"{theirs:,.0f}", f"{ours:,.0f}", f"{ratios[blade]:.2f}"]
        rows.append(_row(blade, built, speed))
    rows.append(_many_blades(experiment, of_blade(BLADES[0]), experiment.folder / BLADES[0]))
    for row in rows:
        row += [""] * (len(COLUMNS) + len(SPEEDS) - len(row))
    title = "From Verilog to a model, and thousand cycles per CPU second"
    experiment.table(title, [*COLUMNS, *SPEEDS], rows)
    experiment.keep(ratios=ratios, build_s={blade: one.wall_s for blade, one in builds.items()})
    holds = all(builds[blade].wall_s < GOAL_BUILD_S.get(blade, math.inf) for blade in builds)
    holds = holds and min(ratios.values()) >= LEAST_OF_FIRST * ratios[BLADES[0]]
    figure = ", ".join(
        f"{blade} built in {one.wall_s:.0f} s, {ratios[blade]:.2f} x"
        for blade, one in builds.items()
    )
    goal = ", ".join(f"{blade} in {seconds:.0f} s" for blade, seconds in GOAL_BUILD_S.items())
    return Verdict(holds, f"{figure} of Verilator,", f"{goal}, the same ratio", timed_only=True)
