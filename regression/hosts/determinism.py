# SPDX-License-Identifier: BSD-3-Clause
"""The same recipe on 1, 2, 3 and 5 hosts, placed at random, its messages disturbed: one hash.

The hosts are namespaces of this computer, each with its own sshd and disk. Each run places every
part on a random host, and what the simulators send each other is delayed, cut, joined and reordered
by seed. The hash of each recipe must be that of one process without any host.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firesim.remote.simulators import CHAOS

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.hosts.bed import TestHost, test_bed, why_not
from regression.support.hosts.lab import (
    farm_file,
    hash_of,
    loaded,
    placed_at_random,
    plan_of,
    whole_run,
)


@dataclass(frozen=True)
class Target:
    """A recipe and what is changed in it."""

    name: str
    recipe: str
    overrides: tuple[str, ...] = ()


QUICKSTART = Target("quickstart", "quickstart")
CLOS = Target("Clos of 16 RTL nodes", "clos_2_8_2")
LINUX = Target(
    "64 functional Linux nodes",
    "rack_linux_8",
    (
        "system.topology=rack_64",
        "simulation.engine=functional",
        "simulation.max_cycles=40000000",
        "system.node.memory.size_mib=64",
    ),
)


@contextmanager
def _chaos(seed: int) -> Iterator[None]:
    os.environ[CHAOS] = str(seed)
    try:
        yield
    finally:
        del os.environ[CHAOS]


@experiment_named("hosts-determinism")
def run(experiment: Experiment) -> Verdict:
    """Hold when every run of a target has one hash."""
    if reason := why_not():
        raise ExperimentError(reason)
    targets = [QUICKSTART] if experiment.quick else [QUICKSTART, CLOS, LINUX]
    counts = [1, 3] if experiment.quick else [1, 2, 3, 5]
    chance = random.Random(experiment.seed)
    rows: list[tuple[object, ...]] = []
    wrong = 0
    with test_bed(max(counts)) as hosts:
        for target in targets:
            here = whole_run(
                loaded(target.recipe, target.overrides), experiment.folder / f"{target.recipe}-here"
            )
            for count in counts:
                found = _on_hosts(experiment, target, hosts[:count], chance)
                wrong += found != hash_of(here)
                rows.append((target.name, count, found, hash_of(here)))
    experiment.table("runs", ("target", "hosts", "token hash", "of one process"), rows)
    experiment.keep(runs=[list(row) for row in rows])
    return Verdict(
        wrong == 0,
        f"{len(rows)} runs on {', '.join(map(str, counts))} hosts, {wrong} with another hash",
        "none with another hash",
    )


def _on_hosts(
    experiment: Experiment, target: Target, hosts: list[TestHost], chance: random.Random
) -> str:
    """Return the hash of a run on some hosts, every part on a random one."""
    names = [host.name for host in hosts]
    place = placed_at_random(plan_of(target.recipe, target.overrides), names, chance)
    farm = farm_file(experiment.folder, hosts)
    folder = experiment.folder / f"{target.recipe}-{len(hosts)}"
    experiment.say(f"{target.name} on {len(hosts)} hosts: {place}")
    with _chaos(chance.getrandbits(32)):
        return hash_of(whole_run(loaded(target.recipe, [*target.overrides, place], farm), folder))
