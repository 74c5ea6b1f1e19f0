# SPDX-License-Identifier: BSD-3-Clause
"""The objects of a recipe, made in Python; each has the keys that its mapping has in YAML."""

from __future__ import annotations

from typing import Any

from firesim_common.errors import InputError
from firesim_common.explain import explain
from firesim_common.positions import Source
from pydantic import BaseModel, ValidationError

from firesim.api.graph import Graph, links_of, topology_of
from firesim.api.place import callers_place
from firesim.config import gateway, memory, simulation, system, workload


class _Checked(BaseModel):
    """Says what is wrong with an object as an InputError with the line that makes it."""

    def __init__(self, **values: Any) -> None:
        """Check the values.

        Raises:
            InputError: a value or key is wrong.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            source = Source(values, callers_place())
            raise InputError(explain(error, type(self), source)) from error


class Memory(_Checked, memory.Memory):
    """`memory` of a node."""


class Node(_Checked, system.Node):
    """The hardware of a node."""


class Link(_Checked, system.Link):
    """Both directions of a link."""


class Switch(_Checked, system.Switch):
    """A switch."""


class Topology(_Checked, system.Topology):
    """A named topology, a tree, or a graph."""


class Gateway(_Checked, gateway.Gateway):
    """A door to the host."""


class System(_Checked, system.System):
    """What is modelled."""

    @classmethod
    def of_graph(cls, graph: Graph, **values: Any) -> System:
        """Return a system whose topology is a networkx graph; `values` are its other keys.

        A vertex is what its attribute `kind` says, "node" or "switch"; without one, a vertex with
        one edge is a node and any other a switch. A name that is a number n becomes noden or
        switchn. Attributes `latency`, `latency_cycles` and `bandwidth_gbps` of an edge are its
        link's.

        Raises:
            InputError: a vertex or a value is wrong.
        """
        place = callers_place()
        topology = Topology(**topology_of(graph, place))
        links = {**links_of(graph, place), **values.pop("links", {})}
        return cls(topology=topology, links=links, **values)


class Job(_Checked, workload.Job):
    """The software of a node."""


class Workload(_Checked, workload.Workload):
    """What software runs where."""


class Simulation(_Checked, simulation.Simulation):
    """How a system is simulated, and what is observed."""


class Placement(_Checked, simulation.Placement):
    """Where a system is simulated."""
