# SPDX-License-Identifier: BSD-3-Clause
"""The hosts of a farm, on which runs go on beside each other, each of them whole on one host.

A run whose host is lost is done again on another one. Nothing of what a run says depends on that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from firesim_common.errors import InputError

from firesim.bind.hosts import Places, check_march, whole_on
from firesim.farm.file import FarmFile
from firesim.farm.left import clear
from firesim.farm.up import farm_of, up
from firesim.hosts.bundle import Bundler
from firesim.hosts.channel import HostLost, ways_kept
from firesim.hosts.client import HostError, SharedClient, shared
from firesim.hosts.ready import ReadyHost, close_all, common_march
from firesim.topology.plan import Plan

MOST_FAILURES = 3
"""In succession, of runs on a host that answers: then nothing more is run there."""
LOOK_S = 0.2
"""How often one that waits for a host looks whether it is to be stopped."""
T = TypeVar("T")
Say = Callable[[str], None]


@dataclass
class Place:
    """A host, and how many runs it takes."""

    ready: ReadyHost
    free: int
    """Of the runs that it takes at a time."""
    shipping: threading.Lock = field(default_factory=threading.Lock)
    """Held while files are copied there for a run, or removed: it may be those of another run."""
    failures: int = 0
    """In succession."""
    lost: str = ""
    """Why it takes no more; empty while it does."""

    @property
    def name(self) -> str:
        """Its name in the farm."""
        return self.ready.name

    def forget(self, hashes: Sequence[str]) -> None:
        """Remove some contents there that no run uses, if it answers."""
        with self.shipping, suppress(HostLost, HostError):
            self.ready.client.forget(hashes)


class Hosts:
    """Hosts that take the runs of a plan; safe to share between threads."""

    def __init__(
        self, file: FarmFile, hosts: Sequence[ReadyHost], plan: Plan, jobs: int, say: Say
    ) -> None:
        """Take connected hosts, for `jobs` runs at a time (0: one for each core).

        Raises:
            InputError: a host has not enough memory for the plan, or is too old for it.
        """
        check_march(plan, hosts)
        self.file, self.march, self.say = file, common_march(hosts), say
        self.bundler = Bundler()
        takes = _spread([_most_runs(ready, plan, file) for ready in hosts], jobs)
        self.jobs = sum(takes)
        """Runs at a time."""
        chosen = [(ready, count) for ready, count in zip(hosts, takes, strict=True) if count]
        self.places = [Place(ready, count) for ready, count in chosen]
        self.changed = threading.Condition()

    @property
    def names(self) -> list[str]:
        """The hosts that are used and were not lost."""
        return [place.name for place in self.places if not place.lost]

    def at(self, place: Place, plan: Plan) -> Places:
        """Return the places of a run of a plan on one of the hosts."""
        return whole_on(place.ready, self.file, plan, self.march)

    def anywhere(self, work: Callable[[Place], T], check: Callable[[], None]) -> T:
        """Do a run on a host that is free, and on another one for as long as its host is lost.

        `check` raises what ends the waiting for a host.

        Raises:
            InputError: no host is left.
        """
        while True:
            place = self._taken(check)
            try:
                found = work(place)
                place.failures = 0
                return found
            except (HostLost, HostError) as error:
                check()
                self._failed(place, str(error))
            finally:
                with self.changed:
                    place.free += 1
                    self.changed.notify_all()

    def _taken(self, check: Callable[[], None]) -> Place:
        """Wait for a host that is free, and return the one with most room."""
        with self.changed:
            while True:
                check()
                left = [place for place in self.places if not place.lost]
                if not left:
                    raise InputError(
                        f"sample: found none of the hosts of {self.file.path} that goes on, "
                        f"expected one ({self.places[-1].lost}). firesim sample --resume goes on "
                        "when all are up that the file names."
                    )
                best = max(left, key=lambda place: place.free)
                if best.free > 0:
                    best.free -= 1
                    return best
                self.changed.wait(LOOK_S)

    def _failed(self, place: Place, why: str) -> None:
        """Take a host for lost if it does not answer, or if one run after another fails there."""
        with self.changed:
            place.failures += 1
            is_bad = place.failures >= MOST_FAILURES
        if not is_bad:
            try:
                place.ready.client.load()
                clear(self.file.path, [place.ready])
                return
            except (HostLost, HostError) as error:
                why = str(error)
        with self.changed:
            first, place.lost = not place.lost, why
        if first:
            said = why.removeprefix(f"{place.name}: ")
            self.say(f"lost {place.name}: {said}; its intervals run again on the other hosts")


@contextmanager
def hosts_of(plan: Plan, jobs: int, say: Say) -> Iterator[Hosts | None]:
    """Connect the hosts of a plan's farm, and let them go at the end; None without a farm.

    Raises:
        InputError: a host does not answer or does not fit.
    """
    if plan.placement.run_farm is None:
        yield None
        return
    file, farm = farm_of(plan.placement.run_farm)
    with ways_kept():  # By these, runs are ended and removed after Ctrl-C.
        found = up(farm)
        clients: list[SharedClient] = []
        try:
            clients += [shared(ready.client) for ready in found]
            both = zip(found, clients, strict=True)
            yield Hosts(file, [replace(one, client=own) for one, own in both], plan, jobs, say)
        finally:
            for client in clients:
                client.release()
            if not clients:
                close_all(found)


def _most_runs(ready: ReadyHost, plan: Plan, file: FarmFile) -> int:
    """Return how many runs a host takes: one for each core, as far as its memory goes.

    Raises:
        InputError: its memory is not enough for one.
    """
    wanted = sum(node.memory_bytes for node in plan.nodes)
    if wanted > ready.memory_bytes:
        raise InputError(
            f"{file.path}: found {ready.memory_bytes >> 20:,} MiB of memory on {ready.name}, "
            f"expected at least {wanted >> 20:,}: an interval runs on one host with all of its "
            f"nodes, here {len(plan.nodes)}."
        )
    return min(ready.cores, ready.memory_bytes // max(1, wanted))


def _spread(most: Sequence[int], jobs: int) -> list[int]:
    """Return how many of `jobs` runs each host takes, alike as far as they can; 0: all it can."""
    if jobs == 0:
        return list(most)
    takes = [0] * len(most)
    while sum(takes) < min(jobs, sum(most)):
        index = min(
            (index for index, limit in enumerate(most) if takes[index] < limit),
            key=lambda index: (takes[index], index),
        )
        takes[index] += 1
    return takes
