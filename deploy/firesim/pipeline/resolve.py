# SPDX-License-Identifier: BSD-3-Clause
"""The second step: from configuration to plan, settings of every node, switch and link decided.

After it nobody reads the configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firesim_common.positions import KeyPath
from firesim_common.settings import with_defaults

from firesim.build.switches import switch_kind, switch_names
from firesim.config.loaded import Loaded, is_file
from firesim.config.memory import Memory
from firesim.config.system import TRAFFIC_BLADE, Link, Node, Switch
from firesim.config.workload import NO_TREE, Job
from firesim.engines import DEFAULT, ENGINES
from firesim.topology.explicit import shape_of
from firesim.topology.passes.addresses import assign
from firesim.topology.passes.bridges import bridge_places, told_bridges
from firesim.topology.passes.faults import faulty_links
from firesim.topology.passes.gateway import add_gateway
from firesim.topology.passes.network import lengthen_links
from firesim.topology.passes.node_plusargs import with_plusargs
from firesim.topology.passes.observation import observe
from firesim.topology.passes.own_blades import own_blades, trained_by_nodes
from firesim.topology.passes.placement import planned_placement
from firesim.topology.passes.software import check_tree, disk_outputs
from firesim.topology.passes.tables import fill_tables
from firesim.topology.passes.validate import validate
from firesim.topology.passes.words import with_words
from firesim.topology.plan import (
    Plan,
    PlannedLink,
    PlannedNic,
    PlannedNode,
    PlannedPort,
    PlannedSwitch,
    Rate,
)
from firesim.topology.plan_blades import PlannedBlade
from firesim.topology.shape import Shape, link_name
from firesim.units import cycles_of, rate

DEFAULT_LATENCY_CYCLES = 6400
DEFAULT_BANDWIDTH_GBPS = 200.0
DEFAULT_SWITCH = "store_and_forward"
DEFAULT_SWITCHING_CYCLES = 10
DEFAULT_BUFFER_BYTES = 524_288
DEFAULT_BLADE = "rocket-1"
DEFAULT_MEMORY_MIB, LINUX_MEMORY_MIB = 256, 64


class _Settings:
    """Looks a key up in the layers special, general, built-in default."""

    def __init__(self, *layers: tuple[Any, KeyPath]) -> None:
        self.layers = layers

    def get(self, key: str, default: Any = None) -> tuple[Any, KeyPath]:
        """Return the value of the first layer that has one, and its place."""
        for layer, path in self.layers:
            value = getattr(layer, key) if layer is not None else None
            if value is not None:
                return value, (*path, key)
        return default, self.layers[-1][1]


@dataclass(frozen=True)
class _Links:
    """The links of a system, and the rate of each by name."""

    links: tuple[PlannedLink, ...]
    rates: Mapping[str, Rate]

    def by_end(self) -> dict[tuple[str, int], Rate]:
        """Return the rate at each port of each model."""
        ends = {(link.a, link.a_port): self.rates[link.name] for link in self.links}
        return ends | {(link.b, link.b_port): self.rates[link.name] for link in self.links}


def resolve(loaded: Loaded) -> Plan:
    """Return the plan for a configuration, all passes done.

    Raises:
        InputError: the system is not one that can be simulated.
    """
    shape = shape_of(loaded)
    validate(loaded, shape)
    blades = own_blades(loaded)
    links = _links(loaded, shape)
    nodes = _nodes(loaded, shape, blades, links)
    plan = Plan(
        name=loaded.name,
        clock_hz=loaded.config.system.clock_hz,
        origin=loaded,
        nodes=nodes,
        switches=fill_tables(shape, nodes, _switches(loaded, shape, links)),
        links=links.links,
        own_blades=trained_by_nodes(loaded, blades, nodes),
    )
    plan = with_plusargs(loaded, plan)
    plan = faulty_links(loaded, shape, plan)
    plan = add_gateway(loaded, shape, plan, _latency(loaded, None, ""))
    plan = lengthen_links(loaded.config.simulation.network, shape, plan)
    plan = observe(plan, loaded.config.simulation)
    return replace(plan, placement=planned_placement(loaded, plan))


def _rate(loaded: Loaded, bandwidth_gbps: float, path: KeyPath) -> Rate:
    try:
        return rate(bandwidth_gbps)
    except ValueError as error:
        raise loaded.error(path, f"{error}.") from error


def _links(loaded: Loaded, shape: Shape) -> _Links:
    system = loaded.config.system
    rates: dict[str, Rate] = {}
    links: list[PlannedLink] = []
    for (a, b), ends in zip(shape.links, shape.ends, strict=True):
        name = link_name(a, b)
        key = name if name in system.links else link_name(b, a)
        special: Link | None = system.links.get(key)
        settings = _Settings((special, ("system", "links", key)), (system.link, ("system", "link")))
        bandwidth, where = settings.get("bandwidth_gbps", DEFAULT_BANDWIDTH_GBPS)
        rates[name] = _rate(loaded, bandwidth, where)
        latency = _latency(loaded, special, key)
        place = shape.place(name)
        links.append(PlannedLink(name, *ends[0], *ends[1], latency, bandwidth, place=place))
    return _Links(tuple(links), rates)


def _latency(loaded: Loaded, special: Link | None, key: str) -> int:
    """Return the latency of a link in cycles; a single link's setting replaces either form."""
    layers = [(special, ("system", "links", key)), (loaded.config.system.link, ("system", "link"))]
    for layer, path in layers:
        if layer is None:
            continue
        if layer.latency_cycles is not None:
            return layer.latency_cycles
        if layer.latency is not None:
            where = (*path, "latency")
            try:
                cycles = cycles_of(layer.latency, loaded.config.system.clock_hz)
            except ValueError as error:
                raise loaded.error(where, f"{error}.") from error
            if not 1 <= cycles < 2**32:
                raise loaded.error(where, f'found "{layer.latency}", expected at least one cycle.')
            return cycles
    return DEFAULT_LATENCY_CYCLES


