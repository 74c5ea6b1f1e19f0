# SPDX-License-Identifier: BSD-3-Clause
"""Random topologies and traffic through the switches, against a slow, obvious reference model.

Each case is a seeded random network with unicast, broadcast, unknown addresses, runts, oversized
and 9,000-byte frames, incast and full buffers, and random batches. Every node must receive the same
flits in the same cycles as in the reference, and every port must count the same. Further cases run
under ThreadSanitizer and AddressSanitizer. A failure prints the command that replays it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.build.simulator import configure_and_build, sanitizer_environment

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

GOAL_CASES = 10_000
BINARY = "switch-fuzz"


@dataclass(frozen=True)
class Plan:
    """One build of the fuzzer and how many cases it runs."""

    variant: str
    cases: int
    first_seed: int


def fuzz(experiment: Experiment, plan: Plan) -> dict[str, Any]:
    """Build one variant, run its cases and return what the fuzzer printed.

    Raises:
        ExperimentError: the fuzzer crashed or a sanitizer found something.
    """
    binary = configure_and_build(plan.variant, (BINARY,)) / "bin" / BINARY
    command = [str(binary), "--cases", str(plan.cases), "--seed", str(plan.first_seed)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=sanitizer_environment()
    )
    log: Path = experiment.folder / f"{plan.variant}.log"
    log.write_text(f"{' '.join(command)}\n{done.stderr}\n{done.stdout}\n")
    lines = done.stdout.strip().splitlines()
    if done.returncode not in (0, 1) or not lines or not lines[-1].startswith("{"):
        tail = "\n".join(done.stderr.strip().splitlines()[-20:])
        raise ExperimentError(
            f"{' '.join(command)}: exit status {done.returncode}, see {log}.\n{tail}"
        )
    found: dict[str, Any] = json.loads(lines[-1])
    for failure in found["failures"]:
        experiment.say(f"{failure['problem']}\nreplay: {failure['replay']}")
    return found


def _plans(experiment: Experiment) -> list[Plan]:
    """Return the runs; a quick experiment leaves the sanitizers, whose build takes minutes, out."""
    arguments = experiment.arguments
    cases: int = arguments.cases or (1_000 if experiment.quick else GOAL_CASES)
    plans = [Plan("release", cases, experiment.seed)]
    if not experiment.quick:
        sanitized: int = arguments.sanitized_cases
        plans += [Plan(v, sanitized, experiment.seed + cases) for v in ("thread", "address")]
    return plans


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cases", type=int, default=0, help="cases of the release build")
    parser.add_argument("--sanitized-cases", type=int, default=500, help="cases of each sanitizer")


@experiment_named("switch-fuzz", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every case is equal to the cycle and the byte."""
    rows, failures, compared, cases = [], 0, 0, 0
    for plan in _plans(experiment):
        found = fuzz(experiment, plan)
        ports = found["ports"]
        dropped = {key: value for key, value in ports.items() if key.startswith("dropped_")}
        rows.append(
            [
                plan.variant if plan.variant == "release" else f"{plan.variant} sanitizer",
                f"{plan.first_seed:,} …",
                f"{found['cases']:,}",
                f"{found['target_cycles']:,}",
                f"{found['flits_compared']:,}",
                f"{ports['packets_in']:,}",
                f"{dropped.get('dropped_runt', 0) + dropped.get('dropped_oversize', 0):,}",
                f"{dropped.get('dropped_unknown_destination', 0):,}",
                f"{dropped.get('dropped_queue_full', 0):,}",
                f"{len(found['failures']):,}",
                f"{found['wall_s']:.1f}",
            ]
        )
        failures += len(found["failures"])
        compared += found["flits_compared"]
        cases += found["cases"] if plan.variant == "release" else 0
    experiment.table(
        "Switches against the reference model",
        [
            "build",
            "seeds",
            "cases",
            "cycles",
            "flits compared",
            "packets",
            "runts, oversized",
            "unknown",
            "buffer full",
            "different",
            "wall (s)",
        ],
        rows,
    )
    experiment.keep(cases=cases, failures=failures, flits_compared=compared)
    wanted = 1_000 if experiment.quick else GOAL_CASES
    wanted = min(wanted, experiment.arguments.cases or wanted)
    figure = f"{cases:,} cases and {compared:,} flits compared, {failures:,} different"
    if not experiment.quick:
        figure += ", sanitizers clean"
    return Verdict(failures == 0 and cases >= wanted, figure + ",", f"{wanted:,} equal cases")
