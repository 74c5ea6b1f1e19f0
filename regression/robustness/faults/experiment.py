# SPDX-License-Identifier: BSD-3-Clause
"""Bad luck in the middle of real runs: the same hash after all, or one clear sentence.

By seed: the manager or the simulator killed, stopped or interrupted at any moment; full, read-only
and removed disks; cut, changed and missing entries of the cache; two first builds at once; few
descriptors, little memory, no room for temporary files, a reader that goes away; process ids that
come again; snapshots cut off. After each, no process of the run is left, there was no stack trace,
and the next run, which goes on from the last snapshot where there is one, has the same token hash.
"""

from __future__ import annotations

import argparse
import random
import shutil
from collections import Counter

from regression.robustness.faults.kinds import KINDS
from regression.robustness.faults.rig import Broken, Rig, make_rig
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

FAULTS = 1_000


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--faults", type=int, default=0, help="how many there are")
    parser.add_argument("--kind", help="one kind alone, by its name")


def _once(rig: Rig, index: int, experiment: Experiment) -> tuple[str, str]:
    """Let one fault happen; return its kind and how the run ended, or what is wrong."""
    kinds = [kind for kind in KINDS if experiment.arguments.kind in (None, kind.__name__)]
    if not kinds:
        raise ExperimentError(f"there is no kind {experiment.arguments.kind}")
    kind = kinds[index % len(kinds)]
    rig.rng = random.Random(f"{experiment.seed} {index} {kind.__name__}")
    try:
        return kind.__name__, kind(rig)
    except Broken as error:
        experiment.say(f"{kind.__name__}: fault {index}: {error}")
        return kind.__name__, "BROKEN"


@experiment_named("faults", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every fault ends in the same hash or one sentence, and the next run works."""
    count: int = experiment.arguments.faults or (len(KINDS) if experiment.quick else FAULTS)
    try:
        rig = make_rig(experiment.folder / "runs", random.Random(0), quick=experiment.quick)
    except Broken as error:
        raise ExperimentError(str(error)) from error
    endings: dict[str, Counter[str]] = {}
    for index in range(count):
        kind, ending = _once(rig, index, experiment)
        endings.setdefault(kind, Counter())[ending] += 1
        if ending != "BROKEN":  # what is wrong is looked at
            for results in rig.folder.glob("run-*"):
                shutil.rmtree(results) if results.is_dir() else results.unlink()
    experiment.table(
        "Faults",
        ["kind", "times", "how the run ended"],
        [
            [
                kind.replace("_", " "),
                sum(found.values()),
                ", ".join(f"{how}: {n}" for how, n in found.items()),
            ]
            for kind, found in endings.items()
        ],
    )
    broken = sum(found["BROKEN"] for found in endings.values())
    experiment.keep(faults=count, broken=broken, token_hash=rig.token_hash)
    figure = f"{count - broken} of {count} faults of {len(endings)} kinds ended in order,"
    return Verdict(broken == 0, figure, "every one")
