# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine on larger blades: time and memory of the build, and speed against Verilator.

Each blade is compiled from its Verilog anew, and then runs a program on every core on both engines,
one thread, in turns; the token hashes must be equal. The ratio must not fall with the number of
cores. --quick compiles the smallest blade only and runs it once.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass

from firesim.build.model import blade_model, compile_blade
from firesim.build.rtl import blade_rtl

from regression.support.experiment import Experiment, Verdict, run_experiment
from regression.support.one_blade import ENGINES, kilohertz, medians, one_blade
from regression.support.simulate import children_cpu_s

BLADES = ("rocket-1", "rocket-4")
GOAL_BUILD_S = {"rocket-1": 60.0, "rocket-4": 180.0}
"""Most wall time from Verilog to a model on two free cores."""
LEAST_OF_FIRST = 0.95
"""The ratio of a larger blade may be this part of the smallest one's: what one run differs by."""


@dataclass(frozen=True)
class Built:
    """What a build took."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def compile_anew(experiment: Experiment, blade: str) -> Built:
    """Compile a blade, whatever is cached; the peak is that of the largest process so far."""
    blade_rtl(blade)
    begun_s, cpu_s = time.monotonic(), children_cpu_s() + time.process_time()
    compile_blade(blade, experiment.folder / blade, "generated")
    wall_s, cpu_s = time.monotonic() - begun_s, children_cpu_s() + time.process_time() - cpu_s
    everyone = (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    peak = max(resource.getrusage(who).ru_maxrss for who in everyone) / 1024
    return Built(wall_s, cpu_s, peak)


def speeds(experiment: Experiment, blade: str) -> tuple[float, float]:
    """Return thousand cycles per CPU second by Verilator and by the generated engine."""
    rounds = 500 if experiment.quick else 4_000
    workload = {"node": {"program": "counters", "args": [f"rounds={rounds}"]}}
    models = {engine: blade_model(blade, engine) for engine in ENGINES}
    repeats: int = 1 if experiment.quick else experiment.arguments.repeats
    config = one_blade(blade, workload, {})
    return medians(kilohertz(experiment, f"{blade}-run", config, models, repeats))


def _measure(experiment: Experiment) -> Verdict:
    rows, ratios, builds = [], {}, {}
    for blade in BLADES[:1] if experiment.quick else BLADES:
        built = builds[blade] = compile_anew(experiment, blade)
        theirs, ours = speeds(experiment, blade)
        ratios[blade] = ours / theirs
        rows.append(
            [
                blade,
                f"{built.wall_s:.0f}",
                f"{built.cpu_s:.0f}",
                f"{built.peak_mib:,.0f}",
                f"{theirs:,.0f}",
                f"{ours:,.0f}",
                f"{ratios[blade]:.2f}",
            ]
        )
    columns = ["blade", "build (s)", "build (CPU s)", "peak of a process (MiB)"]
    columns += ["Verilator 5.48 (kHz)", "generated (kHz)", "ratio"]
    experiment.table("From Verilog to a model, and thousand cycles per CPU second", columns, rows)
    experiment.keep(ratios=ratios, build_s={blade: one.wall_s for blade, one in builds.items()})
    holds = all(one.wall_s < GOAL_BUILD_S[blade] for blade, one in builds.items())
    holds = holds and min(ratios.values()) >= LEAST_OF_FIRST * ratios[BLADES[0]]
    figure = ", ".join(
        f"{blade} built in {one.wall_s:.0f} s, {ratios[blade]:.2f} x"
        for blade, one in builds.items()
    )
    goal = ", ".join(f"{blade} in {seconds:.0f} s" for blade, seconds in GOAL_BUILD_S.items())
    return Verdict(holds, f"{figure} of Verilator,", f"{goal}, the same ratio", timed_only=True)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side")


def run(argv: list[str]) -> int:
    """Run the experiment; return 0 when builds are short and the ratio does not fall."""
    return run_experiment("engine-size", __doc__, argv, _measure, _arguments)
