# SPDX-License-Identifier: BSD-3-Clause
"""`system`: what is modelled. Topology, links, switches and the hardware of each node."""

from __future__ import annotations

from typing import Annotated, Any

from firesim_common.base import (
    MOST_PORTS,
    BladeName,
    LinkEnd,
    MacAddress,
    Name,
    Strict,
    StrictOrName,
)
from pydantic import Field, model_validator

from firesim.config.gateway import Gateway
from firesim.config.link_faults import LinkFaults
from firesim.config.memory import Memory
from firesim.config.own_blade import OwnBlade, PlusargName, PlusargValue

TRAFFIC_BLADE = "traffic"
"""The blade that has no RTL: it replays a traffic file."""

Gbps = Annotated[float, Field(gt=0, le=200)]
LatencyCycles = Annotated[int, Field(ge=1, lt=2**32)]
BufferBytes = Annotated[int, Field(ge=1536, le=1 << 30)]


class Link(Strict):
    """Both directions of a link."""

    latency_cycles: LatencyCycles | None = None
    """Target cycles from one end to the other (6,400 cycles of 3.2 GHz are 2 us)."""
    latency: str | None = None
    """The same as a time with a unit, such as "2us"; give one of the two."""
    bandwidth_gbps: Gbps | None = None
    """Most bandwidth in each direction, 200 at most."""
    faults: LinkFaults | None = None
    """Frames that are lost, doubled, late, out of order or corrupt (default: none)."""

    @model_validator(mode="after")
    def one_latency(self) -> Link:
        if self.latency is not None and self.latency_cycles is not None:
            raise ValueError("found latency and latency_cycles, expected one of the two.")
        return self


class Switch(Strict):
    """A switch."""

    kind: Name | None = None
    """The switch model, a folder of target-design/switch/kinds such as store_and_forward (default),
    cut_through and priority, or a kind of `library`."""
    library: str | None = None
    """File with switches of your own: C++ (.cc), which is compiled, or a shared object (.so)."""
    settings: dict[str, Any] | None = None
    """What the kind understands: of a kind of `library` any YAML, passed on as it is; of ours what
    its switch.yaml declares."""
    switching_latency_cycles: Annotated[int, Field(ge=1, lt=2**32)] | None = None
    """Cycles from the last token of a packet in to its first token out (default 10)."""
    buffer_bytes: BufferBytes | None = None
    """Most bytes waiting at each output port (default 524,288)."""


class Node(Strict):
    """The hardware of a node."""

    blade: BladeName | None = None
    """A blade of target-design/blades (default rocket-1), a blade file such as ./mine.yaml, one of
    `system.blades`, or "traffic": replays a traffic file."""
    memory: Memory | None = None
    """Memory of the blade."""
    nic_bandwidth_gbps: Gbps | None = None
    """Rate limit the NIC starts with (default: the bandwidth of its link)."""
    bridges: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings of the blade's bridges by the key of their kind, as their bridge.yaml declares:
    `{block_device: {latency_cycles: 9000}}`."""
    plusargs: dict[PlusargName, PlusargValue] = Field(default_factory=dict)
    """Options of a simulator's command line, beside those of its blade, one of `system.blades`, or
    in their place. Nodes with other values have models of their own."""
    mac: MacAddress | None = None
    """MAC address (default: assigned, 00:12:6D:00:00:02 for the first node and up)."""
    more_macs: list[MacAddress] = Field(default_factory=list, max_length=MOST_PORTS - 1)
    """MAC addresses of its further links, port 1 first (default: assigned, for the first node
    00:12:6D:01:00:02 at port 1)."""
    traffic: str | None = None
    """Traffic file a traffic node replays."""


Tree = dict[Name, "Tree | list[Name]"]


class Topology(StrictOrName):
    """A named topology, a tree, or a graph. A plain text is the name of a named topology.

    A switch has at most 1,024 ports. There are at most 3,000 switches; switches times nodes are at
    most 12 million, and switches times those with nodes 1 million, since each switch has a table
    of all nodes.
    """

    named: str | None = None
    """two_nodes, rack_8 (any number), tree_2_8 (root, 2 racks of 8), clos_2_8_2 (roots, nodes a
    rack, racks), fat_tree_4ary, planes_2_8 (switches, nodes linked to each), ring_8_2 (switches,
    nodes at each), mesh_4_4_1 and torus_4_4_1 (switches along each side, nodes at each)."""
    tree: dict[str, Any] | None = None
    """Switches by name; below each, either more switches or a list of node names."""
    nodes: list[Name] | None = None
    """Graph: names of the nodes."""
    switches: list[Name] | None = None
    """Graph: names of the switches."""
    links: list[list[LinkEnd]] | None = None
    """Graph: pairs [a, b]; ports are numbered in the order of this list, unless an end says the
    port of a node, as in [node0:1, tor0]. Any connected graph will do: frames take a path of fewest
    links through switches, broadcasts a spanning tree of these."""

    @model_validator(mode="before")
    @classmethod
    def from_name(cls, value: Any) -> Any:
        return {"named": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def one_form(self) -> Topology:
        graph = [self.nodes, self.switches, self.links]
        forms = [self.named is not None, self.tree is not None, any(x is not None for x in graph)]
        if sum(forms) != 1:
            given = [key for key, value in self if value is not None]
            raise ValueError(
                f"found {' and '.join(given) or 'no keys'}, "
                "expected one of: a name, a tree, or a graph of nodes, switches and links."
            )
        if forms[2] and any(x is None for x in graph):
            given = [key for key, value in self if value is not None]
            raise ValueError(
                f"found only {' and '.join(given)}, expected all of nodes, switches and links."
            )
        return self


class System(Strict):
    """What is modelled."""

    topology: Topology
    """How nodes and switches are linked."""
    clock_hz: Annotated[int, Field(ge=1_000_000, le=100_000_000_000)] = 3_200_000_000
    """The target clock of all links and blades."""
    link: Link = Link()
    """Every link."""
    switch: Switch = Switch()
    """Every switch."""
    node: Node = Node()
    """Every node."""
    blades: dict[Name, OwnBlade] = Field(default_factory=dict)
    """Blades of your own, by name: any Verilog."""
    links: dict[str, Link] = Field(default_factory=dict)
    """Single links, by name: "a--b" in the order of the topology."""
    switches: dict[Name, Switch] = Field(default_factory=dict)
    """Single switches, by name."""
    nodes: dict[Name, Node] = Field(default_factory=dict)
    """Single nodes, by name."""
    gateway: Gateway | None = None
    """A door to the host, for ssh among others; {} is one with all defaults."""
