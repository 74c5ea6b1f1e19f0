# SPDX-License-Identifier: BSD-3-Clause
"""The resolved system: every node, switch and link with every setting decided.

All of it is frozen: a step of the pipeline that decides more gives a new plan. The plan knows where
the user's files say each thing, so that nothing after it reads the configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

from firesim_common.errors import InputError
from firesim_common.positions import KeyPath

from firesim.config.hwdb import HwdbEntry
from firesim.config.loaded import Loaded
from firesim.config.memory import Memory
from firesim.config.simulation import Captures
from firesim.engines import DEFAULT, ENGINES, Engine, EngineKind
from firesim.topology.plan_blades import PlannedBlade
from firesim.topology.plan_run import Instruments, PlannedPlacement, PlannedRun

Rate = tuple[int, int]
"""k flits every p cycles."""


@dataclass(frozen=True)
class PlannedTohost:
    """Where a program has its symbols `tohost` and `fromhost`, by which it reaches the host."""

    tohost: int
    fromhost: int | None


@dataclass(frozen=True)
class PlannedReach:
    """How the FPGA that a node is on is reached, as the node's description says it."""

    key: str
    """Of the description, which a way of `sim/hostlib/ways` reads."""
    settings: Mapping[str, str | int]
    """Its value: a device of the node's host, and what the way has to know of it."""


@dataclass(frozen=True)
class PlannedImage:
    """What loads the FPGA that a node is on, before a run: a script that runs on its host."""

    script: Path
    """Of Python; it is sent there, and needs nothing of FireSim."""
    words: tuple[str, ...]
    """Its arguments."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """What it reads, by its name there."""


@dataclass(frozen=True)
class PlannedBitstream:
    """The bitstream of a node on an FPGA: its entry in the hardware database."""

    name: str
    entry: HwdbEntry


class Placed(Protocol):
    """A part of a plan that knows where the configuration says what of it."""

    @property
    def places(self) -> Mapping[str, KeyPath]:
        """Places by key."""


@dataclass(frozen=True)
class PlannedNic:
    """The NIC behind a port of a node."""

    mac: str
    ip: str
    rate: Rate


@dataclass(frozen=True)
class PlannedNode:
    """A node with its addresses, hardware and software."""

    name: str
    index: int
    blade: str
    memory: Memory
    memory_mib: int
    mac: str
    """At port 0, as the rate and the IP address."""
    ip: str
    rate: Rate
    more_nics: tuple[PlannedNic, ...] = ()
    """From port 1 on, up to the last port with a link; the blade may have more."""
    engine: Engine = DEFAULT
    program: str | None = None
    elf: Path | None = None
    linux: str | None = None
    command: str | None = None
    """What Linux runs; None = its workload's own command."""
    args: tuple[str, ...] = ()
    disk_image: Path | None = None
    disk_sectors: int = 0
    disk_outputs: tuple[str, ...] = ()
    """Files and folders of its disk that are wanted after the run."""
    device_tree: Path | None = None
    """Of the user; None = the blade's, if it has one."""
    has_device_tree: bool = True
    """False = no tree is put into memory, whatever the blade has."""
    device_tree_address: int | None = None
    """Byte address that the user chose for the tree; None = the blade's."""
    tohost: PlannedTohost | None = None
    """Of a program with these symbols; a blade with the part `htif` shows them (bind/tohost.py)."""
    traffic: Path | None = None
    instruments: Instruments = field(default_factory=Instruments)
    bridges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the configuration says of settings of its bridges; all others have their defaults."""
    reached_by: PlannedReach | None = None
    """Of a node on an FPGA, once it is bound to one (bind/fpgas.py)."""
    image: PlannedImage | None = None
    """Of a node on an FPGA that the manager loads."""
    bitstream: PlannedBitstream | None = None
    """Of a node on an FPGA: its entry in the hardware database."""
    in_supernode: bool = False
    """Of a node on an FPGA: it takes each of its cycles together with the others there."""
    places: Mapping[str, KeyPath] = field(default_factory=dict)
    """Where in the configuration blade, engine, memory and each part of the software were given,
    and where the node was first named for an instrument."""

    @property
    def kind(self) -> EngineKind:
        """What evaluates it, and all that depends on that."""
        return ENGINES[self.engine]

    @property
    def nics(self) -> tuple[PlannedNic, ...]:
        """By port."""
        return (PlannedNic(self.mac, self.ip, self.rate), *self.more_nics)

    @property
    def macs(self) -> tuple[str, ...]:
        """By port."""
        return tuple(nic.mac for nic in self.nics)

    @property
    def ips(self) -> tuple[str, ...]:
        """By port."""
        return tuple(nic.ip for nic in self.nics)

    @property
    def is_server(self) -> bool:
        """Whether it runs software; else it replays a traffic file."""
        return self.traffic is None

    @property
    def memory_bytes(self) -> int:
        """Size of the DRAM in bytes."""
        return self.memory_mib << 20


@dataclass(frozen=True)
class PlannedPort:
    """A switch port: what it leads to and how fast it may send."""

    peer: str
    rate: Rate
    buffer_bytes: int


@dataclass(frozen=True)
class PlannedSwitch:
    """A switch with its tables."""

    name: str
    kind: str
    switching_latency_cycles: int
    ports: tuple[PlannedPort, ...] = ()
    table: Mapping[str, int] = field(default_factory=dict)
    """MAC address to output port."""
    flood_ports: tuple[int, ...] = ()
    """Ports of the spanning tree: where broadcasts and unknown addresses go."""
    library: Path | None = None
    """The user's file with this kind; None for the kinds that come with FireSim."""
    settings: Mapping[str, Any] | None = None
    """What the user's kind is told."""
    level: int = 1
    """How many links away the nearest node is."""
    capture: Captures = False
    """Whether packets are captured, and whether at one side alone."""
    throughput_interval_cycles: int = 0
    """Cycles between two rows of throughput.csv; 0 = none."""
    places: Mapping[str, KeyPath] = field(default_factory=dict)
    """Where in the configuration kind, library and settings were given."""


