# SPDX-License-Identifier: BSD-3-Clause
"""Broken input by seed: refused in a sentence or taken, and never anything else.

What is written in C++ (snapshots with their hashes made right, descriptions, ELF, disk and traffic
files, requests on the control socket, frames of guests to the gateway) is given to the program
`firesim-hostile` under AddressSanitizer and UndefinedBehaviorSanitizer; what is written in Python
(recipes, blade, part, farm and workload files, consoles, what `cp` gets from a node) right here.
No case may crash, hang, use up memory, end in an internal error, or send a terminal what it obeys.
Each case depends on the target's name and its seed alone: --target and --seed replay it. The inputs
of defects that were found before are kept in `corpus/` and tried first.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from firesim.build.simulator import configure_and_build

from regression.robustness.hostile import native, python_side
from regression.robustness.hostile.base_run import base_run, recipe
from regression.robustness.hostile.findings import Finding, Tally
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

CORPUS = Path(__file__).parent / "corpus"
QUICK_NATIVE, QUICK_PYTHON = 4_000, 8_000
NATIVE, PYTHON = 800_000, 300_000
MOST_SHOWN = 20


def _chosen(experiment: Experiment, name: str) -> bool:
    return experiment.arguments.target in (None, name)


def _cases(experiment: Experiment, usual: int, share: float) -> int:
    """Return how many cases of a share of all a target gets."""
    if experiment.arguments.cases:
        return int(experiment.arguments.cases)
    return round(usual * share)


def _native(experiment: Experiment, base: Path) -> list[Tally]:
    """Give the targets in C++ their cases."""
    wanted = [name for name in native.TARGETS if _chosen(experiment, name)]
    if not wanted:
        return []
    variant = experiment.arguments.variant
    binary = configure_and_build(variant, (native.PROGRAM,)) / "bin" / native.PROGRAM
    kept = Tally("corpus")
    for target, file in native.corpus(CORPUS):
        kept.cases += 1
        if wrong := native.replay(binary, base, target, file):
            kept.findings.append(Finding(0, f"{file.name}: {wrong}"))
    usual, shares = QUICK_NATIVE if experiment.quick else NATIVE, sum(native.TARGETS.values())
    tallies = [kept]
    for name in wanted:
        cases = _cases(experiment, usual, native.TARGETS[name] / shares)
        tallies.append(
            native.try_cases(binary, base, name, experiment.seed, cases, experiment.folder)
        )
    return tallies


def _python(experiment: Experiment, base: Path) -> list[Tally]:
    """Give the targets in Python their cases."""
    every = python_side.targets(recipe(experiment.folder), base)
    usual = QUICK_PYTHON if experiment.quick else PYTHON
    return [
        python_side.try_cases(
            target,
            experiment.seed,
            _cases(experiment, usual, 1 / len(every)),
            experiment.folder / "case",
        )
        for target in every
        if _chosen(experiment, target.name)
    ]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", help="one target alone")
    parser.add_argument("--cases", type=int, default=0, help="cases of each target")
    parser.add_argument(
        "--variant", default="address", help="build of what is in C++: address or release"
    )


@experiment_named("hostile", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every case is refused in a sentence or taken."""
    base = base_run(experiment.folder / "run")
    tallies = [*_native(experiment, base), *_python(experiment, base)]
    if not tallies:
        raise ExperimentError(f"there is no target {experiment.arguments.target}")
    rows = [
        [one.target, f"{one.cases:,}", f"{one.accepted:,}", f"{len(one.findings):,}"]
        for one in tallies
    ]
    experiment.table("Broken input", ["target", "cases", "taken", "defects"], rows)
    for one in tallies:
        for found in one.findings[:MOST_SHOWN]:
            experiment.say(
                f"{one.target}: {found.what}\nreplay: ./firesim experiment hostile --target "
                f"{one.target} --seed {found.seed} --cases 1"
            )
    cases = sum(one.cases for one in tallies)
    defects = sum(len(one.findings) for one in tallies)
    refused = cases - sum(one.accepted for one in tallies)
    experiment.keep(cases=cases, defects=defects, refused=refused)
    alone = experiment.arguments.target or experiment.arguments.cases
    wanted = 1 if alone else 10_000 if experiment.quick else 1_000_000
    figure = f"{cases:,} broken inputs, {refused:,} refused in a sentence, {defects} defects,"
    return Verdict(defects == 0 and cases >= wanted, figure, f"{wanted:,} inputs without a defect")
