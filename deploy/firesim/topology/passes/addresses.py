# SPDX-License-Identifier: BSD-3-Clause
"""Give each node its MAC and IP address; refuse duplicates."""

from __future__ import annotations

from firesim.config.loaded import Loaded
from firesim.topology.shape import Shape


def assign(loaded: Loaded, shape: Shape) -> dict[str, tuple[str, str]]:
    """Return name to (MAC, IP); a MAC in the configuration wins over the assigned one.

    Raises:
        InputError: two nodes with one MAC, or a group or null MAC.
    """
    owner: dict[str, str] = {}
    result: dict[str, tuple[str, str]] = {}
    given = {name: node.mac for name, node in loaded.config.system.nodes.items() if node.mac}
    number = {name: index for index, name in enumerate(shape.nodes)}
    # Given addresses first, so that the message points at the line that can be changed.
    for name in sorted(shape.nodes, key=lambda node: node not in given):
        index = number[name]
        path = ("system", "nodes", name, "mac")
        mac = given.get(name, "").upper()
        if not mac:
            continue
        if int(mac[:2], 16) & 1 or mac == "00:00:00:00:00:00":
            raise loaded.error(
                path, f'found "{mac}", expected the address of one node, not of a group.'
            )
        if mac in owner:
            raise loaded.error(
                path, f'found "{mac}", which "{owner[mac]}" already has, expected another.'
            )
        owner[mac] = name
        result[name] = (mac, ip_text(index))
    for index, name in enumerate(shape.nodes):
        if name in result:
            continue
        mac = mac_text(index)
        if mac in owner:
            path = ("system", "nodes", owner[mac], "mac")
            raise loaded.error(
                path, f'found "{mac}", which "{name}" already has, expected another.'
            )
        owner[mac] = name
        result[name] = (mac, ip_text(index))
    return result


def mac_text(index: int) -> str:
    """Return the MAC address of node `index` (0 is the first): 00:12:6D:00:00:02 and up."""
    low = index + 2
    return f"00:12:6D:{low >> 16 & 255:02X}:{low >> 8 & 255:02X}:{low & 255:02X}"


def ip_text(index: int) -> str:
    """Return the IPv4 address of node `index`: 172.16.0.2 and up, as the target derives it."""
    low = index + 2
    return f"172.16.{low >> 8 & 255}.{low & 255}"
