# SPDX-License-Identifier: BSD-3-Clause
"""The shape of a system: names of nodes and switches, and links in port order."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from firesim_common.positions import KeyPath

from firesim.topology.levels import levels


@dataclass
class Shape:
    """Names and links before any setting is applied.

    The ports of a model are numbered from 0 in the order in which its links appear in `links`.
    """

    nodes: list[str] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    places: dict[str, KeyPath] = field(default_factory=dict)
    """Where in the configuration a name or a link ("a--b") was given; default: the topology."""

    @cached_property
    def neighbours(self) -> dict[str, list[str]]:
        """What each name is linked to, in port order; the shape must be complete."""
        found: dict[str, list[str]] = {name: [] for name in [*self.nodes, *self.switches]}
        for a, b in self.links:
            found[a].append(b)
            found[b].append(a)
        return found

    @cached_property
    def levels(self) -> dict[str, int]:
        """The level of each switch that a node reaches."""
        found = levels(self.nodes, self.neighbours)
        return {name: found[name] for name in self.switches if name in found}

    def place(self, name: str) -> KeyPath:
        """Return where in the configuration `name` was given."""
        return self.places.get(name, ("system", "topology"))


def link_name(a: str, b: str) -> str:
    """Return the name of the link between models `a` and `b`."""
    return f"{a}--{b}"
