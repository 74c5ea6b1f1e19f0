# SPDX-License-Identifier: BSD-3-Clause
"""What `system.node` and `system.nodes` tell the bridges of each node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from firesim_common.positions import KeyPath

from firesim.config.system import System


def _layers(system: System, name: str) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """Yield where each kind of bridge is told something, the general first, and what."""
    special = system.nodes.get(name)
    for node, path in ((system.node, ("node",)), (special, ("nodes", name))):
        for kind, given in node.bridges.items() if node is not None else ():
            yield ("system", *path, "bridges", kind), given


def told_bridges(system: System, name: str) -> dict[str, dict[str, Any]]:
    """Return the settings of a node's bridges by kind; those of the single node replace others."""
    told: dict[str, dict[str, Any]] = {}
    for path, given in _layers(system, name):
        told.setdefault(str(path[-1]), {}).update(given)
    return told


def bridge_places(system: System, name: str) -> dict[str, KeyPath]:
    """Return where each is given, by `bridges.KIND` and `bridges.KIND.SETTING`."""
    places: dict[str, KeyPath] = {}
    for path, given in _layers(system, name):
        places[f"bridges.{path[-1]}"] = path
        places |= {f"bridges.{path[-1]}.{key}": (*path, key) for key in given}
    return places
