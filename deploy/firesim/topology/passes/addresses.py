# SPDX-License-Identifier: BSD-3-Clause
"""Give each node an IP address and a MAC address for each of its links; refuse duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from firesim_common.positions import KeyPath

from firesim.config.loaded import Loaded
from firesim.topology.shape import Shape


class Addresses(NamedTuple):
    """The addresses of a node."""

    macs: tuple[str, ...]
    """By port: of port 0, and of all up to the last that has a link or is given an address."""
    ips: tuple[str, ...]
    """Of the same ports."""


def assign(loaded: Loaded, shape: Shape) -> dict[str, Addresses]:
    """Return the addresses of each node; a MAC in the configuration wins over the assigned one.

    Raises:
        InputError: two links of nodes with one MAC, or a group or null MAC.
    """
    given = dict(_given(loaded, shape))
    owner: dict[str, tuple[str, int]] = {}
    # Given addresses first, so that the message points at the line that can be changed.
    for (name, port), (mac, path) in given.items():
        if int(mac[:2], 16) & 1 or mac == "00:00:00:00:00:00":
            text = f'found "{mac}", expected the address of one node, not of a group.'
            raise loaded.error(path, text)
        if mac in owner:
            raise loaded.error(path, _taken(mac, owner[mac][0]))
        owner[mac] = (name, port)
    result: dict[str, Addresses] = {}
    for index, name in enumerate(shape.nodes):
        macs = []
        for port in range(_ports(loaded, shape, name)):
            if (name, port) in given:
                macs.append(given[name, port][0])
                continue
            mac = mac_text(index, port)
            if (other := owner.setdefault(mac, (name, port))) != (name, port):
                place = given[other][1] if other in given else shape.place(name)
                raise loaded.error(place, _taken(mac, name))
            macs.append(mac)
        result[name] = Addresses(
            tuple(macs), tuple(ip_text(index, port) for port in range(len(macs)))
        )
    return result


def _ports(loaded: Loaded, shape: Shape, name: str) -> int:
    """Return how many ports of a node have an address: those up to the last of which something is
    said."""
    node = loaded.config.system.nodes.get(name)
    return max([*shape.ports[name], len(node.more_macs) if node else 0]) + 1


def _given(loaded: Loaded, shape: Shape) -> Iterator[tuple[tuple[str, int], tuple[str, KeyPath]]]:
    """Yield the MACs in the configuration: node and port, then address and place."""
    for name in shape.nodes:
        if (node := loaded.config.system.nodes.get(name)) is None:
            continue
        path: KeyPath = ("system", "nodes", name)
        if node.mac:
            yield (name, 0), (node.mac.upper(), (*path, "mac"))
        for index, mac in enumerate(node.more_macs):
            yield (name, index + 1), (mac.upper(), (*path, "more_macs", index))


def _taken(mac: str, owner: str) -> str:
    return f'found "{mac}", which "{owner}" already has, expected another.'


def mac_text(index: int, port: int = 0) -> str:
    """Return the MAC address of a port of node `index` (0 is the first).

    They are 00:12:6D:00:00:02 and up, at port 1 00:12:6D:01:00:02 and up.
    """
    low = index + 2
    return f"00:12:6D:{port + (low >> 16) & 255:02X}:{low >> 8 & 255:02X}:{low & 255:02X}"


def ip_text(index: int, port: int | str = 0) -> str:
    """Return the IPv4 address of a port of node `index`: 172.16.0.2 and up, as the target derives
    it, at port 1 10.1.0.2 and up: each port has a subnet of its own.

    `port` may be text that stands for the number of a further port.
    """
    low = index + 2
    return f"{'172.16' if port == 0 else f'10.{port}'}.{low >> 8 & 255}.{low & 255}"
