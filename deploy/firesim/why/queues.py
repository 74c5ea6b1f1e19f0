# SPDX-License-Identifier: BSD-3-Clause
"""How full the queues of switches were, worked out of what they captured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from firesim.report.charts import Series
from firesim.report.results import Results
from firesim.timeline.captures import Seen
from firesim.timeline.window import Window

MOST_QUEUES = 6
POINTS = 200

Place = tuple[str, int]
"""A switch and one of its ports."""


def mac(address: bytes) -> str:
    """Return a MAC address as people write it."""
    return ":".join(f"{byte:02X}" for byte in address)


def queues(
    results: Results,
    seen: Iterable[Seen],
    places: set[Place],
    window: Window,
    dropped: tuple[str, int, int] | None,
) -> tuple[list[int], list[Series]]:
    """Return points in time, and for the fullest ports the bytes on their way to each.

    A packet is on its way from the cycle of its last flit in to that of its last flit out.
    `dropped` is the switch, port and cycle of one that does not count.
    """
    cycles = list(range(window.first, window.end, max(1, (window.end - window.first) // POINTS)))
    changes: dict[Place, list[tuple[int, int]]] = {place: [] for place in places}
    kept = [one for one in seen if (one.switch, one.port, one.cycle) != dropped or one.is_outbound]
    for place, cycle, size in _changes(kept, _tables(results), window):
        if place in changes:
            changes[place].append((cycle, size))
    filled = []
    for (switch, port), steps in changes.items():
        values = _levels(sorted(steps), cycles)
        if any(values):
            filled.append((max(values), Series(f"{switch} port {port}", values)))
    filled.sort(key=lambda pair: (-pair[0], pair[1].name))
    return cycles, [series for _, series in filled[:MOST_QUEUES]]


def _changes(
    seen: Sequence[Seen], tables: Mapping[str, Mapping[str, int]], window: Window
) -> Iterator[tuple[Place, int, int]]:
    """Yield by how many bytes which port's queue changes in which cycle."""
    ways: dict[tuple[str, int | None], list[int]] = {}
    came = {(one.switch, one.number) for one in seen if not one.is_outbound}
    for one in seen:
        if not one.is_outbound:
            continue
        ways.setdefault((one.switch, one.number), []).append(one.port)
        yield (one.switch, one.port), one.cycle, -one.bytes
        if (one.switch, one.number) not in came:  # It waited when the replay began.
            yield (one.switch, one.port), window.first, one.bytes
    for one in seen:
        if one.is_outbound:
            continue
        meant = tables.get(one.switch, {}).get(mac(one.head[:6]))
        for port in ways.get((one.switch, one.number), [] if meant is None else [meant]):
            yield (one.switch, port), one.cycle, one.bytes


def _tables(results: Results) -> dict[str, dict[str, int]]:
    """Return for each switch the port of each address that it knows."""
    return {
        str(switch["name"]): {
            str(row["mac"]).upper(): int(row["port"]) for row in switch.get("mac_table") or []
        }
        for switch in results.description.get("switches", [])
    }


def _levels(steps: Sequence[tuple[int, int]], cycles: Sequence[int]) -> list[float]:
    values, level, at = [], 0, 0
    for cycle in cycles:
        while at < len(steps) and steps[at][0] <= cycle:
            level += steps[at][1]
            at += 1
        values.append(float(max(0, level)))
    return values
