# SPDX-License-Identifier: BSD-3-Clause
"""Shows the packets of a run: on each link and in each queue, with arrows along their ways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from firesim_common.errors import InputError

from firesim.report.network import Network
from firesim.report.results import Results
from firesim.timeline.captures import CAPTURE, Seen, read_capture
from firesim.timeline.paths import Hop, Packet, Paths, in_lanes
from firesim.timeline.perfetto import Perfetto, Track
from firesim.timeline.window import Window

MOST_SEEN = 1_000_000
"""Packets at ports of switches that are read, of all switches together."""


def read_packets(results: Results, left_out: list[str]) -> Iterator[Packet]:
    """Yield the packets of a run; what is left out is added to `left_out`."""
    if any(switch.get("capture_side") for switch in results.description.get("switches", [])):
        left_out.append("Packets are left out, since the switches captured one side.")
        return
    seen: list[Seen] = []
    for switch in results.switches:
        for path in switch.captures:
            if path.name == CAPTURE:
                seen += _read(path, switch.name, MOST_SEEN - len(seen), left_out)
    yield from Paths(seen, Network(results.description).links).packets()


def _read(path: Path, switch: str, most: int, left_out: list[str]) -> list[Seen]:
    shown = f"{switch}/{path.name}"
    try:
        found, more = read_capture(path, switch, most, shown)
    except InputError as error:
        left_out.append(f"{error} Its packets are left out.")
        return []
    if more:
        left_out.append(f"{shown}: {more:,} packets after the first {len(found):,} are left out.")
    return found


def show_packets(trace: Perfetto, results: Results, window: Window) -> list[str]:
    """Show all packets that are somewhere within the window; return what is left out."""
    left_out: list[str] = []
    packets = list(read_packets(results, left_out))
    hops: dict[str, list[tuple[Hop, Packet]]] = {}
    for packet in packets:
        for hop in packet.hops:
            if hop.begin < window.end and hop.end >= window.first:
                hops.setdefault(hop.place, []).append((hop, packet))
    if not hops:
        return left_out
    group = trace.track("network", about="From the last flit at one place to that at the next.")
    for place in sorted(hops, key=_in_order):
        _show_place(trace, group, place, hops[place])
    _show_ends(trace, group, packets, window)
    return left_out


def _show_ends(trace: Perfetto, group: Track, packets: list[Packet], window: Window) -> None:
    """Show where packets arrived, and which did not leave a switch, as instants."""
    ends: dict[str, list[tuple[int, Packet, tuple[int, ...]]]] = {}
    for packet in packets:
        for node, cycle, copy in packet.arrivals:
            ends.setdefault(f"{node} received", []).append((cycle, packet, (copy,)))
        for switch, cycle in packet.lost_in:
            ends.setdefault(f"{switch} kept or dropped", []).append((cycle, packet, ()))
    for place in sorted(ends, key=_in_order):
        track = trace.track(place, group)
        for cycle, packet, copies in sorted(ends[place], key=lambda end: (end[0], end[1].number)):
            if cycle in window:
                track.instant(cycle, _name(packet), copies, {"packet": packet.number})


def _show_place(trace: Perfetto, group: Track, place: str, hops: list[tuple[Hop, Packet]]) -> None:
    """Show a link or a queue: tracks of one name, since packets are there at the same time."""
    packets = {id(hop): packet for hop, packet in hops}
    in_time = sorted((hop for hop, _ in hops), key=lambda hop: (hop.begin, packets[id(hop)].number))
    for lane in in_lanes(in_time):
        track = trace.track(place, group)
        for hop in lane:
            packet = packets[id(hop)]
            track.begin(hop.begin, _name(packet), hop.flows, {"packet": packet.number})
            track.end(hop.end)


def _name(packet: Packet) -> str:
    return f"{packet.bytes} bytes"


def _in_order(place: str) -> list[tuple[int, str]]:
    """Sort tor2 before tor10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", place)]
