# SPDX-License-Identifier: BSD-3-Clause
"""Broken input by seed: refused in a sentence or taken, and never anything else.

What is written in C++ (snapshots with their hashes made right, descriptions, ELF, disk and traffic
files, requests on the control socket, frames of guests to the gateway, what a board answers on
PCIe, on a serial line and through its scan chain) is
given to the program `firesim-hostile` under AddressSanitizer and UndefinedBehaviorSanitizer; what
is written in Python (recipes, blade, part, farm, workload and build files, hardware databases,
results folders, archives and listings of a bucket, requests to the port for Prometheus, consoles,
what `cp` gets from a node) right here.
No case may crash, hang, use up memory, end in an internal error, or send a terminal what it obeys.
Each case depends on the target's name and its seed alone: --target and --seed replay it. Without
--quick what is in C++ is also given to libFuzzer, which writes the input that shows a defect into
a file: --replay tries a file called TARGET-WHAT. The inputs of defects that were found before are
kept in `corpus/` and tried first.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from firesim.build.simulator import configure_and_build

from regression.robustness.hostile import fuzz, native, python_side, rtl_side
from regression.robustness.hostile.base_run import base_run, recipe
from regression.robustness.hostile.findings import Finding, Tally
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

CORPUS = Path(__file__).parent / "corpus"
QUICK_NATIVE, QUICK_PYTHON = 3_000, 2_500
NATIVE, FUZZED, PYTHON, RTL = 100_000, 1_000_000, 50_000, 1_000
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
    tallies = [kept]
    usual, shares = QUICK_NATIVE if experiment.quick else NATIVE, sum(native.TARGETS.values())
    for name in wanted:
        cases = _cases(experiment, usual, native.TARGETS[name] / shares)
        tallies.append(
            native.try_cases(binary, base, name, experiment.seed, cases, experiment.folder)
        )
    return tallies


def _fuzzed(experiment: Experiment, base: Path) -> list[Tally]:
    """Give the targets in C++ to libFuzzer, unless it is to be quick."""
    wanted = [name for name in fuzz.RUNS if _chosen(experiment, name)]
    if experiment.quick or not wanted:
        return []
    binary = configure_and_build(fuzz.VARIANT, (fuzz.PROGRAM,)) / "bin" / fuzz.PROGRAM
    shares, seed, folder = sum(fuzz.RUNS.values()), experiment.seed, experiment.folder
    return [
        fuzz.fuzz(
            binary,
            base,
            name,
            seed,
            _cases(experiment, FUZZED, fuzz.RUNS[name] / shares),
            folder,
            CORPUS,
        )
        for name in wanted
    ]


def _python(experiment: Experiment, base: Path) -> list[Tally]:
    """Give the targets in Python their cases."""
    every = python_side.targets(recipe(experiment.folder), base)
    usual = QUICK_PYTHON if experiment.quick else PYTHON
    return [*_kept(experiment, every), *_by_seed(experiment, every, usual)]


def _kept(experiment: Experiment, every: list[python_side.Target]) -> list[Tally]:
    """Give the targets in Python the inputs of defects that were found before."""
    tally = Tally("corpus, Python")
    for target in every:
        for file in sorted(CORPUS.glob(f"{target.name}-*")):
            if not _chosen(experiment, target.name):
                continue
            tally.cases += 1
            wrong = python_side.alone(target, file.read_bytes(), experiment.folder / "case")[1]
            if wrong:
                tally.findings.append(Finding(0, f"{file.name}: {wrong}"))
    return [tally] if tally.cases else []


def _by_seed(experiment: Experiment, every: list[python_side.Target], usual: int) -> list[Tally]:
    return [
        python_side.try_cases(
            target,
            experiment.seed,
            _cases(experiment, usual, target.share / sum(one.share for one in every)),
            experiment.folder / "case",
        )
        for target in every
        if _chosen(experiment, target.name)
    ]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", help="one target alone")
    parser.add_argument("--cases", type=int, default=0, help="cases of each target")
    parser.add_argument("--replay", type=Path, help="the input in a file TARGET-WHAT alone")
    parser.add_argument(
        "--variant", default="address", help="build of what is in C++: address or release"
    )


def _rtl(experiment: Experiment) -> list[Tally]:
    """Give the simulator broken states of blades in RTL, unless it is to be quick."""
    if experiment.quick or not _chosen(experiment, rtl_side.TARGET):
        return []
    folder = experiment.folder / rtl_side.TARGET
    folder.mkdir()
    snapshot = rtl_side.base_snapshot(folder)
    return [
        rtl_side.try_cases(snapshot, experiment.seed, _cases(experiment, RTL, 1), folder),
    ]


def _replayed(experiment: Experiment, base: Path) -> Verdict:
    """Try the input in a file."""
    file: Path = experiment.arguments.replay.absolute()
    every = python_side.targets(recipe(experiment.folder), base)
    chosen = [one for one in every if one.name == native.target_of(file, [one.name])]
    name = native.target_of(file, native.TARGETS)
    if chosen:
        case = experiment.folder / "case"
        case.mkdir()
        wrong = python_side.defect(chosen[0], file.read_bytes(), case)[1]
    elif name is not None:
        variant = experiment.arguments.variant
        binary = configure_and_build(variant, (native.PROGRAM,)) / "bin" / native.PROGRAM
        wrong = native.replay(binary, base, name, file)
    else:
        names = [*native.TARGETS, *(one.name for one in every)]
        raise ExperimentError(f"--replay: found {file.name}, expected TARGET-*: {', '.join(names)}")
    return Verdict(not wrong, f"{file.name}: {wrong or 'no defect'}", "no defect")


@experiment_named("hostile", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every case is refused in a sentence or taken."""
    base = base_run(experiment.folder / "run")
    if experiment.arguments.replay:
        return _replayed(experiment, base)
    tallies = [
        *_native(experiment, base),
        *_fuzzed(experiment, base),
        *_rtl(experiment),
        *_python(experiment, base),
    ]
    if not tallies:
        raise ExperimentError(f"there is no target {experiment.arguments.target}")
    rows = [
        [one.target, f"{one.cases:,}", f"{one.accepted:,}", f"{len(one.findings):,}"]
        for one in tallies
    ]
    experiment.table("Broken input", ["target", "cases", "taken", "defects"], rows)
    for one in tallies:
        for found in one.findings[:MOST_SHOWN]:
            experiment.say(f"{one.target}: {found.what}")
            if found.seed:
                quick = "" if one.target == rtl_side.TARGET else "--quick "
                experiment.say(
                    f"replay: ./firesim experiment hostile {quick}--target "
                    f"{one.target} --seed {found.seed} --cases 1"
                )
    cases = sum(one.cases for one in tallies)
    defects = sum(len(one.findings) for one in tallies)
    refused = cases - sum(one.accepted for one in tallies)
    experiment.keep(cases=cases, defects=defects, refused=refused)
    alone = experiment.arguments.target or experiment.arguments.cases
    wanted = 1 if alone else 5_000 if experiment.quick else 1_000_000
    figure = f"{cases:,} broken inputs, {refused:,} refused in a sentence, {defects} defects,"
    return Verdict(defects == 0 and cases >= wanted, figure, f"{wanted:,} inputs without a defect")
