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
from functools import partial

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.linux import add_engine, check_one_thread
from regression.support.own_kernel import add_kernel_argument, check_kernel
from regression.support.paging import LINUX_CLIENT, Paging, checked, digest_of, linux_recipe
from regression.support.paging_points import LEAST_RATIO, quick_works, swept
from regression.support.simulate import Run
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
"""Of AFTER_ANOTHER, in few words, as a command has room for few; between the two, one is killed."""
RTL_CYCLES = 64_000_000
"""By when a program has ended in RTL."""


def _works(experiment: Experiment) -> list[tuple[Paging, list[int]]]:
    """Return the programs, and the sizes of local memory."""
    seed = experiment.seed & 0xFFFF_FFFF
    if experiment.quick:
        return quick_works(seed)
    if experiment.arguments.engine == "rtl":
        genome = Paging("", "genome", 64, 64, kmers=256, batch=8, seed=seed)
        quicksort = Paging("", "quicksort", 32, 32, seed=seed)
        return [(genome, [24, 32, 40, 48, 56]), (quicksort, [10, 16, 20, 24, 28])]
    genome = Paging("", "genome", 16_384, 16_384, kmers=65_536, batch=8, seed=seed)
    quicksort = Paging("", "quicksort", 16_384, 16_384, batch=8, seed=seed)
    sizes = [4_096, 8_192, 12_288]
    return [(genome, sizes), (quicksort, sizes)]


def _run(
    experiment: Experiment, name: str, paging: Paging, command: str = "", check: bool = False
) -> Run:
    """Run a program, or a command in its place, on the engine asked for.

    With `check` it is run with one thread, too.

    Raises:
        ExperimentError: one thread gave another hash.
    """
    if experiment.arguments.engine == "rtl":
        config = linux_recipe(paging, command)
        return region_in_rtl(experiment, name, config, cycles=RTL_CYCLES, check=check)
    config = linux_recipe(paging, command, engine="functional")
    run = run_cluster(experiment, name, config)
    if check:
        check_one_thread(experiment, name, config, run)
    return run


def _measured(experiment: Experiment, paging: Paging, name: str) -> dict[str, int]:
    """Return what a run printed, and whether its pages hold what they should as `right`."""
    return checked(_run(experiment, name, paging), paging)


def _hash(experiment: Experiment) -> tuple[str, bool]:
    """Return the hash of SMALL with any threads, and whether its pages are right.

    Raises:
        ExperimentError: one thread gave another hash.
    """
    run = _run(experiment, "small", SMALL, check=True)
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
    second = COMMANDS[0] if experiment.arguments.engine == "rtl" else KILLED
    run = _run(experiment, "after-another", SMALL, "; ".join([COMMANDS[0], second, COMMANDS[1]]))
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
    sweep = swept(experiment, _works(experiment), partial(_measured, experiment))
    found, small_right = _hash(experiment)
    gone_on, stops = _goes_on(experiment)
    experiment.keep(**sweep.kept, hash=found)
    again = _after_another(experiment)
    right = sweep.right and small_right
    expected = HASHES[experiment.arguments.engine]
    return Verdict(
        right and again and sweep.holds and gone_on == stops and found == expected,
        f"pages right: {right}, of programs after one another: {again}; {sweep.text}; "
        f"{gone_on} of {stops} snapshots equal; hash {found}",
        f"all right, at least {LEAST_RATIO}, hash {expected}",
    )
