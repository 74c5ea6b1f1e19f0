# SPDX-License-Identifier: BSD-3-Clause
"""A host is lost at a random moment, in one of four ways: the run ends with the same hash.

The hosts are namespaces of this computer. In the middle of a run one of them is killed, frozen, cut
off or has its disk filled, some while a snapshot is being taken. The manager must find it, go on
from the last snapshot on the hosts that are left, and come to the hash of an undisturbed run. After
that nothing of the run may be left on any host, once it answers again.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.hosts.bed import TestHost, test_bed, why_not
from regression.support.hosts.lab import farm_file, hash_of, loaded, whole_run

HOSTS = 3
RECIPE = "quickstart"
SNAPSHOTS = "simulation.snapshots={interval_cycles: 100000}"
FIRST_S, LAST_S = 1.0, 6.0
"""When, after the start of the command, the host is lost."""

WAYS: dict[str, tuple[Callable[[TestHost], None], Callable[[TestHost], None] | None]] = {
    "killed": (TestHost.kill, None),
    "frozen": (TestHost.freeze, TestHost.thaw),
    "cut off": (TestHost.cut, TestHost.mend),
    "disk full": (TestHost.fill_disk, TestHost.free_disk),
}
"""How a host is lost, and how it comes back."""


@experiment_named("hosts-loss")
def run(experiment: Experiment) -> Verdict:
    """Hold when every run has the hash of the undisturbed one and nothing is left."""
    if reason := why_not():
        raise ExperimentError(reason)
    chance = random.Random(experiment.seed)
    here = hash_of(whole_run(loaded(RECIPE, []), experiment.folder / "here"))
    ways = ["killed", "cut off"] if experiment.quick else [*WAYS] * 12 + ["killed", "frozen"]
    rows = []
    wrong = 0
    for index, way in enumerate(ways):
        row = _lose(experiment, index, way, chance)
        rows.append(row)
        wrong += row[4] != here or row[5] != 0
        experiment.say(" · ".join(str(cell) for cell in row))
    columns = ("lost host", "at s", "found", "resumed", "token hash", "left behind", "wall s")
    experiment.table("losses", columns, rows)
    experiment.keep(losses=[list(row) for row in rows], expected=here)
    return Verdict(
        wrong == 0,
        f"{len(rows)} losses, {wrong} that did not end with {here} and nothing left",
        "none",
    )


def _lose(
    experiment: Experiment, index: int, way: str, chance: random.Random
) -> tuple[object, ...]:
    """Return a row: one run in which one host is lost."""
    after_s = chance.uniform(FIRST_S, LAST_S)
    folder = experiment.folder / f"run-{index}"
    begun_s = time.monotonic()
    with test_bed(HOSTS) as hosts:
        farm = farm_file(experiment.folder, hosts)
        host = chance.choice(hosts)
        lose, mend = WAYS[way]
        timer = threading.Timer(after_s, lose, (host,))
        timer.start()
        outcome = whole_run(loaded(RECIPE, [SNAPSHOTS], farm), folder)
        timer.cancel()
        timer.join()
        left = 0
        for one in hosts:
            if one is host and mend is None:
                continue  # It is no more.
            if one is host and mend is not None:
                mend(one)
            left += _alive(one)
    losses = sorted(folder.glob("before-loss-*"))
    return (
        f"{way} {host.name}",
        f"{after_s:.1f}",
        len(losses),
        outcome.start_cycle,
        hash_of(outcome),
        left,
        f"{time.monotonic() - begun_s:.1f}",
    )


def _alive(host: TestHost) -> int:
    """Return how many runs live on a host, after what lost its others has had time to notice."""
    limit = time.monotonic() + 20
    while True:
        found = len(re.findall(r"firesim-sim --process", host.run("ps", "-ef")))
        if found == 0 or time.monotonic() > limit:
            return found
        time.sleep(0.2)
