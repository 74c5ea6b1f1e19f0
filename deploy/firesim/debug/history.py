# SPDX-License-Identifier: BSD-3-Clause
"""Time travel: copies of the simulation along its way, from which any place before is reached.

A place in time has a number, its position, and a run is the same each time. So the state at a
position is that of a copy made before it which has gone on up to there.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.debug.machine import Hub, Machine, SimulatorGone, Stop

MOST_COPIES = 16
MOST_BYTES = 2 << 30
"""Of memory that the copies have for themselves."""
FIRST_SPACING_S = 0.25
FINE_POSITIONS = 100_000
"""How far before a place where somebody steps back a copy is kept: some milliseconds."""


@dataclass(frozen=True)
class Watch:
    """A piece of physical memory that is to be seen changing."""

    address: int
    bytes: int


@dataclass(frozen=True)
class Wanted:
    """What a simulation is to stop at."""

    hart: int | None = None
    """Any step of it."""
    breakpoints: Sequence[int] = ()
    watches: Sequence[Watch] = ()
    until_cycle: int | None = None

    def order(self, **more: Any) -> dict[str, Any]:
        """Return it as a simulator takes it."""
        order = {
            "breakpoints": list(self.breakpoints),
            "watches": [{"address": one.address, "bytes": one.bytes} for one in self.watches],
            **more,
        }
        if self.hart is not None:
            order["hart"] = self.hart
        if self.until_cycle is not None:
            order["until_cycle"] = self.until_cycle
        return order


class History:
    """A simulation that goes forward and back; `now` is the process that stands where it is.

    Raises, all methods:
        SimulatorGone: a process of the simulation has ended.
    """

    def __init__(self, hub: Hub, root: Machine) -> None:
        """Begin at the process `root`, which stays as it is."""
        self.hub = hub
        self.kept = [root]
        """The copies that stay, in order of position; the first one is where history begins."""
        self.now = hub.copy(root, goes_on=True)
        self.spacing_s = FIRST_SPACING_S

    def close(self) -> None:
        """End all processes."""
        for machine in [*self.kept, self.now]:
            machine.close()
        self.hub.close()

    def forward(self, wanted: Wanted, other: Any, said: Callable[[], bool]) -> Stop:
        """Go on until what is wanted; copies are kept on the way.

        `other` is what else to wait for, and `said` is called when it is readable: true stops.
        """
        if self.now.stop.why == "end":
            return self.now.stop
        is_interrupted = False
        while True:
            started = time.monotonic()
            self.now.order(wanted.order())
            timed = False
            while True:
                left = max(started + self.spacing_s - time.monotonic(), 0)
                ready, _, _ = select.select(
                    [self.now, other], [], [], None if timed or is_interrupted else left
                )
                if self.now in ready:
                    break
                if other in ready:
                    is_interrupted = said()
                    if not is_interrupted:
                        continue
                timed = True
                self.now.interrupt()
            stop = self.now.wait()
            if stop.why != "interrupt" or is_interrupted:
                return stop
            self.keep()

    def back(self, wanted: Wanted) -> Stop | None:
        """Go back to the last place before this one that is wanted; None: to the beginning.

        A step or a change of memory has then not been done, at a breakpoint the hart stands.
        """
        end, inclusive = self.now.stop.position, False
        while before := [one for one in self.kept if one.stop.position < end]:
            start = before[-1]
            if end - start.stop.position > 2 * FINE_POSITIONS:
                start = self._kept_before(start, end)
            found = self._last(start, wanted, end, inclusive)
            if found is not None:
                self._to(found.position)
                return found
            end, inclusive = start.stop.position, True
        self._replace(self.hub.copy(self.kept[0], goes_on=True))
        return None

    def to(self, position: int) -> Stop:
        """Go to a position that has been reached before, or to the beginning."""
        self._to(position)
        return self.now.stop

    def keep(self) -> None:
        """Keep a copy of where the simulation is, unless one was kept further on."""
        if self.now.stop.position > self.kept[-1].stop.position:
            self._insert(self.hub.copy(self.now, goes_on=False))

    def _insert(self, machine: Machine) -> None:
        self.kept.append(machine)
        self.kept.sort(key=lambda one: one.stop.position)
        while len(self.kept) > MOST_COPIES or (
            len(self.kept) > 2 and sum(map(_own_bytes, self.kept)) > MOST_BYTES
        ):
            # Every second one goes, the others then being twice as far apart.
            for one in self.kept[1::2]:
                one.close()
            del self.kept[1::2]
            self.spacing_s *= 2

    def _kept_before(self, start: Machine, end: int) -> Machine:
        """Keep a copy shortly before `end`, made from `start`, and return it."""
        near = self.hub.copy(start, goes_on=True)
        near.order({"until_position": end - FINE_POSITIONS})
        near.wait()
        made = self.hub.copy(near, goes_on=False)
        near.close()
        self._insert(made)
        return made if made in self.kept else self.kept[0]

    def _last(self, start: Machine, wanted: Wanted, end: int, inclusive: bool) -> Stop | None:
        search = self.hub.copy(start, goes_on=True)
        search.order(wanted.order(until_position=end, search=True, inclusive=inclusive))
        stop = search.wait()
        search.close()
        return stop.found

    def _to(self, position: int) -> None:
        start = [one for one in self.kept if one.stop.position <= position][-1]
        machine = self.hub.copy(start, goes_on=True)
        if machine.stop.position < position:
            machine.order({"until_position": position})
            machine.wait()
        self._replace(machine)

    def _replace(self, machine: Machine) -> None:
        self.now.close()
        self.now = machine


def _own_bytes(machine: Machine) -> int:
    """Return the memory that a copy shares with no other process, 0 if it cannot be known."""
    try:
        text = Path(f"/proc/{machine.process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(
        int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Private_")
    )


__all__ = ["History", "SimulatorGone", "Stop", "Wanted", "Watch"]
