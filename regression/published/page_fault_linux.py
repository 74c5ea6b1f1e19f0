# SPDX-License-Identifier: BSD-3-Clause
"""Linux pages to a memory blade by traps, and by the page-fault accelerator: figure 2.11 in shape.

The programs of `page-fault` run in memory that Linux has mapped from /dev/remote-memory. Each fault
goes through the kernel, or the accelerator handles it. On functional nodes a program has 64 MiB.
With `--engine rtl` the node boots on a functional node and goes on in RTL where the program begins,
with fewer pages. In all runs the pages must hold in the end what a reference in Python says, both
ways must fetch and evict as many pages, and the kernel is entered for every page without the
accelerator, and for every batch of evictions with it (absolute). Overhead falls as local memory
grows (shape). In RTL, software's overhead over the accelerator's (published: 1.4 times at best) and
cycles to enter a new page into the books (published: 2.5 times) are measured. One hash with one
thread and with more; functional runs that go on from snapshots equal one never stopped.
"""

from __future__ import annotations

import argparse
import re

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.linux import add_engine, check_one_thread
from regression.support.own_kernel import add_kernel_argument, check_kernel
from regression.support.paging import LINUX_CLIENT, Paging, checked, digest_of, linux_recipe
from regression.support.paging_points import (
    management_table,
    overhead_table,
    points_of,
    shape,
)
from regression.support.snapshots import equal_from_snapshots
from regression.support.warm import region_in_rtl

SMALL = Paging("hardware", "genome", 16, 10, kmers=48)
"""What is run with one thread, too, and from snapshots."""
HASHES = {"functional": "4ea6c4fac41db2f4", "rtl": "c603b3685ab1272e"}
"""Of SMALL, by the engine."""
AFTER_ANOTHER = (SMALL, Paging("software", "quicksort", 8, 6))
KILLED = (
    f"{LINUX_CLIENT} end=0 work=touch pages=16 local=10 rounds=99999999 & usleep 2000; "
    "kill -9 $!; wait $!"
)
COMMANDS = (
    f"{LINUX_CLIENT} end=0 work=genome pages=16 local=10 kmers=48",
    f"{LINUX_CLIENT} mode=software pages=8 local=6 batch=2",
)
"""Of AFTER_ANOTHER; between the two, one is killed."""
RTL_CYCLES = 64_000_000
"""By when a program has ended in RTL."""
LEAST_RATIO = {"functional": 0.9, "rtl": 0.9}
"""Of software's overhead to the accelerator's: below it something is wrong."""
PUBLISHED_OVERHEAD, PUBLISHED_MANAGEMENT = 1.4, 2.5


def _works(experiment: Experiment) -> list[tuple[Paging, list[int]]]:
    """Return the programs, and the sizes of local memory."""
    seed = experiment.seed & 0xFFFF_FFFF
    in_rtl = experiment.arguments.engine == "rtl"
    if experiment.quick:
        genome = Paging("", "genome", 16, 16, kmers=48, seed=seed)
        quicksort = Paging("", "quicksort", 8, 8, batch=2, seed=seed)
        return [(genome, [10]), (quicksort, [6])]
    if in_rtl:
        genome = Paging("", "genome", 64, 64, kmers=256, batch=8, seed=seed)
        quicksort = Paging("", "quicksort", 32, 32, seed=seed)
        return [(genome, [24, 32, 40, 48, 56]), (quicksort, [10, 16, 20, 24, 28])]
    genome = Paging("", "genome", 16_384, 16_384, kmers=65_536, batch=8, seed=seed)
    quicksort = Paging("", "quicksort", 16_384, 16_384, batch=8, seed=seed)
    sizes = [4_096, 8_192, 12_288]
    return [(genome, sizes), (quicksort, sizes)]