def _nodes(
    loaded: Loaded, shape: Shape, blades: Mapping[str, PlannedBlade], links: _Links
) -> tuple[PlannedNode, ...]:
    system = loaded.config.system
    addresses = assign(loaded, shape)
    linux_mib: dict[str, int] = {}
    usual_memory = Memory()
    rate_of = links.by_end()
    nodes = []
    for index, name in enumerate(shape.nodes):
        special: Node | None = system.nodes.get(name)
        path: KeyPath = ("system", "nodes", name)
        hardware = _Settings((special, path), (system.node, ("system", "node")))
        limit, where = hardware.get("nic_bandwidth_gbps")
        blade, blade_place = hardware.get("blade", DEFAULT_BLADE)
        memory, memory_place = hardware.get("memory", usual_memory)
        macs, ips = addresses[name]
        nics = [
            PlannedNic(
                mac,
                ip,
                rate_of.get((name, port), (1, 1)) if limit is None else _rate(loaded, limit, where),
            )
            for port, (mac, ip) in enumerate(zip(macs, ips, strict=True))
        ]
        node = PlannedNode(
            name=name,
            index=index,
            blade=str(loaded.file(blade_place, blade)) if is_file("blade", blade) else blade,
            places={"blade": blade_place, "memory": memory_place, **bridge_places(system, name)},
            bridges=told_bridges(system, name),
            memory=memory,
            memory_mib=DEFAULT_MEMORY_MIB,
            mac=nics[0].mac,
            ip=nics[0].ip,
            rate=nics[0].rate,
            more_nics=tuple(nics[1:]),
        )
        is_own = node.blade in blades
        node = _with_engine(loaded, _with_traffic(loaded, node, hardware), is_own)
        if node.is_server:
            node = _with_software(loaded, node, is_own)
            if node.linux and node.linux not in linux_mib:
                linux_mib[node.linux] = _linux_memory_mib(node.linux)
            usual_mib = linux_mib[node.linux] if node.linux else DEFAULT_MEMORY_MIB
            if is_own and (said_mib := blades[node.blade].memory_mib):
                usual_mib = said_mib
            node = replace(node, memory_mib=node.memory.size_mib or usual_mib)
        nodes.append(node)
    by_name = {node.name: node for node in nodes}
    return tuple(with_words(loaded, by_name, node) for node in nodes)


def _linux_memory_mib(name: str) -> int:
    """Return the memory a Linux workload gets when none is configured."""
    from firesim_software.linux import LinuxError, description

    try:
        return max(LINUX_MEMORY_MIB, description.describe(name).memory_mib)
    except LinuxError:
        return LINUX_MEMORY_MIB  # It is refused when the plan is checked.


def _with_engine(loaded: Loaded, node: PlannedNode, is_own: bool) -> PlannedNode:
    simulation = loaded.config.simulation
    special = simulation.engines.get(node.name)
    place: KeyPath = ("simulation", "engines", node.name)
    if special is not None and not node.is_server:
        text = f'found an engine for "{node.name}", expected none: it replays a traffic file.'
        raise loaded.error(place, text)
    if is_own:
        if special is not None and not ENGINES[special].is_rtl:
            text = (
                f'found the engine {special} for "{node.name}", expected {DEFAULT}: '
                f'the blade "{node.blade}" is your RTL and nothing else.'
            )
            raise loaded.error(place, text)
        # A general choice of an engine without RTL is about blades that have such a model.
        special = special or (simulation.engine if ENGINES[simulation.engine].is_rtl else DEFAULT)
    if node.name not in simulation.engines:
        place = ("simulation", "engine")
    return replace(
        node, engine=special or simulation.engine, places={**node.places, "engine": place}
    )


