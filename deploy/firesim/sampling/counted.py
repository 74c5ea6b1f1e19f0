# SPDX-License-Identifier: BSD-3-Clause
"""What a run of an interval says at its end that all intervals have."""

from __future__ import annotations

from collections.abc import Sequence

from firesim.results.outcome import Outcome
from firesim.sampling.counter_rows import CYCLES
from firesim.sampling.folder import Interval
from firesim.sampling.intervals import Task

NOT_EVENTS = ("cycle", CYCLES)
AT_LIMIT = "max_cycles"
"""Reason for which a run has ended that went on to its limit."""


def interval_of(
    task: Task,
    outcome: Outcome,
    state: str,
    *,
    cycles: int,
    instructions: int = 0,
    events: dict[str, int] | None = None,
    figures: Sequence[float] = (),
) -> Interval:
    """Return an interval with what was measured of it, and with what its run took."""
    result = outcome.result
    restored = int(result["end_cycle"]) - task.save_cycle + _warm_start(outcome, "restore_cycles")
    return Interval(
        unit=task.unit,
        state=state,
        cycles=cycles,
        instructions=instructions,
        events=events or {},
        token_hash=str(result["token_hash"]),
        snapshot_cycle=task.save_cycle,
        extra_cycles=_warm_start(outcome, "extra_cycles"),
        rtl_cycles=len(result["nodes"]) * restored,
        cpu_s=float(result["cpu_s"]),
        figures=list(figures),
    )


def _warm_start(outcome: Outcome, key: str) -> int:
    """Return the most cycles that a node's warm start took: extra_cycles or restore_cycles."""
    facts = [node["statistics"].get("warm_start") or {} for node in outcome.result["nodes"]]
    return max(int(one.get(key, 0)) for one in facts)
