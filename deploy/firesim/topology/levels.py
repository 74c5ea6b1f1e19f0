# SPDX-License-Identifier: BSD-3-Clause
"""Levels of switches: how many links away the nearest node is. A top-of-rack switch has 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def levels(nodes: Iterable[str], neighbours: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return the level of every model that a node reaches; nodes have 0."""
    found = dict.fromkeys(nodes, 0)
    front = list(found)
    while front:
        following: list[str] = []
        for name in front:
            for peer in neighbours.get(name, ()):
                if peer not in found:
                    found[peer] = found[name] + 1
                    following.append(peer)
        front = following
    return found