@dataclass(frozen=True)
class PlannedLink:
    """A link between port `a_port` of model `a` and port `b_port` of model `b`."""

    name: str
    a: str
    a_port: int
    b: str
    b_port: int
    latency_cycles: int
    bandwidth_gbps: float
    faults: Mapping[str, Any] = field(default_factory=dict)
    """Faults of each direction, a_to_b and b_to_a, as the description has them."""
    place: KeyPath = ("system", "topology")
    """Where in the configuration it was given."""


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
    forwards: tuple[PlannedForward, ...]
    ssh_nodes: tuple[str, ...]
    """Nodes whose ssh is reached through it: their Linux is given the user's key."""
    mode: Literal["user", "tap"]
    device: str | None
    """The interface of mode tap."""
    outgoing: bool
    poll_cycles: int
    real_time_ratio: float


@dataclass(frozen=True)
class Plan:
    """The whole resolved system."""

    name: str
    clock_hz: int
    origin: Loaded = field(repr=False, compare=False)
    """The configuration, for `error` and `configuration`; nobody else reads it."""
    nodes: tuple[PlannedNode, ...] = ()
    switches: tuple[PlannedSwitch, ...] = ()
    links: tuple[PlannedLink, ...] = ()
    gateway: PlannedGateway | None = None
    own_blades: Mapping[str, PlannedBlade] = field(default_factory=dict)
    """The blades that the configuration describes, by name."""
    run: PlannedRun = field(default_factory=PlannedRun)
    """How it is run."""
    placement: PlannedPlacement = field(default_factory=PlannedPlacement)
    """Where it is run."""

    def error(self, part: Placed, key: str, text: str) -> InputError:
        """Return the error that points at what the user's files say of a part."""
        return self.error_at(part.places[key], text)

    def error_at(self, path: KeyPath, text: str) -> InputError:
        """Return the error that points at a key of the configuration."""
        return self.origin.error(path, text)

    def file_beside(self, path: KeyPath, text: str) -> Path:
        """Return the file that a key names, from the folder of the configuration on.

        Raises:
            InputError: no path can be written so.
        """
        return self.origin.folder / self.origin.source.file(path, text)

    def configuration(self) -> dict[str, Any]:
        """Return the configuration with every default filled in and every path absolute."""
        return self.origin.resolved()

    @cached_property
    def _by_name(self) -> dict[str, PlannedNode]:
        return {node.name: node for node in self.nodes}

    def node(self, name: str) -> PlannedNode:
        """Return the node called `name` (KeyError when there is none)."""
        return self._by_name[name]

    @property
    def servers(self) -> list[PlannedNode]:
        """The nodes that run software."""
        return [node for node in self.nodes if node.is_server]

    def evaluated(self, fits: Callable[[EngineKind], bool]) -> list[PlannedNode]:
        """Return the nodes that run software, on engines that fit."""
        return [node for node in self.servers if fits(node.kind)]

    @property
    def on_boards(self) -> list[PlannedNode]:
        """The nodes on FPGAs."""
        return self.evaluated(lambda kind: kind.on_board)

    def own_blade(self, node: PlannedNode) -> PlannedBlade | None:
        """Return the blade of a node if the configuration describes it, None if it is ours."""
        return self.own_blades.get(node.blade)

    def models(self) -> list[str]:
        """Return the names of all that is simulated: nodes, switches and the gateway."""
        gateway = [self.gateway.name] if self.gateway else []
        nodes, switches = self.nodes, self.switches
        return [part.name for part in nodes] + [part.name for part in switches] + gateway

    @cached_property
    def _linked_ports(self) -> dict[str, dict[int, PlannedLink]]:
        found: dict[str, dict[int, PlannedLink]] = {}
        for link in self.links:
            found.setdefault(link.a, {})[link.a_port] = link
            found.setdefault(link.b, {})[link.b_port] = link
        return found

    def links_at(self, name: str) -> dict[int, PlannedLink]:
        """Return the links that end at a model, by its ports."""
        return self._linked_ports.get(name, {})

    def blades(self, fits: Callable[[EngineKind], bool] = lambda kind: True) -> list[str]:
        """Return the names of the blades used, by nodes on engines that fit, sorted."""
        return sorted({node.blade for node in self.evaluated(fits)})

    def supernodes(self) -> list[str]:
        """Return the names of the nodes in supernodes; each needs a worker thread of its own.

        One that waits for a cycle keeps its thread until the others of its FPGA are there, too.
        """
        return [node.name for node in self.nodes if node.in_supernode]
