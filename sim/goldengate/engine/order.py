# SPDX-License-Identifier: BSD-3-Clause
"""The order of what is on a side of a branch; updates that stand in each other's way come late."""

from __future__ import annotations

import heapq
from typing import Generic, TypeVar

from goldengate.engine.items import successors

Entry = TypeVar("Entry")
Waits = dict[int, set[int]]
"""For each entry, by its identity, those that it waits for."""
Soft = dict[int, dict[int, set[int]]]
"""The same for what reads a register that the entry updates, with these updates."""


class Order(Generic[Entry]):
    """Puts the entries of a side into an order in which each comes after those it waits for."""

    def __init__(self, entries: list[Entry], before: Waits, overwrites: Soft) -> None:
        self.entries = entries
        place = {id(entry): index for index, entry in enumerate(entries)}
        self.hard = [{place[o] for o in before.get(id(e), ())} for e in entries]
        self.soft = [{place[o]: u for o, u in overwrites.get(id(e), {}).items()} for e in entries]
        waits = [hard | soft.keys() for hard, soft in zip(self.hard, self.soft, strict=True)]
        self.after = successors(waits)
        self.waiting = [len(others) for others in waits]
        self.is_done = [False] * len(entries)
        self.late: set[int] = set()
        """Updates that are not waited for where they are."""

    def _free(self) -> int:
        """Return the entry that waits for nothing but overwriting, with the fewest late updates."""
        fewest: tuple[int, int] | None = None
        updates: set[int] = set()
        for index, hard in enumerate(self.hard):
            if self.is_done[index] or not all(self.is_done[other] for other in hard):
                continue
            late = {
                u for other, us in self.soft[index].items() if not self.is_done[other] for u in us
            }
            if fewest is None or len(late) < fewest[0]:
                fewest, updates = (len(late), index), late
        assert fewest is not None, "sides wait for each other"
        self.late |= updates
        return fewest[1]

    def ordered(self) -> list[Entry]:
        """Return the entries, else in their order."""
        ready = [index for index, count in enumerate(self.waiting) if count == 0]
        heapq.heapify(ready)
        found: list[Entry] = []
        while len(found) < len(self.entries):
            index = heapq.heappop(ready) if ready else self._free()
            if self.is_done[index]:
                continue
            self.is_done[index] = True
            found.append(self.entries[index])
            for other in self.after[index]:
                self.waiting[other] -= 1
                if self.waiting[other] == 0:
                    heapq.heappush(ready, other)
        return found
