# SPDX-License-Identifier: BSD-3-Clause
"""The third step: names, files, FPGAs, hosts and the snapshot to go on from are chosen.

What can be checked without a tool is checked here; nothing is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from firesim.bind.checks import check_hardware, check_plan
from firesim.bind.fpgas import checked_later, with_fpgas
from firesim.bind.hosts import Places, foreseen, placed
from firesim.bind.pauses import with_pauses
from firesim.bind.tohost import with_tohost
from firesim.config.keep import MANAGER
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan

Origin = Callable[[Plan], Restart | None]
"""Says for a plan where to go on instead of starting at cycle 0."""


@dataclass(frozen=True)
class Bound:
    """A plan of which it is known what each part runs on, and where the run begins."""

    plan: Plan
    places: Places | None = None
    """None: all of it on this computer, in one process."""
    origin: Restart | None = None
    """None: from cycle 0."""
    checked_later: tuple[str, ...] = ()
    """In sentences what can only be checked when a run begins."""

    def close(self) -> None:
        """Let the hosts go."""
        if self.places is not None:
            self.places.close()


def bind(
    plan: Plan,
    origin: Origin | None = None,
    hosts: Literal["connected", "answering", "foreseen"] = "connected",
) -> Bound:
    """Return a plan with all that it needs chosen; `close` it when its hosts are not to be used.

    Hosts are all connected, or those that answer, or only `foreseen`: then none stays connected,
    and nothing is started on this computer.

    Raises:
        InputError: a name, a file, an FPGA or a host is not one that can be used.
    """
    check_plan(plan)
    plan = with_pauses(with_tohost(plan))
    check_hardware(plan)
    plan = with_fpgas(plan)
    begins = origin(plan) if origin else None
    clones = bool(begins and begins.restore_from)
    later = checked_later(plan)
    if hosts == "foreseen":
        if plan.placement.keep_snapshots != MANAGER:
            later.append("placement.keep_snapshots: the place is tried when a run begins")
        places = foreseen(plan, clones=clones)
    else:
        places = placed(plan, answering=hosts == "answering", clones=clones)
    return Bound(plan, places, begins, tuple(later))
