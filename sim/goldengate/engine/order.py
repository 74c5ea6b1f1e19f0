# SPDX-License-Identifier: BSD-3-Clause
"""The order of what is on a side of a branch; updates that stand in each other's way come late."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import Generic, TypeVar

from goldengate.engine.items import successors

Entry = TypeVar("Entry")
Waits = dict[int, set[int]]
"""For each entry, by its identity, those that it waits for."""
Soft = dict[int, dict[int, set[int]]]
"""The same for what reads a register that the entry updates, with these updates."""


class Order(Generic[Entry]):
    """Puts the entries of a side into an order in which each comes after those it waits for.

    It takes time in proportion to the waits, times the logarithm of the entries. Few entries update
    what others read, and only for these it is counted how many updates would come late.
    """

    def __init__(self, entries: list[Entry], before: Waits, overwrites: Soft) -> None:
        self.entries = entries
        place = {id(entry): index for index, entry in enumerate(entries)}
        waits = [{place[o] for o in before.get(id(e), ())} for e in entries]
        self.soft: dict[int, dict[int, set[int]]] = {}
        """For each entry that overwrites, those that read before, with the updates of what."""
        self.hard: dict[int, int] = {}
        """For each entry that overwrites, how many it waits for otherwise."""
        self.after_hard: dict[int, list[int]] = {}
        """The entries that overwrite, by those that they wait for otherwise."""
        for index, entry in enumerate(entries):
            readers = overwrites.get(id(entry))
            if readers:
                self.soft[index] = {place[o]: updates for o, updates in readers.items()}
                self.hard[index] = len(waits[index])
                for other in waits[index]:
                    self.after_hard.setdefault(other, []).append(index)
                waits[index] |= self.soft[index].keys()
        self.after = successors(waits)
        self.waiting = [len(others) for others in waits]
        self.held = {i: Counter(u for us in of.values() for u in us) for i, of in self.soft.items()}
        """For each entry that overwrites, its updates of what is still read, by how many."""
        self.free = [(len(self.held[i]), i) for i, count in self.hard.items() if count == 0]
        """Those that wait for readers only, with how many updates would come late; what is said of
        one that has got fewer since is out of date."""
        heapq.heapify(self.free)
        self.is_done = [False] * len(entries)
        self.late: set[int] = set()
        """Updates that are not waited for where they are."""

    def _free(self) -> int:
        """Return the entry that waits for nothing but overwriting, with the fewest late updates."""
        while self.free:
            count, index = heapq.heappop(self.free)
            if not self.is_done[index] and count == len(self.held[index]):
                self.late |= self.held[index].keys()
                return index
        raise AssertionError("sides wait for each other")

    def _done(self, index: int, ready: list[int]) -> None:
        """Let what waits for an entry know that it has its place."""
        self.is_done[index] = True
        for other in self.after_hard.get(index, ()):
            self.hard[other] -= 1
            if self.hard[other] == 0:
                heapq.heappush(self.free, (len(self.held[other]), other))
        for other in self.after[index]:
            self.waiting[other] -= 1
            if self.waiting[other] == 0:
                heapq.heappush(ready, other)
            if other in self.soft:
                self._release(other, index)

    def _release(self, index: int, reader: int) -> None:
        """Take a reader that has its place from the updates of an entry."""
        held = self.held[index]
        before = len(held)
        for update in self.soft[index].get(reader, ()):
            held[update] -= 1
            if held[update] == 0:
                del held[update]
        if len(held) < before and self.hard[index] == 0:
            heapq.heappush(self.free, (len(held), index))

    def ordered(self) -> list[Entry]:
        """Return the entries, else in their order."""
        ready = [index for index, count in enumerate(self.waiting) if count == 0]
        heapq.heapify(ready)
        found: list[Entry] = []
        while len(found) < len(self.entries):
            index = heapq.heappop(ready) if ready else self._free()
            if not self.is_done[index]:
                found.append(self.entries[index])
                self._done(index, ready)
        return found
