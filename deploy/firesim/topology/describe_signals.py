# SPDX-License-Identifier: BSD-3-Clause
"""What of a node's signals and devices is looked at, as its entry in the description says it."""

from __future__ import annotations

from typing import Any

from firesim.config.activity import Activity
from firesim.config.capture import Capture, ValueTrigger
from firesim.config.waves import Waves
from firesim.topology.plan import PlannedNode

WAVES = "waves.fst"
ACTIVITY, MODULES = "activity.saif", "activity.csv"
CAPTURE = "capture.fst"
PEEKS = "peeks.csv"


def describe_signals(node: PlannedNode) -> dict[str, Any]:
    """Return the sections of a node for waves, activity, a capture, and peeks and pokes."""
    found: dict[str, Any] = {}
    if node.instruments.waves is not None:
        found["waves"] = _waves(node.instruments.waves)
    if node.instruments.activity is not None:
        found["activity"] = _activity(node.instruments.activity)
    if node.instruments.capture is not None:
        found["capture"] = _capture(node.instruments.capture)
    if signals := _signals(node):
        found["signals"] = signals
    return found


def timeline_of(node: PlannedNode, device: str) -> dict[str, Any]:
    """Return where a device writes its events; nothing where no timeline is wanted."""
    most_bytes = node.instruments.timeline_bytes
    file = f"{node.name}/{device}.events"
    return {"timeline": {"file": file, "most_bytes": most_bytes}} if most_bytes else {}


def _waves(waves: Waves) -> dict[str, Any]:
    return {"file": f"{waves.node}/{WAVES}", **waves.model_dump(exclude={"node"})}


def _activity(activity: Activity) -> dict[str, Any]:
    files = {"file": f"{activity.node}/{ACTIVITY}", "modules": f"{activity.node}/{MODULES}"}
    return files | activity.model_dump(exclude={"node"})


def _capture(capture: Capture) -> dict[str, Any]:
    trigger = capture.trigger.model_dump(exclude_none=True)
    if isinstance(capture.trigger, ValueTrigger):  # of any width
        trigger |= {key: hex(trigger[key]) for key in ("value", "mask") if key in trigger}
    return {
        "file": f"{capture.node}/{CAPTURE}",
        "signals": capture.signals,
        "depth_cycles": capture.depth_cycles,
        "before_cycles": capture.kept_before_cycles,
        "after_cycles": capture.after_cycles,
        "trigger": trigger,
    }


def _signals(node: PlannedNode) -> dict[str, Any]:
    """Return the peeks and pokes of a node, nothing when there are none."""
    peeks = [
        {"cycle": cycle, "signals": peek.signals}
        for peek in node.instruments.peeks
        for cycle in peek.cycles
    ]
    pokes = [
        {"cycle": poke.cycle, "signal": poke.signal, "value": hex(poke.value)}
        for poke in node.instruments.pokes
    ]
    found = {"file": f"{node.name}/{PEEKS}", "peeks": peeks, "pokes": pokes}
    return found if peeks or pokes else {}
