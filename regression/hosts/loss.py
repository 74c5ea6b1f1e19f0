# SPDX-License-Identifier: BSD-3-Clause
"""A host is lost at a random moment, in one of four ways: the run ends with the same hash.

The hosts are namespaces of this computer. In the middle of a run one of them is killed, frozen, cut
off or has its disk filled, and once more of each while a snapshot is being written there. The
manager must find it, go on from the last snapshot on the hosts that are left, and come to the hash
of an undisturbed run. After that nothing of the run may be left on any host, once it answers again.

How long it takes is reported: from the loss to the moment in which the manager gives the run up as
it was, and to that in which simulators run again.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firesim.farm.up import farm_of, up
from firesim.remote import record
from firesim.results.outcome import Outcome
from firesim.run.again import attached
from firesim.run.losses import BEFORE
from firesim.work.folder import HOSTS_RECORD
from rich.console import Console

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.hosts.bed import TestHost, test_bed, why_not
from regression.support.hosts.lab import farm_file, hash_of, loaded, whole_run

HOSTS = 3
RECIPE = "quickstart"
SNAPSHOTS = "simulation.snapshots={interval_cycles: 100000}"
LAST_S = 3.0
"""The host is lost at most so long after the simulators were started."""
LIMIT_FOUND_S = 10.0
"""Within this a loss is to be found."""
RANDOM = "at random"
WRITING = "snapshot"
WAIT_FOR_SNAPSHOT = """\
for i in $(seq 2000); do
  ls -d /root/.firesim/runs/*/snapshots/*.partial-* > /dev/null 2>&1 && exit 0
  sleep 0.005
done
"""
"""Returns while a part of a snapshot is being written on the host, or after 10 seconds."""

WAYS: dict[str, tuple[Callable[[TestHost], None], Callable[[TestHost], None] | None]] = {
    "killed": (TestHost.kill, None),
    "frozen": (TestHost.freeze, TestHost.thaw),
    "cut off": (TestHost.cut, TestHost.mend),
    "disk full": (TestHost.fill_disk, TestHost.free_disk),
}
"""How a host is lost, and how it comes back."""


@dataclass
class Times:
    """When what happened, by the monotonic clock."""

    lost_s: float = 0.0
    found_s: float = 0.0
    resumed_s: float = 0.0

    def after_loss(self, moment_s: float) -> float | None:
        """Return the seconds from the loss to a moment, None when there was none."""
        return moment_s - self.lost_s if self.lost_s and moment_s else None


@experiment_named("hosts-loss")
def run(experiment: Experiment) -> Verdict:
    """Hold when every run has the hash of the undisturbed one and nothing is left."""
    if reason := why_not():
        raise ExperimentError(reason)
    chance = random.Random(experiment.seed)
    here = hash_of(whole_run(loaded(RECIPE, []), experiment.folder / "here"))
    if experiment.quick:
        cases = [("killed", RANDOM), ("cut off", WRITING)]
    else:
        cases = [(way, RANDOM) for way in [*WAYS] * 11 + ["killed", "frozen"]]
        cases += [(way, WRITING) for way in WAYS]
    rows, found = [], []
    wrong = 0
    for index, (way, moment) in enumerate(cases):
        outcome, left, times, who = _lose(experiment, index, way, moment, chance)
        token_hash = hash_of(outcome)
        wrong += token_hash != here or left != 0
        spans = [times.after_loss(at_s) for at_s in (times.found_s, times.resumed_s)]
        found += [spans[0]] if spans[0] is not None else []
        shown = ["not lost" if span is None else f"{span:.1f}" for span in spans]
        rows.append([f"{way} {who}", moment, *shown, outcome.start_cycle, token_hash, left])
        experiment.say(" · ".join(str(cell) for cell in rows[-1]))
    columns = (
        "lost host",
        "when",
        "found after (s)",
        "runs again after (s)",
        "from cycle",
        "token hash",
        "left behind",
    )
    experiment.table("losses", columns, rows)
    experiment.keep(losses=rows, expected=here)
    slowest_s = max(found, default=0.0)
    return Verdict(
        wrong == 0 and slowest_s <= LIMIT_FOUND_S,
        f"{len(rows)} runs, {len(found)} losses found after {slowest_s:.1f} s at most, {wrong} "
        f"runs that did not end with {here} and nothing left,",
        f"{LIMIT_FOUND_S:g} s and none",
        timed_only=wrong == 0,
    )


def _lose(
    experiment: Experiment, index: int, way: str, moment: str, chance: random.Random
) -> tuple[Outcome, int, Times, str]:
    """Run once and lose a host; return how it ended, what was left, when, and which host it was."""
    after_s = chance.uniform(0.0, LAST_S)
    folder = experiment.folder / f"run-{index}"
    times, over = Times(), threading.Event()
    with test_bed(HOSTS) as hosts:
        farm = farm_file(experiment.folder, hosts)
        host = chance.choice(hosts)
        lose, mend = WAYS[way]

        def lose_one() -> None:
            _until((folder / HOSTS_RECORD).exists, over)
            if moment == WRITING:
                host.run("sh", "-c", WAIT_FOR_SNAPSHOT)
            elif over.wait(after_s):
                return
            times.lost_s = time.monotonic()
            lose(host)
            if not _until((folder / f"{BEFORE}1").exists, over):
                return  # A disk that is full hurts only who writes.
            times.found_s = time.monotonic()
            if _until((folder / HOSTS_RECORD).exists, over):
                times.resumed_s = time.monotonic()

        thread = threading.Thread(target=lose_one)
        thread.start()
        try:
            outcome = whole_run(loaded(RECIPE, [SNAPSHOTS], farm), folder)
        finally:
            over.set()
            thread.join()
        left = 0
        for one in hosts:
            if one is host and mend is None:
                continue  # It is no more.
            if one is host and mend is not None:
                mend(one)
                _fetch_the_rest(folder)
            left += _alive(one)
        left += _folders(farm)
    return outcome, left, times, host.name


def _fetch_the_rest(folder: Path) -> None:
    """Attach to a run whose host was lost after its end, as its user is told to."""
    found = record.load(folder)
    if found is not None and not found.over:
        attached(folder, Console(quiet=True))


def _until(condition: Callable[[], bool], over: threading.Event) -> bool:
    """Wait for a condition; return whether it came before the run was over."""
    while not condition():
        if over.wait(0.01):
            return False
    return True


def _folders(farm: Path) -> int:
    """Return how many folders of runs there are on the hosts that answer, connected once more."""
    found = 0
    for ready in up(farm_of(farm)[1], answering=True):
        found += len(ready.client.runs())
        ready.client.close()
    return found


def _alive(host: TestHost) -> int:
    """Return how many runs live on a host, after what lost its others has had time to notice."""
    limit = time.monotonic() + 20
    while True:
        found = len(re.findall(r"firesim-sim --process", host.run("ps", "-ef")))
        if found == 0 or time.monotonic() > limit:
            return found
        time.sleep(0.2)
