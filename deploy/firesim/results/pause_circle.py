# SPDX-License-Identifier: BSD-3-Clause
"""Names the circle in which pauses wait for each other, from what switches say at the end of a run.

A class of a port is paused by the far end because frames that came in there wait for another port
whose class is paused, too. Where this leads back to where it began, nothing moves any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firesim.topology.plan import Plan

Wait = tuple[str, int, int]
"""A switch, one of its ports, and a class that is paused there while frames wait."""


def pause_circle(plan: Plan, result: Mapping[str, Any]) -> list[str]:
    """Return the names of the switches in a circle of pauses, the first one again as the last.

    Nothing where there is no circle.
    """
    if result.get("reason") != "error":
        return []
    far: dict[tuple[str, int], tuple[str, int]] = {}
    for link in plan.links:
        a, b = (link.a, link.a_port), (link.b, link.b_port)
        far[a], far[b] = b, a
    waits: dict[Wait, list[int]] = {}
    for switch in result.get("switches", []):
        said = switch.get("statistics")
        for one in (said or {}).get("pauses_that_wait", []):
            waits[switch["name"], one["port"], one["class"]] = one["from_ports"]
    follows = {
        wait: [
            later
            for later, from_ports in waits.items()
            if (later[0], later[2]) == (far.get(wait[:2], ("", 0))[0], wait[2])
            and far[wait[:2]][1] in from_ports
        ]
        for wait in waits
    }
    for start in sorted(waits):
        if way := _way_back(follows, start):
            return [wait[0] for wait in way]
    return []


def _way_back(follows: Mapping[Wait, list[Wait]], start: Wait) -> list[Wait]:
    """Return a shortest way from a wait to itself, nothing where there is none."""
    ways = [[start]]
    seen: set[Wait] = set()
    while ways:
        way = ways.pop(0)
        for later in follows[way[-1]]:
            if later == start:
                return [*way, start]
            if later not in seen:
                seen.add(later)
                ways.append([*way, later])
    return []