def _with_traffic(loaded: Loaded, node: PlannedNode, hardware: _Settings) -> PlannedNode:
    file, where = hardware.get("traffic")
    if file is not None and node.blade != TRAFFIC_BLADE:
        raise loaded.error(
            where, f'found a traffic file for blade "{node.blade}", expected blade "traffic".'
        )
    if node.blade != TRAFFIC_BLADE:
        return node
    if file is None:
        _, where = hardware.get("blade")
        raise loaded.error(where, 'found blade "traffic", expected also the key "traffic".')
    traffic = loaded.file(where, file)
    if not traffic.is_file():
        raise loaded.error(where, f'found "{file}", expected a file that exists.')
    return replace(node, traffic=traffic)


def _with_software(loaded: Loaded, node: PlannedNode, is_own: bool) -> PlannedNode:
    """Set what a node runs; a user's blade runs what is named for it, if anything."""
    work = loaded.config.workload
    job: Job | None = work.nodes.get(node.name)
    # A choice of the node's own job replaces the other choice of the general job.
    own = _Settings((job, ("workload", "nodes", node.name)))
    software = own if is_own else _Settings(*own.layers, (work.node, ("workload", "node")))
    pick: Callable[..., _Settings] = lambda *keys: (  # noqa: E731
        own if job is not None and any(getattr(job, key) for key in keys) else software
    )
    program, disk = pick("program", "elf", "linux"), pick("disk_image", "disk_sectors")
    found = {key: program.get(key) for key in ("program", "linux", "elf")}
    found |= {"disk_image": disk.get("disk_image"), "args": software.get("args", [])}
    found["disk_outputs"] = software.get("disk_outputs", [])
    found |= {key: software.get(key) for key in ("command", "device_tree", "device_tree_address")}
    value = {key: one for key, (one, _) in found.items()}
    place = {key: where for key, (_, where) in found.items()}
    linux = value["linux"]
    if not is_own and value["program"] is None and value["elf"] is None and linux is None:
        raise loaded.error(
            ("workload",),
            f'found no program for node "{node.name}", expected the key program, elf or linux.',
        )
    if linux is None and job is not None and job.command is not None:
        text = f'found a command for node "{node.name}", expected it only for Linux.'
        raise loaded.error(place["command"], text)
    check_tree(loaded, node.name, found, is_own or value["elf"] is not None)

    def file(key: str) -> Path | None:
        return loaded.file(place[key], value[key]) if is_file(key, value[key]) else None

    has_tree = value["device_tree"] != NO_TREE
    return replace(
        node,
        program=value["program"],
        linux=linux,
        command=None if linux is None else value["command"],
        args=tuple(value["args"]),
        disk_sectors=disk.get("disk_sectors", 0)[0],
        has_device_tree=has_tree,
        device_tree_address=value["device_tree_address"] if has_tree else None,
        elf=file("elf"),
        device_tree=file("device_tree"),
        disk_image=file("disk_image"),
        disk_outputs=disk_outputs(loaded, node.name, found),
        places={**node.places, **place},
    )


def _switches(loaded: Loaded, shape: Shape, links: _Links) -> Sequence[PlannedSwitch]:
    system = loaded.config.system
    rate_of = links.by_end()
    switches = []
    for name in shape.switches:
        special: Switch | None = system.switches.get(name)
        path: KeyPath = ("system", "switches", name)
        settings = _Settings((special, path), (system.switch, ("system", "switch")))
        buffer_bytes, _ = settings.get("buffer_bytes", DEFAULT_BUFFER_BYTES)
        kind, kind_place = settings.get("kind", DEFAULT_SWITCH)
        latency, _ = settings.get("switching_latency_cycles", DEFAULT_SWITCHING_CYCLES)
        switch = PlannedSwitch(
            name=name,
            kind=kind,
            switching_latency_cycles=latency,
            level=shape.levels.get(name, 1),
            ports=tuple(
                PlannedPort(peer, rate_of[name, port], buffer_bytes)
                for port, peer in enumerate(shape.neighbours[name])
            ),
            places={"kind": kind_place},
        )
        switches.append(_with_library(loaded, switch, special, settings))
    return switches


def _with_library(
    loaded: Loaded, switch: PlannedSwitch, special: Switch | None, settings: _Settings
) -> PlannedSwitch:
    """Plan what a user's switch is made from.

    A kind of a single switch replaces the settings of `system.switch`, too, since they are those
    of another kind, and a stock kind replaces its library.
    """
    own = _Settings((special, ("system", "switches", switch.name)))
    chosen = own if special is not None and special.kind is not None else settings
    is_ours = switch.kind in switch_names()
    from_file = own if chosen is own and is_ours else settings
    library, library_place = from_file.get("library")
    told, settings_place = chosen.get("settings")
    if is_ours and (declared := switch_kind(switch.kind).settings):
        told = with_defaults(declared, told or {})
    return replace(
        switch,
        settings=told,
        library=None if library is None else loaded.file(library_place, library),
        places={**switch.places, "library": library_place, "settings": settings_place},
    )
