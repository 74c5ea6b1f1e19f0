# SPDX-License-Identifier: BSD-3-Clause
"""The triggers of instruments in the description of a simulation."""

from __future__ import annotations

from typing import Any

from firesim.config.simulation import (
    AlwaysTrigger,
    CounterTrigger,
    CycleTrigger,
    InstructionTrigger,
    Trigger,
)

LAST_CYCLE = 2**63 - 1


def described_trigger(trigger: Trigger | CounterTrigger, first_cycle: int) -> dict[str, Any]:
    """Return a trigger that, unless the program decides, is not active before `first_cycle`."""
    if first_cycle and isinstance(trigger, AlwaysTrigger | CycleTrigger):
        start, end = first_cycle, LAST_CYCLE
        if isinstance(trigger, CycleTrigger):
            start, end = max(first_cycle, trigger.start), trigger.end
        return {"kind": "cycle", "start": start, "end": end} if start < end else {"kind": "none"}
    if isinstance(trigger, InstructionTrigger):
        return {
            "kind": "instruction",
            "start": trigger.start.model_dump(),
            "end": trigger.end.model_dump(),
        }
    return trigger.model_dump(exclude_none=True)
