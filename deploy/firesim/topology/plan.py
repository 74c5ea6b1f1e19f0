# SPDX-License-Identifier: BSD-3-Clause
"""The resolved system: every node, switch and link with every setting decided.

After it nothing asks the configuration again, except where in it something was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from firesim_common.positions import KeyPath

from firesim.config.capture import Captured
from firesim.config.engine_names import Engine
from firesim.config.memory import Memory
from firesim.config.memory_hardware import MemoryHardware
from firesim.config.simulation import Captures
from firesim.topology.plan_run import Instruments, PlannedPlacement, PlannedRun

Rate = tuple[int, int]
"""k flits every p cycles."""


@dataclass(frozen=True)
class PlannedTraining:
    """What a blade of the user's own is trained with; None where there is nothing."""

    elf: Path | None
    device_tree: Path | None
    traffic: Path | None
    console: Path | None
    max_cycles: int


@dataclass(frozen=True)
class PlannedBridge:
    """A kind of bridge of the user's own."""

    declaration: Path
    driver: Path
    """A shared object, or C++ to be compiled."""
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class PlannedBlade:
    """A blade of the user's own, which the configuration describes."""

    name: str
    place: KeyPath
    """Where in the configuration it is described."""
    sources: tuple[Path, ...]
    top: str
    clock: str
    reset: str
    clock_ratios: Mapping[str, str]
    events: tuple[tuple[str, str, str, bool], ...]
    """Name, signal and description of each wire that is counted, and whether as a histogram."""
    include_dirs: tuple[Path, ...]
    defines: Mapping[str, str | None]
    parameters: Mapping[str, str]
    data_files: tuple[Path, ...]
    bridges: tuple[PlannedBridge, ...]
    memory_base: int
    device_tree: Path | None
    device_tree_address: int
    assertions: str
    training: PlannedTraining | None


REACHED_BY = ("serial_line", "pci_function", "xdma_card", "ethernet")
"""Of a node on an FPGA exactly one of these is known."""


@dataclass(frozen=True)
class PlannedLine:
    """The serial line of the FPGA that a node is on: a device of its host."""

    device: str
    bits_per_s: int


@dataclass(frozen=True)
class PlannedEthernet:
    """The IPv4 address of the FPGA that a node is on, and the port of UDP there and on its host."""

    address: str
    port: int


@dataclass(frozen=True)
class PlannedCard:
    """The card behind AMD's XDMA that a node is on."""

    device: str
    """What its devices begin with, on its host, as in /dev/xdma0; or the socket of a simulated
    one."""
    slot: int = 0
    """Which of the blades on the card it is."""


@dataclass(frozen=True)
class PlannedFunction:
    """The PCI function of the FPGA that a node is on."""

    device: str
    """Its folder in sysfs, on its host; or the socket of a simulated one."""
    id: str
    """Its vendor and device."""
    slot: int = 0
    """Which of the blades on the FPGA it is."""


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
    device_tree: Path | None = None
    """Of the user; None = the blade's, if it has one."""
    has_device_tree: bool = True
    """False = no tree is put into memory, whatever the blade has."""
    device_tree_address: int | None = None
    """Byte address that the user chose for the tree; None = the blade's."""
    traffic: Path | None = None
    instruments: Instruments = field(default_factory=Instruments)
    serial_line: PlannedLine | None = None
    """Of a node on an FPGA, once one was found for it (run/fpgas.py)."""
    pci_function: PlannedFunction | None = None
    """The same of an FPGA in the shell of F2; the next ones behind AMD's XDMA and on Ethernet."""
    xdma_card: PlannedCard | None = None
    ethernet: PlannedEthernet | None = None
    scan_chain: bool = False
    """Of a node on an FPGA: its bitstream has the scan chain, by which it is saved and restored."""
    captured: Captured | None = None
    """Of a node on an FPGA: the signals that its bitstream captures."""
    memory_hardware: MemoryHardware | None = None
    """Of a node on an FPGA: what its bitstream's memory in RTL has room for."""
    in_supernode: bool = False
    """Of a node on an FPGA: it takes each of its cycles together with the others there."""
    places: dict[str, KeyPath] = field(default_factory=dict)
    """Where in the configuration blade, engine, memory and each part of the software were given,
    and where the node was first named for an instrument."""

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
    library: Path | None = None
    """The user's file with this kind; None for the kinds that come with FireSim."""
    settings: dict[str, Any] | None = None
    """What the user's kind is told."""
    shared_object: Path | None = None
    """What is loaded for `library`, once that is built."""
    level: int = 1
    """How many links away the nearest node is."""
    capture: Captures = False
    """Whether packets are captured, and whether at one side alone."""
    throughput_interval_cycles: int = 0
    """Cycles between two rows of throughput.csv; 0 = none."""
    places: dict[str, KeyPath] = field(default_factory=dict)
    """Where in the configuration kind, library and settings were given."""


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
    mode: Literal["user", "tap"]
    device: str | None
    """The interface of mode tap."""
    outgoing: bool
    poll_cycles: int
    real_time_ratio: float


@dataclass
class Plan:
    """The whole resolved system."""

    name: str
    clock_hz: int
    nodes: list[PlannedNode]
    switches: list[PlannedSwitch]
    links: list[PlannedLink]
    gateway: PlannedGateway | None = None
    own_blades: Mapping[str, PlannedBlade] = field(default_factory=dict)
    """The blades that the configuration describes, by name."""
    run: PlannedRun = field(default_factory=PlannedRun)
    """How it is run."""
    placement: PlannedPlacement = field(default_factory=PlannedPlacement)
    """Where it is run."""

    def node(self, name: str) -> PlannedNode:
        """Return the node called `name` (KeyError when there is none)."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def own_blade(self, node: PlannedNode) -> PlannedBlade | None:
        """Return the blade of a node if the configuration describes it, None if it is ours."""
        return self.own_blades.get(node.blade)

    def models(self) -> list[str]:
        """Return the names of all that is simulated: nodes, switches and the gateway."""
        gateway = [self.gateway.name] if self.gateway else []
        nodes, switches = self.nodes, self.switches
        return [part.name for part in nodes] + [part.name for part in switches] + gateway

    def is_linked(self, name: str) -> bool:
        """Return whether a link ends at a model."""
        return any(name in (link.a, link.b) for link in self.links)

    def blades(self, engine: Engine | None = None) -> list[str]:
        """Return the names of the blades used (by nodes of one engine, when given), sorted."""
        servers = [node for node in self.nodes if node.traffic is None]
        return sorted({node.blade for node in servers if engine in (None, node.engine)})

    def supernodes(self) -> list[str]:
        """Return the names of the nodes in supernodes; each needs a worker thread of its own.

        One that waits for a cycle keeps its thread until the others of its FPGA are there, too.
        """
        return [node.name for node in self.nodes if node.in_supernode]

    def scanned_blades(self) -> list[str]:
        """Return the names of the blades whose bitstreams have a scan chain, sorted."""
        return sorted({node.blade for node in self.nodes if node.scan_chain})
