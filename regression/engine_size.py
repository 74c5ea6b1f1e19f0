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
from statistics import median
from typing import Any

from firesim.build.model import blade_model, compile_blade
from firesim.build.rtl import blade_rtl

from regression.support.cluster import Cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, run_experiment
from regression.support.simulate import simulate

BLADES = ("rocket-1", "rocket-4")
GOAL_BUILD_S = {"rocket-1": 60.0, "rocket-4": 180.0}
"""Most wall time from Verilog to a model on two free cores."""
LEAST_OF_FIRST = 0.95
"""The ratio of a larger blade may be this part of the smallest one's: what one run differs by."""
ENGINES = ("verilator", "generated")


@dataclass(frozen=True)
class Built:
    """What a build took."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def compile_anew(experiment: Experiment, blade: str) -> Built:
    """Compile a blade, whatever is cached; the peak is that of the largest process so far."""
    blade_rtl(blade)
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    own = time.process_time()
    compile_blade(blade, experiment.folder / blade, "generated")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = max(after.ru_maxrss, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024
    return Built(time.monotonic() - begun, cpu_s + time.process_time() - own, peak)


def _config(blade: str, quick: bool) -> dict[str, Any]:
    rounds = 500 if quick else 4_000
    return {
        "system": {
            "topology": "rack_1",
            "link": {"latency_cycles": 100_000},
            "node": {"blade": blade, "memory": {"size_mib": 64}},
        },
        "workload": {"node": {"program": "counters", "args": [f"rounds={rounds}"]}},
        "simulation": {"threads": 1, "throughput_interval_cycles": 0},
    }


def speeds(experiment: Experiment, blade: str) -> tuple[float, float]:
    """Return thousand cycles per CPU second by Verilator and by the generated engine."""
    libraries = {engine: blade_model(blade, engine) / "model.so" for engine in ENGINES}
    config = _config(blade, experiment.quick)
    description = Cluster(experiment, config).description(experiment.folder / f"{blade}-run")
    found: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    hashes = set()
    for index in range(1 if experiment.quick else experiment.arguments.repeats):
        for engine, library in libraries.items():
            for node in description["nodes"]:
                node["model"] = str(library)
            run = simulate(description, experiment.folder / f"{blade}-{engine}-{index}")
            cycles = int(run.result["nodes"][0]["statistics"]["cycles_evaluated"])
            found[engine].append(cycles / float(run.result["cpu_s"]) / 1e3)
            hashes.add(run.token_hash)
    if len(hashes) != 1:
        raise ExperimentError(f"{blade}: the engines' token hashes differ: {sorted(hashes)}.")
    return median(found["verilator"]), median(found["generated"])


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
