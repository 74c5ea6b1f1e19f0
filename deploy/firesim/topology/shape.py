# SPDX-License-Identifier: BSD-3-Clause
"""The shape of a system: names of nodes and switches, and links in port order."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from firesim_common.positions import KeyPath

from firesim.topology.levels import levels

_BETWEEN = "--"


class End(NamedTuple):
    """One end of a link."""

    name: str
    """Of the node or switch."""
    port: int


@dataclass
class Shape:
    """Names and links before any setting is applied.

    An end of a link is a name, or `node:port`. The links of a model that say no port have the
    lowest ports that no other link says, in the order in which they appear in `links`.
    """

    nodes: list[str] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    places: dict[str, KeyPath] = field(default_factory=dict)
    """Where in the configuration a name or a link ("a--b") was given; default: the topology."""

    @cached_property
    def ends(self) -> list[tuple[End, End]]:
        """Both ends of each link; the shape must be complete."""
        said = [(split_end(a), split_end(b)) for a, b in self.links]
        taken: dict[str, set[int]] = {}
        for name, port in (end for pair in said for end in pair):
            if port is not None:
                taken.setdefault(name, set()).add(port)
        following: dict[str, int] = {}

        def end(name: str, port: int | None) -> End:
            if port is None:
                port = following.get(name, 0)
                while port in taken.get(name, ()):
                    port += 1
                following[name] = port + 1
            return End(name, port)

        return [(end(*a), end(*b)) for a, b in said]

    @cached_property
    def ports(self) -> dict[str, dict[int, End]]:
        """The other end of the link at each port of each name, in port order."""
        found: dict[str, dict[int, End]] = {name: {} for name in [*self.nodes, *self.switches]}
        for a, b in self.ends:
            found[a.name][a.port] = b
            found[b.name][b.port] = a
        return {name: dict(sorted(ports.items())) for name, ports in found.items()}

    @cached_property
    def neighbours(self) -> dict[str, list[str]]:
        """What each name is linked to, in port order; the shape must be complete."""
        return {name: [end.name for end in far.values()] for name, far in self.ports.items()}

    @cached_property
    def levels(self) -> dict[str, int]:
        """The level of each switch that a node reaches."""
        found = levels(self.nodes, self.neighbours)
        return {name: found[name] for name in self.switches if name in found}

    def place(self, name: str) -> KeyPath:
        """Return where in the configuration `name` was given."""
        return self.places.get(name, ("system", "topology"))


def split_end(text: str) -> tuple[str, int | None]:
    """Return the name at an end of a link, and the port if the end says one."""
    name, _, port = text.partition(":")
    return name, int(port) if port else None


def link_name(a: str, b: str) -> str:
    """Return the name of the link between two ends."""
    return f"{a}{_BETWEEN}{b}"


def ends_of(name: str) -> tuple[str, str]:
    """Return the ends of the link of this name, as the topology says them."""
    a, _, b = name.partition(_BETWEEN)
    return a, b
