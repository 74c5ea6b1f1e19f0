# SPDX-License-Identifier: BSD-3-Clause
"""Paging to a memory blade by traps, and by the page-fault accelerator: figure 2.11 in shape.

A genome is assembled in a hash table, and numbers are sorted, with local memory for a part of the
pages. Either each fault traps, or the accelerator handles it while the core's page-table walker
waits; engines, frames, evictions and the memory blade are the same. In all runs the pages must hold
in the end what a reference in Python says, both ways must fetch and evict as many pages, and with
the accelerator the core traps for every batch of evictions and not for every page (absolute).
Overhead falls as local memory grows (shape). Software's overhead over the accelerator's (published:
1.4 times at best), and cycles to enter a new page into the books (published: 2.5 times), are told
and not claimed: the published software is Linux, here it is a handler of 200 cycles a fault. What a
walk costs more through the accelerator's window is measured apart. Over a link that loses, doubles
and delays frames nothing is lost. There is one hash. The full form has metasimulation and runs
that go on from snapshots.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.near_core_cases import ALL_UNITS
from regression.support.paging import ETHERTYPE, MODES, Paging, checked, recipe
from regression.support.paging_points import LEAST_RATIO, quick_works, swept
from regression.support.snapshots import equal_from_snapshots
from regression.support.ways import run_ways, stalled_metasim

SMALL = Paging("hardware", "genome", 16, 10, kmers=48)
ENGINES = replace(SMALL, blade=ALL_UNITS, functional=True)
"""What is run on all engines, on the blade of all units."""
HASH = "0e2195bdb458c0ee"
"""Of ENGINES."""
SNAPSHOTS = 8
RULES: list[Config] = [
    {"fault": fault, "match": {"ethertype": ETHERTYPE}, **more}
    for fault, more in (
        ("drop", {"probability": "5%"}),
        ("duplicate", {"probability": "5%"}),
        ("delay", {"probability": "10%", "cycles": 30_000}),
    )
]


def _placed(experiment: Experiment, paging: Paging) -> Paging:
    """Return the same with `--quick` on the blade of all quick forms, and a functional server."""
    return replace(paging, blade=ALL_UNITS, functional=True) if experiment.quick else paging


def _measured(
    experiment: Experiment, paging: Paging, name: str, rules: list[Config] | None = None
) -> dict[str, int]:
    """Return what a run printed, and whether its pages hold what they should as `right`."""
    return checked(
        run_cluster(experiment, name, recipe(_placed(experiment, paging), rules)), paging
    )


def _works(experiment: Experiment) -> list[tuple[Paging, list[int]]]:
    """Return the programs, and the sizes of local memory."""
    seed = experiment.seed & 0xFFFF_FFFF
    if experiment.quick:
        return quick_works(seed)
    genome = Paging("", "genome", 256, 256, kmers=2_048, seed=seed)
    quicksort = Paging("", "quicksort", 64, 64, seed=seed)
    return [(genome, [64, 96, 128, 160, 192, 224]), (quicksort, [16, 24, 32, 40, 48, 56])]


def _walks(experiment: Experiment) -> tuple[float, bool]:
    """Return the cycles a walk takes more through the window, and whether pages were right."""
    touch = Paging("", "touch", 64, 64, rounds=2 if experiment.quick else 8)
    touches = touch.pages * touch.rounds
    found = {
        mode: _measured(experiment, replace(touch, mode=mode), f"touch-{mode}") for mode in MODES
    }
    each = {mode: one["cycles"] / touches for mode, one in found.items()}
    rows = [[mode, touches, f"{each[mode]:.1f}"] for mode in MODES]
    columns = ["way", "touches", "cycles each"]
    experiment.table("Touches that miss the TLB (measured)", columns, rows)
    return each["hardware"] - each["software"], all(one["right"] for one in found.values())


def _losses(experiment: Experiment) -> tuple[int, int, int]:
    """Return how many runs with faults were right, how many there were, and repeated messages."""
    count = 1 if experiment.quick else 12
    right, repeated = 0, 0
    for index in range(count):
        paging = replace(SMALL, mode=MODES[1 - index % 2], seed=experiment.seed % 1_000_000 + index)
        found = _measured(experiment, paging, f"loss-{index}", RULES)
        right += found["right"]
        repeated += found["repeated"]
    return right, count, repeated


def _hashes(experiment: Experiment) -> tuple[int, int]:
    """Return how many runs of ENGINES had its hash and pages, and how many there were."""
    more = {} if experiment.quick else {"metasim": stalled_metasim(experiment)}
    runs = run_ways(experiment, lambda **simulation: recipe(ENGINES, **simulation), more)
    right = [bool(checked(run, ENGINES)["right"]) for run in runs.values()]
    hashes = [run.token_hash == HASH for run in runs.values()]
    return sum(map(all, zip(right, hashes, strict=True))), len(runs)


def _goes_on(experiment: Experiment) -> bool:
    """Return whether runs from snapshots equal one never stopped."""
    equal = equal_from_snapshots(experiment, recipe(ENGINES, threads=1), SNAPSHOTS)
    return equal == SNAPSHOTS


@experiment_named("page-fault")
def run(experiment: Experiment) -> Verdict:
    """Hold when pages are right, both ways evict the same, and overhead falls with local memory."""
    sweep = swept(experiment, _works(experiment), partial(_measured, experiment))
    walk_cycles, touched = _walks(experiment)
    kept, losses, repeated = _losses(experiment)
    good, ways = _hashes(experiment)
    whole = experiment.quick or _goes_on(experiment)
    experiment.keep(**sweep.kept, walk_cycles=walk_cycles, hash=HASH)
    right = sweep.right and touched
    holds = right and sweep.holds and whole
    return Verdict(
        holds and kept == losses and repeated > 0 and good == ways,
        f"pages right: {right}; {sweep.text}; a walk {walk_cycles:.0f} cycles more; {kept} of "
        f"{losses} runs with faults right ({repeated} messages again); {good} of {ways} with hash "
        f"{HASH}",
        f"all right, at least {LEAST_RATIO}, all, all",
    )
