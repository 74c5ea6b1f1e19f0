"""The resolved system: every node, switch and link with every setting decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from firesim.config.engine_names import Engine
from firesim.config.memory import Memory
from firesim.config.positions import KeyPath

Rate = tuple[int, int]
"""k flits every p cycles."""


@dataclass
class PlannedNode:
    """A node with its addresses, hardware and software."""

    name: str
    index: int
    blade: str
    memory: Memory
    memory_mib: int
    mac: str
    ip: str
    rate: Rate
    engine: Engine = "rtl"
    program: str | None = None
    elf: Path | None = None
    linux: str | None = None
    command: str | None = None
    """What Linux runs; None = its workload's own command."""
    args: list[str] = field(default_factory=list)
    disk_image: Path | None = None
    disk_sectors: int = 0
    traffic: Path | None = None
    host: str = "local"
    places: dict[str, KeyPath] = field(default_factory=dict)
    """Where in the configuration blade, engine, memory and each part of the software were given."""

    @property
    def memory_bytes(self) -> int:
        """Size of the DRAM in bytes."""
        return self.memory_mib << 20


@dataclass
class PlannedPort:
    """A switch port: what it leads to and how fast it may send."""

    peer: str
    rate: Rate
    buffer_bytes: int


@dataclass
class PlannedSwitch:
    """A switch with its tables."""

    name: str
    kind: str
    switching_latency_cycles: int
    ports: list[PlannedPort] = field(default_factory=list)
    table: dict[str, int] = field(default_factory=dict)
    """MAC address to output port."""
    flood_ports: list[int] = field(default_factory=list)
    """Ports of the spanning tree: where broadcasts and unknown addresses go."""
    host: str = "local"


@dataclass
class PlannedLink:
    """A link between port `a_port` of model `a` and port `b_port` of model `b`."""

    name: str
    a: str
    a_port: int
    b: str
    b_port: int
    latency_cycles: int
    bandwidth_gbps: float


@dataclass(frozen=True)
class PlannedForward:
    """A port of the host that leads to a port of a node."""

    name: str
    node: str
    ip: str
    port: int
    host: str
    host_port: int


@dataclass(frozen=True)
class PlannedGateway:
    """The gateway; its link and its port are among the plan's."""

    name: str
    mac: str
    network: str
    """Its address with the length of the network, as 172.16.255.254/16."""
    forwards: list[PlannedForward]
    ssh_nodes: list[str]
    """Nodes whose ssh is reached through it: their Linux is given the user's key."""


@dataclass
class Plan:
    """The whole resolved system."""

    name: str
    clock_hz: int
    nodes: list[PlannedNode]
    switches: list[PlannedSwitch]
    links: list[PlannedLink]
    gateway: PlannedGateway | None = None

    def node(self, name: str) -> PlannedNode:
        """Return the node called `name` (KeyError when there is none)."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def blades(self, engine: Engine | None = None) -> list[str]:
        """Return the names of the blades used (by nodes of one engine, when given), sorted."""
        servers = [node for node in self.nodes if node.traffic is None]
        return sorted({node.blade for node in servers if engine in (None, node.engine)})
