# SPDX-License-Identifier: BSD-3-Clause
"""How full each link is: its flits over the cycles of the last seconds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from firesim.watch.status import WINDOW_S, Directions, Status, TrafficCount

BITS_A_FLIT = 64


@dataclass(frozen=True)
class LinkLoad:
    """Share of the cycles in which each direction of a link carried a flit, from 0 to 1."""

    a_to_b: float
    b_to_a: float

    @property
    def most(self) -> float:
        """The load of the fuller direction."""
        return max(self.a_to_b, self.b_to_a)


_IDLE = LinkLoad(0.0, 0.0)


class LinkLoads:
    """Works out loads from one status to the next."""

    def __init__(self, start_cycle: int, is_whole: bool) -> None:
        """Take where the run began; with `is_whole`, its statuses are read from there on."""
        self._window: deque[Status] = deque()
        self._first = Status() if is_whole else None
        self._start_cycle = start_cycle

    def update(self, status: Status) -> dict[str, LinkLoad]:
        """Return the loads of the last seconds; with one status, those since the run began."""
        if not self._window or self._window[-1] is not status:
            self._window.append(status)
        while len(self._window) > 2 and status.wall_s - self._window[1].wall_s >= WINDOW_S:
            self._window.popleft()
        before = self._window[0]
        cycle = before.cycle
        if before is status or status.cycle == cycle:
            if self._first is None:
                return {}
            before, cycle = self._first, self._start_cycle
        passed = status.cycle - cycle
        if passed <= 0:
            return {}
        # Who has counted nothing new is the same object still, which holds for most of many links.
        return {
            name: _IDLE if (old := before.links.get(name)) is now else _load(now, old, passed)
            for name, now in status.links.items()
        }


def _load(now: Directions, before: Directions | None, cycles: int) -> LinkLoad:
    old = before or (None, None)
    a_to_b, b_to_a = (_share(n, o, cycles) for n, o in zip(now, old, strict=True))
    return LinkLoad(a_to_b, b_to_a)


def _share(now: TrafficCount | None, before: TrafficCount | None, cycles: int) -> float:
    flits = (now.flits if now else 0) - (before.flits if before else 0)
    return min(1.0, max(0.0, flits / cycles)) if flits else 0.0