def _measured(experiment: Experiment, paging: Paging, name: str) -> dict[str, int]:
    """Return what a run printed, and whether its pages hold what they should as `right`."""
    if experiment.arguments.engine == "functional":
        run = run_cluster(experiment, name, linux_recipe(paging, engine="functional"))
    else:
        run = region_in_rtl(experiment, name, linux_recipe(paging), cycles=RTL_CYCLES, check=False)
    return checked(run, paging)


def _hash(experiment: Experiment) -> tuple[str, bool]:
    """Return the hash of SMALL with any threads, and whether its pages are right.

    Raises:
        ExperimentError: one thread gave another hash.
    """
    if experiment.arguments.engine == "functional":
        config = linux_recipe(SMALL, engine="functional")
        run = run_cluster(experiment, "small", config)
        check_one_thread(experiment, "small", config, run)
    else:
        config = linux_recipe(SMALL)
        run = region_in_rtl(experiment, "small", config, cycles=RTL_CYCLES, check=True)
    return run.token_hash, bool(checked(run, SMALL)["right"])


def _goes_on(experiment: Experiment) -> tuple[int, int]:
    """Return how many functional runs from snapshots equal one never stopped, and of how many."""
    if experiment.arguments.engine != "functional":
        return 0, 0
    count = 3 if experiment.quick else 12
    config = linux_recipe(SMALL, engine="functional", threads=1)
    return equal_from_snapshots(experiment, config, count), count


def _after_another(experiment: Experiment) -> bool:
    """Return whether pages are right of programs after one another, of which one is killed.

    The driver has to have all frames back from the accelerator, and entries of before forgotten.
    """
    if experiment.arguments.engine == "functional":
        config = linux_recipe(SMALL, f"{COMMANDS[0]}; {KILLED}; {COMMANDS[1]}", engine="functional")
        run = run_cluster(experiment, "after-another", config)
    else:
        config = linux_recipe(SMALL, "; ".join([COMMANDS[0], *COMMANDS]))
        run = region_in_rtl(experiment, "after-another", config, cycles=RTL_CYCLES, check=False)
    found = [
        int(digest, 16) for digest in re.findall(r"digest=(\w+) wrong=0", run.console("node0"))
    ]
    expected = [digest_of(paging) for paging in AFTER_ANOTHER]
    return found in (expected, [expected[0], *expected])


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_engine(parser)
    add_kernel_argument(parser)


@experiment_named("page-fault-linux", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when pages are right, both ways evict the same, and overhead falls with local memory."""
    check_kernel(experiment)
    engine: str = experiment.arguments.engine
    points = points_of(_works(experiment), lambda paging, name: _measured(experiment, paging, name))
    overhead_table(experiment, points)
    right = all(p.software["right"] and p.hardware["right"] for p in points)
    equal = all(p.equal and (p.local == p.pages or p.software["evicted"] > 0) for p in points)
    fewer = all(p.fewer_traps for p in points)
    falls, ratios = shape(points)
    management = management_table(experiment, points)
    found, small_right = _hash(experiment)
    gone_on, stops = _goes_on(experiment)
    experiment.keep(
        overheads=ratios,
        published_overhead=PUBLISHED_OVERHEAD,
        management=management,
        published_management=PUBLISHED_MANAGEMENT,
        hash=found,
    )
    again = _after_another(experiment)
    absolute = right and small_right and again and equal and fewer and gone_on == stops
    expected = HASHES[engine]
    return Verdict(
        absolute and falls and min(ratios) >= LEAST_RATIO[engine] and found == expected,
        f"pages right: {right and small_right}, of programs after one another: "
        f"{again}; as many fetched and evicted: {equal}, a trap a "
        f"batch: {fewer}; overhead falls with local memory: {falls}, software's {min(ratios):.2f} "
        f"to {max(ratios):.2f} times the accelerator's; a new page {management:.1f} times; "
        f"{gone_on} of {stops} snapshots equal; hash {found}",
        f"all right, at least {LEAST_RATIO[engine]}, hash {expected}",
    )
