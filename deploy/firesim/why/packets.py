# SPDX-License-Identifier: BSD-3-Clause
"""The packets around an event: the last ones at a place, and how full queues were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firesim_common.errors import InputError

from firesim.report.charts import Series
from firesim.report.network import Network
from firesim.report.results import Results
from firesim.timeline.captures import CAPTURE, Seen, read_capture
from firesim.timeline.window import Window
from firesim.why.queues import Place, mac, queues

MOST_SEEN = 1_000_000
"""Packets that are read of a capture."""
MOST_BYTES = 256 << 20
"""Of the capture of a whole run; of a longer one only the window is looked at."""
MOST_SHOWN = 30
_TYPES = {0x0800: "IPv4", 0x0806: "ARP", 0x86DD: "IPv6", 0x8808: "pause", 0x8100: "VLAN"}


@dataclass(frozen=True)
class ShownPacket:
    """A packet at a port of a switch, as a row of a table."""

    cycle: int
    where: str
    bytes: int
    sender: str
    receiver: str
    kind: str
    fate: str
    is_cause: bool


@dataclass
class Packets:
    """What is known of packets around an event."""

    rows: list[ShownPacket] = field(default_factory=list)
    cycles: list[int] = field(default_factory=list)
    queues: list[Series] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def broadcast(head: bytes) -> bool:
    """Return whether a frame is to several receivers."""
    return bool(head) and bool(head[0] & 1)


def places_of(network: Network, node: str | None, switch: str | None) -> list[Place]:
    """Return the ports to look at: all of a switch, else those that a node is linked to."""
    found = set()
    for link in network.links:
        for (name, port), other in (
            ((link.a, link.a_port), link.b),
            ((link.b, link.b_port), link.a),
        ):
            if name in network.switching_cycles and (
                name == switch or (not switch and other == node)
            ):
                found.add((name, port))
    return sorted(found)


def can_be_read(results: Results, places: Sequence[Place]) -> bool:
    """Return whether the captures at some ports are small enough to be read as a whole."""
    files = (results.folder / name / CAPTURE for name in {name for name, _ in places})
    return all(file.stat().st_size <= MOST_BYTES for file in files if file.is_file())


def packets_around(
    results: Results, places: Sequence[Place], window: Window, cause: tuple[str, int, int] | None
) -> Packets:
    """Return the last packets at ports, and the bytes that waited for each, in a window.

    `cause` is the switch, port and cycle of a packet that was dropped.
    """
    found = Packets()
    network = Network(results.description)
    seen: list[Seen] = []
    for name in sorted({name for name, _ in places}):
        file = results.folder / name / CAPTURE
        if not file.is_file():
            continue
        try:
            seen += read_capture(file, name, MOST_SEEN, f"{name}/{file.name}")[0]
        except InputError as error:
            found.left_out.append(str(error))
    names = names_of(results)
    left = {(one.switch, one.number): one for one in seen if one.is_outbound}
    near = set(places)
    shown = [
        one for one in sorted(seen) if one.cycle < window.end and (one.switch, one.port) in near
    ]
    for one in reversed(shown[-MOST_SHOWN:]):
        is_cause = not one.is_outbound and (one.switch, one.port, one.cycle) == cause
        fate = "" if one.is_outbound else _fate(one, left.get((one.switch, one.number)), is_cause)
        found.rows.append(_row(one, network, names, fate, is_cause))
    found.cycles, found.queues = queues(results, seen, near, window, cause)
    return found


def _row(
    one: Seen, network: Network, names: Mapping[str, str], fate: str, is_cause: bool
) -> ShownPacket:
    link = network.link_of_port(one.switch, one.port)
    other = "?" if link is None else (link.b if link.a == one.switch else link.a)
    way = f"to {other}" if one.is_outbound else f"from {other}"
    where = f"{one.switch} port {one.port} {way}"
    receiver = "all" if broadcast(one.head) else named(one.head[:6], names)
    sender = named(one.head[6:12], names)
    return ShownPacket(
        one.cycle, where, one.bytes, sender, receiver, _kind(one.head), fate, is_cause
    )


def named(address: bytes, names: Mapping[str, str]) -> str:
    """Return the node with a MAC address, or the address."""
    return names.get(mac(address), mac(address))


def names_of(results: Results) -> dict[str, str]:
    """Return the nodes by MAC address."""
    return Network(results.description).addresses


def _kind(head: bytes) -> str:
    number = int.from_bytes(head[12:14], "big")
    return _TYPES.get(number, f"0x{number:04x}")


def _fate(one: Seen, left: Seen | None, is_cause: bool) -> str:
    if is_cause:
        return "dropped"
    if left is None:
        return "still inside, or dropped"
    return f"left by port {left.port} after {left.cycle - one.cycle:,} cycles"
