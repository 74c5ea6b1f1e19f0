# SPDX-License-Identifier: BSD-3-Clause
"""Tell switches with classes which of their ports lead to what obeys a pause, and check the room.

A class is without loss when there is room for all that comes until a pause acts: what is on the
link in both directions, and in the far end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firesim.topology.plan import Plan, PlannedLink, PlannedSwitch

KIND = "priority"
"""The kind of switch that has classes (target-design/switch/kinds/priority)."""
FLIT_BYTES = 8
LONGEST_FRAME_FLITS = 1152
PAUSE_FLITS, CLASSES = 8, 8


def with_pauses(plan: Plan) -> Plan:
    """Return a plan whose switches with classes know which ports they may pause.

    Raises:
        InputError: neighbours pause different classes, or there is too little room.
    """
    pausing = {
        switch.name: switch
        for switch in plan.switches
        if switch.kind == KIND and switch.library is None
    }
    if not pausing:
        return plan
    switches = tuple(
        _told(plan, switch, pausing) if switch.name in pausing else switch
        for switch in plan.switches
    )
    return replace(plan, switches=switches)


def _told(plan: Plan, switch: PlannedSwitch, pausing: Mapping[str, PlannedSwitch]) -> PlannedSwitch:
    settings: dict[str, Any] = dict(switch.settings or {})
    with_nodes = settings.pop("pause_nodes")
    nodes = {node.name for node in plan.nodes}
    ports = []
    for index, port in enumerate(switch.ports):
        if not (port.peer in pausing or (with_nodes and port.peer in nodes)):
            continue
        if settings["pause_classes"]:
            ports.append(index)
            _check_link(plan, switch, port.peer, pausing)
    settings["pause_ports"] = ports
    _check_order(plan, switch)
    return replace(switch, settings=settings)


def _check_order(plan: Plan, switch: PlannedSwitch) -> None:
    settings = switch.settings or {}
    for low, high, equal in (
        ("xon_bytes", "xoff_bytes", False),
        ("ecn_least_bytes", "ecn_most_bytes", True),
    ):
        least, most = settings[low], settings[high]
        if least < most or (equal and (least == most or most == 0)):
            continue
        wanted = "at most" if equal else "less than"
        raise plan.error(
            switch,
            "settings",
            f"found {low} {least:,} and {high} {most:,}, expected {wanted} {high}.",
        )


def _check_link(
    plan: Plan,
    switch: PlannedSwitch,
    peer: str,
    pausing: Mapping[str, PlannedSwitch],
) -> None:
    own = switch.settings or {}
    if peer in pausing:
        other = (pausing[peer].settings or {})["pause_classes"]
        if sorted(other) != sorted(own["pause_classes"]):
            text = (
                f'found pause_classes {own["pause_classes"]} at "{switch.name}" and {other} at its '
                f'neighbour "{peer}", expected the same: one pauses, the other obeys.'
            )
            raise plan.error(switch, "settings", text)
    ends = {switch.name, peer}
    link = next(link for link in plan.links if {link.a, link.b} == ends)
    least = headroom_bytes(link, switch.switching_latency_cycles)
    if own["headroom_bytes"] < least:
        text = (
            f"found headroom_bytes {own['headroom_bytes']:,}, expected at least {least:,} for the "
            f'link "{link.name}" of {link.latency_cycles:,} cycles: what comes until a pause acts.'
        )
        raise plan.error(switch, "settings", text)


def headroom_bytes(link: PlannedLink, switching_latency_cycles: int) -> int:
    """Return the bytes that come at full rate from when a class is too full until a pause acts.

    The pause frame waits for a frame that is leaving and for pauses of other classes, and crosses
    the link; the far end ends its frame; what has left crosses the link and the switch. The frame
    that made the class too full is counted as well.
    """
    frames = 3 * LONGEST_FRAME_FLITS + (CLASSES + 1) * PAUSE_FLITS
    return FLIT_BYTES * (2 * link.latency_cycles + switching_latency_cycles + frames)
