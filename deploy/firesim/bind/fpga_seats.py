# SPDX-License-Identifier: BSD-3-Clause
"""Seats of nodes on the FPGAs of a farm: which FPGA a node is on, and which blade of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesim.config.farm import FarmBase
from firesim.farm.make import stated_hosts


@dataclass(frozen=True)
class Place:
    """One FPGA of a host: hosts as their farm's file has them."""

    host: str
    index: int
    board: str
    device: str | None = None
    """How the host reaches it."""
    cable: str = ""
    """Serial number of its JTAG cable, if the manager is to load it."""
    vivado: str = ""
    """The program that does."""


@dataclass(frozen=True)
class BoardNode:
    """A node that is to be on an FPGA."""

    name: str
    board: str
    entry: str = ""
    """Its bitstream, which nodes on one FPGA have in common."""
    blades: int = 1
    """How many nodes that bitstream takes."""


@dataclass(frozen=True)
class Seat:
    """Where a node is: an FPGA, and which of the blades on it."""

    place: Place
    slot: int = 0


def fpga_places(farm: FarmBase) -> list[Place]:
    """Return the FPGAs of a farm's hosts, host by host; those without `platform` are no board."""
    return [
        Place(
            name,
            index,
            host.platform,
            host.devices[index] if host.devices else None,
            host.cables[index] if host.cables else "",
            host.vivado,
        )
        for name, host in stated_hosts(farm)
        if host.platform is not None
        for index in range(host.fpgas)
    ]


def mapped(
    nodes: list[BoardNode], places: list[Place], hosts: Mapping[str, str] | None = None
) -> dict[str, Seat] | str:
    """Assign each node a seat, or return a board type of which there are too few.

    Those that `hosts` places by hand take the first seat on an FPGA of their board there, then the
    others the first one anywhere. A seat is a blade that is left on an FPGA with the node's
    bitstream, else the first one on a free FPGA.
    """
    free = list(places)
    left: list[tuple[str, Seat]] = []
    found: dict[str, Seat] = {}
    by_hand = hosts or {}
    for node in sorted(nodes, key=lambda node: node.name not in by_hand):
        host = by_hand.get(node.name)
        chosen = next(
            (one for one in left if one[0] == node.entry and host in (None, one[1].place.host)),
            None,
        )
        if chosen is not None:
            left.remove(chosen)
            found[node.name] = chosen[1]
            continue
        fits = (one for one in free if one.board == node.board and host in (None, one.host))
        if (place := next(fits, None)) is None:
            return node.board
        free.remove(place)
        found[node.name] = Seat(place)
        left += [(node.entry, Seat(place, slot)) for slot in range(1, node.blades)]
    return found
