# SPDX-License-Identifier: BSD-3-Clause
"""A networkx graph as a topology; networkx itself is not imported here."""

from __future__ import annotations

from typing import Any, Protocol

from firesim_common.errors import InputError

KINDS = ("node", "switch")
OF_LINKS = ("latency", "latency_cycles", "bandwidth_gbps")


class Graph(Protocol):
    """What is used of a graph of networkx."""

    @property
    def nodes(self) -> Any:
        """The vertices, with their attributes."""

    @property
    def edges(self) -> Any:
        """The edges, with their attributes."""

    @property
    def degree(self) -> Any:
        """The number of edges of each vertex."""


def topology_of(graph: Graph, place: str) -> dict[str, Any]:
    """Return `system.topology` for a graph; errors point at `place`.

    Raises:
        InputError: a vertex is of no kind that there is.
    """
    names = _names(graph, place)
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for vertex, name in names.items():
        found[_kind(graph, vertex, place)].append(name)
    links = [[names[a], names[b]] for a, b in graph.edges()]
    return {"nodes": found["node"], "switches": found["switch"], "links": links}


def links_of(graph: Graph, place: str) -> dict[str, Any]:
    """Return `system.links` for a graph: what its edges say of themselves."""
    names = _names(graph, place)
    found = {}
    for a, b, said in graph.edges(data=True):
        if values := {key: said[key] for key in OF_LINKS if key in said}:
            found[f"{names[a]}--{names[b]}"] = values
    return found


def _kind(graph: Graph, vertex: Any, place: str) -> str:
    kind = graph.nodes[vertex].get("kind", "node" if graph.degree[vertex] == 1 else "switch")
    if kind not in KINDS:
        raise InputError(f'{place}: vertex {vertex}: found kind "{kind}", expected node or switch.')
    return str(kind)


def _names(graph: Graph, place: str) -> dict[Any, str]:
    """Return the name of each vertex."""
    found = {}
    for vertex in graph.nodes():
        number = isinstance(vertex, int)
        found[vertex] = f"{_kind(graph, vertex, place)}{vertex}" if number else str(vertex)
    if len(set(found.values())) < len(found):
        raise InputError(f"{place}: found vertices of one name, expected each name once.")
    return found
