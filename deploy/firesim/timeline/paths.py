# SPDX-License-Identifier: BSD-3-Clause
"""Follows packets from switch to switch: link, queue, link, to each place where a copy ends.

A link carries one flit a cycle, so that the cycle of its last flit names a packet on it; within a
switch its number does. Nothing is guessed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from firesim.report.network import Link
from firesim.timeline.captures import Seen

End = tuple[str, int]
"""A model and one of its ports."""


@dataclass
class Hop:
    """A packet on a link or in a switch, from its last flit's cycle to that of the next place."""

    place: str
    begin: int
    end: int
    flows: list[int] = field(default_factory=list)
    """The copies whose ways lead through here."""


@dataclass
class Packet:
    """A packet with all hops of all its copies."""

    number: int
    bytes: int
    hops: list[Hop] = field(default_factory=list)
    lost_in: list[tuple[str, int]] = field(default_factory=list)
    """Switches that no copy left by the end of the capture, with the cycle it came in."""
    arrivals: list[tuple[str, int, int]] = field(default_factory=list)
    """Nodes it reached: name, cycle, copy."""


class Paths:
    """The captures of all switches, put together."""

    def __init__(self, seen: Iterable[Seen], links: Iterable[Link]) -> None:
        self._links: dict[End, tuple[End, Link]] = {}
        for link in links:
            a, b = (link.a, link.a_port), (link.b, link.b_port)
            self._links |= {a: (b, link), b: (a, link)}
        self._inbound: dict[tuple[str, int, int], Seen] = {}
        self._outbound: dict[tuple[str, int], list[Seen]] = {}
        self._left: dict[tuple[str, int, int], Seen] = {}
        known: set[tuple[str, int]] = set()
        ordered = sorted(seen, key=lambda one: (one.cycle, one.switch, one.port, one.is_outbound))
        self._made = []
        for one in ordered:
            if one.is_outbound:
                self._left[one.switch, one.port, one.cycle] = one
            else:
                self._inbound[one.switch, one.port, one.cycle] = one
                known |= set() if one.number is None else {(one.switch, one.number)}
        for one in self._left.values():
            if one.number is None or (one.switch, one.number) not in known:
                self._made.append(one)
            else:
                self._outbound.setdefault((one.switch, one.number), []).append(one)
        self._flows = 0
        self._packets = 0

    def packets(self) -> Iterator[Packet]:
        """Yield the packets, by the cycle in which they were first seen."""
        starts = [one for one in self._inbound.values() if self._came_from(one) is None]
        for first in sorted([*starts, *self._made]):
            self._packets += 1
            yield self._followed(Packet(self._packets, first.bytes), first)

    def _came_from(self, one: Seen) -> Seen | None:
        """Return the packet as it left the switch before; None where none saw it."""
        end = self._links.get((one.switch, one.port))
        if end is None:
            return None
        (model, port), link = end
        return self._left.get((model, port, one.cycle - link.latency_cycles))

    def _followed(self, packet: Packet, first: Seen) -> Packet:
        way: list[Hop] = []
        if not first.is_outbound and (end := self._links.get((first.switch, first.port))):
            (sender, _), link = end
            place = f"{sender} > {first.switch}"
            way.append(Hop(place, first.cycle - link.latency_cycles, first.cycle))
            packet.hops += way
        stack = [(first, way)]
        while stack:
            one, way = stack.pop()
            if one.is_outbound:
                stack += self._over_link(packet, one, way)
            else:
                stack += self._through_switch(packet, one, way)
        return packet

    def _through_switch(
        self, packet: Packet, one: Seen, way: list[Hop]
    ) -> list[tuple[Seen, list[Hop]]]:
        found = []
        for left in self._outbound.get((one.switch, -1 if one.number is None else one.number), []):
            if left.cycle < one.cycle:
                continue
            hop = Hop(f"{one.switch} port {left.port}", one.cycle, left.cycle)
            packet.hops.append(hop)
            found.append((left, [*way, hop]))
        if not found:
            packet.lost_in.append((one.switch, one.cycle))
            self._end(way)
        return found

    def _over_link(self, packet: Packet, one: Seen, way: list[Hop]) -> list[tuple[Seen, list[Hop]]]:
        end = self._links.get((one.switch, one.port))
        if end is None:
            self._end(way)
            return []
        (model, port), link = end
        arrives = one.cycle + link.latency_cycles
        hop = Hop(f"{one.switch} > {model}", one.cycle, arrives)
        packet.hops.append(hop)
        way = [*way, hop]
        next_seen = self._inbound.get((model, port, arrives))
        if next_seen is not None:
            return [(next_seen, way)]
        packet.arrivals.append((model, arrives, self._end(way)))
        return []

    def _end(self, way: list[Hop]) -> int:
        """Number the copy that ends here, on its whole way."""
        self._flows += 1
        for hop in way:
            hop.flows.append(self._flows)
        return self._flows


def in_lanes(hops: Iterable[Hop]) -> list[list[Hop]]:
    """Return the hops of one place, which are in order of time, so that none in a lane overlap."""
    lanes: list[list[Hop]] = []
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    for hop in hops:
        while busy and busy[0][0] <= hop.begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            lane = heapq.heappop(free)
        else:
            lane = len(lanes)
            lanes.append([])
        lanes[lane].append(hop)
        heapq.heappush(busy, (hop.end, lane))
    return lanes
