# SPDX-License-Identifier: BSD-3-Clause
"""From configuration to plan: settings of every node, switch and link, then the passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesim_common.positions import KeyPath

from firesim.config.load import Loaded, is_file
from firesim.config.memory import Memory
from firesim.config.system import STOCK_SWITCHES, TRAFFIC_BLADE, Link, Node, Switch
from firesim.config.workload import NO_TREE, Job
from firesim.topology.explicit import shape_of
from firesim.topology.passes.addresses import assign
from firesim.topology.passes.gateway import add_gateway
from firesim.topology.passes.network import lengthen_links
from firesim.topology.passes.observation import observe
from firesim.topology.passes.own_blades import own_blades
from firesim.topology.passes.placement import plan_placement
from firesim.topology.passes.tables import fill_tables, ports_of
from firesim.topology.passes.validate import validate
from firesim.topology.plan import Plan, PlannedLink, PlannedNode, PlannedPort, PlannedSwitch, Rate
from firesim.topology.shape import Shape, link_name
from firesim.units import cycles_of, rate

DEFAULT_LATENCY_CYCLES = 6400
DEFAULT_BANDWIDTH_GBPS = 200.0
DEFAULT_SWITCH = STOCK_SWITCHES[0]
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


def resolve(loaded: Loaded) -> Plan:
    """Return the plan for a configuration, all passes done.

    Raises:
        InputError: the system is not one that can be simulated.
    """
    shape = shape_of(loaded)
    validate(loaded, shape)
    plan = Plan(loaded.name, loaded.config.system.clock_hz, [], [], [])
    plan.own_blades = own_blades(loaded)
    bandwidth = _links(loaded, shape, plan)
    _nodes(loaded, shape, plan, bandwidth)
    _switches(loaded, shape, plan, bandwidth)
    fill_tables(shape, plan)
    add_gateway(loaded, shape, plan, _latency(loaded, None, ""))
    lengthen_links(loaded.config.simulation.network, shape, plan)
    observe(plan, loaded.config.simulation)
    plan_placement(loaded, plan)
    return plan


def _rate(loaded: Loaded, bandwidth_gbps: float, path: KeyPath) -> Rate:
    try:
        return rate(bandwidth_gbps)
    except ValueError as error:
        raise loaded.error(path, f"{error}.") from error


def _links(loaded: Loaded, shape: Shape, plan: Plan) -> dict[str, Rate]:
    """Plan the links; return the rate of each by name."""
    system = loaded.config.system
    rates: dict[str, Rate] = {}
    used = dict.fromkeys([*shape.nodes, *shape.switches], 0)
    for a, b in shape.links:
        name = link_name(a, b)
        key = name if name in system.links else link_name(b, a)
        special: Link | None = system.links.get(key)
        settings = _Settings((special, ("system", "links", key)), (system.link, ("system", "link")))
        bandwidth, where = settings.get("bandwidth_gbps", DEFAULT_BANDWIDTH_GBPS)
        rates[name] = _rate(loaded, bandwidth, where)
        latency = _latency(loaded, special, key)
        plan.links.append(PlannedLink(name, a, used[a], b, used[b], latency, bandwidth))
        used[a] += 1
        used[b] += 1
    return rates


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


def _nodes(loaded: Loaded, shape: Shape, plan: Plan, bandwidth: dict[str, Rate]) -> None:
    system, work = loaded.config.system, loaded.config.workload
    addresses = assign(loaded, shape)
    linux_mib: dict[str, int] = {}
    rate_of = {end: bandwidth[link.name] for link in plan.links for end in (link.a, link.b)}
    for index, name in enumerate(shape.nodes):
        special: Node | None = system.nodes.get(name)
        path: KeyPath = ("system", "nodes", name)
        hardware = _Settings((special, path), (system.node, ("system", "node")))
        job: Job | None = work.nodes.get(name)
        limit, where = hardware.get("nic_bandwidth_gbps")
        mac, ip = addresses[name]
        node = PlannedNode(
            name=name,
            index=index,
            blade=hardware.get("blade", DEFAULT_BLADE)[0],
            places={key: hardware.get(key)[1] for key in ("blade", "memory")},
            memory=hardware.get("memory", Memory())[0],
            memory_mib=DEFAULT_MEMORY_MIB,
            mac=mac,
            ip=ip,
            rate=rate_of.get(name, (1, 1)) if limit is None else _rate(loaded, limit, where),
        )
        if is_file("blade", node.blade):
            node.blade = str(loaded.file(node.places["blade"], node.blade))
        _traffic(loaded, node, hardware)
        _engine(loaded, plan, node)
        if node.traffic is None:
            _software(loaded, node, job, plan.own_blade(node) is not None)
            if node.linux and node.linux not in linux_mib:
                linux_mib[node.linux] = _linux_memory_mib(node.linux)
            usual_mib = linux_mib[node.linux] if node.linux else DEFAULT_MEMORY_MIB
            node.memory_mib = node.memory.size_mib or usual_mib
        plan.nodes.append(node)
    for node in plan.nodes:
        node.args = [_filled(loaded, plan, node, text, "args") for text in node.args]
        if node.command is not None:
            node.command = _filled(loaded, plan, node, node.command, "command")


def _linux_memory_mib(name: str) -> int:
    """Return the memory a Linux workload gets when none is configured."""
    from firesim_software.linux import LinuxError, description

    try:
        return max(LINUX_MEMORY_MIB, description.describe(name).memory_mib)
    except LinuxError:
        return LINUX_MEMORY_MIB  # It is refused when the plan is checked.


def _engine(loaded: Loaded, plan: Plan, node: PlannedNode) -> None:
    simulation = loaded.config.simulation
    special = simulation.engines.get(node.name)
    if special is not None and node.traffic is not None:
        place = ("simulation", "engines", node.name)
        text = f'found an engine for "{node.name}", expected none: it replays a traffic file.'
        raise loaded.error(place, text)
    if plan.own_blade(node) is not None:
        if special == "functional":
            text = (
                f'found the engine functional for "{node.name}", expected rtl: '
                f'the blade "{node.blade}" is your RTL and nothing else.'
            )
            raise loaded.error(("simulation", "engines", node.name), text)
        # A general choice of the functional engine is about blades that have one.
        special = special or ("rtl" if simulation.engine == "functional" else simulation.engine)
    node.engine = special or simulation.engine
    node.places["engine"] = (
        ("simulation", "engines", node.name)
        if node.name in simulation.engines
        else ("simulation", "engine")
    )


def _traffic(loaded: Loaded, node: PlannedNode, hardware: _Settings) -> None:
    file, where = hardware.get("traffic")
    if file is not None and node.blade != TRAFFIC_BLADE:
        raise loaded.error(
            where, f'found a traffic file for blade "{node.blade}", expected blade "traffic".'
        )
    if node.blade == TRAFFIC_BLADE:
        if file is None:
            _, where = hardware.get("blade")
            raise loaded.error(where, 'found blade "traffic", expected also the key "traffic".')
        node.traffic = loaded.file(where, file)
        if not node.traffic.is_file():
            raise loaded.error(where, f'found "{file}", expected a file that exists.')


def _software(loaded: Loaded, node: PlannedNode, job: Job | None, own_blade: bool) -> None:
    """Set what a node runs; a blade of the user's own runs what is named for it, if anything."""
    # A choice of the node's own job replaces the other choice of the general job.
    own = _Settings((job, ("workload", "nodes", node.name)))
    general = (loaded.config.workload.node, ("workload", "node"))
    software = own if own_blade else _Settings(*own.layers, general)
    pick: Callable[..., _Settings] = lambda *keys: (  # noqa: E731
        own if job is not None and any(getattr(job, key) for key in keys) else software
    )
    program = pick("program", "elf", "linux")
    node.program, node.places["program"] = program.get("program")
    node.linux, node.places["linux"] = program.get("linux")
    elf, where = program.get("elf")
    node.places["elf"] = where
    if elf is not None:
        node.elf = loaded.file(where, elf)
    if node.program is None and elf is None and node.linux is None and not own_blade:
        raise loaded.error(
            ("workload",),
            f'found no program for node "{node.name}", expected the key program, elf or linux.',
        )
    command, node.places["command"] = software.get("command")
    if node.linux is not None:
        node.command = command
    elif job is not None and job.command is not None:
        text = f'found a command for node "{node.name}", expected it only for Linux.'
        raise loaded.error(node.places["command"], text)
    arguments, node.places["args"] = software.get("args", [])
    node.args = list(arguments)
    _tree(loaded, node, software, own_blade)
    disk = pick("disk_image", "disk_sectors")
    image, where = disk.get("disk_image")
    node.places["disk_image"] = where
    if image is not None:
        node.disk_image = loaded.file(where, image)
    node.disk_sectors = disk.get("disk_sectors", 0)[0]


def _tree(loaded: Loaded, node: PlannedNode, software: _Settings, own_blade: bool) -> None:
    """Set the device tree of a node: which, whether at all, and where."""
    tree, where = software.get("device_tree")
    address, where_address = software.get("device_tree_address")
    node.places.update(device_tree=where, device_tree_address=where_address)
    node.has_device_tree = tree != NO_TREE
    node.device_tree_address = address if node.has_device_tree else None
    if tree is not None and node.has_device_tree:
        node.device_tree = loaded.file(where, tree)
    of_user = own_blade or node.elf is not None
    for is_chosen, text, place in (
        (not node.has_device_tree, f'device tree "{NO_TREE}"', where),
        (node.device_tree_address is not None, "device tree address", where_address),
    ):
        if is_chosen and not of_user:
            text = f'found a {text} for node "{node.name}", expected it only with the key elf.'
            raise loaded.error(place, text)


def _filled(loaded: Loaded, plan: Plan, node: PlannedNode, text: str, key: str) -> str:
    """Replace ${name.mac}, ${name.ip}, ${node.index}, ${nodes}, ... in an argument or command."""
    if "${" not in text:
        return text
    result = ""
    rest = text
    while "${" in rest:
        before, _, tail = rest.partition("${")
        word, closed, rest = tail.partition("}")
        value = _value(plan, node, word) if closed else None
        if value is None:
            what = "arguments" if key == "args" else "command"
            raise loaded.error(
                node.places[key],
                f'found "${{{word}}}" in the {what} of "{node.name}", '
                "expected ${NODE.mac}, .ip, .index or .name, ${node....} or ${nodes}.",
            )
        result += before + value
    return result + rest


def _value(plan: Plan, node: PlannedNode, word: str) -> str | None:
    """Return what a word between ${ and } stands for; `node` is the one whose text it is."""
    if word == "nodes":
        return str(len(plan.nodes))
    name, _, part = word.rpartition(".")
    if part not in ("mac", "ip", "index", "name"):
        return None
    try:
        return str(getattr(node if name == "node" else plan.node(name), part))
    except KeyError:
        return None


def _switches(loaded: Loaded, shape: Shape, plan: Plan, bandwidth: dict[str, Rate]) -> None:
    system = loaded.config.system
    peers = ports_of(shape)
    rate_of = {}
    for link in plan.links:
        rate_of[link.a, link.b] = rate_of[link.b, link.a] = bandwidth[link.name]
    for name in shape.switches:
        special: Switch | None = system.switches.get(name)
        path: KeyPath = ("system", "switches", name)
        settings = _Settings((special, path), (system.switch, ("system", "switch")))
        buffer_bytes = settings.get("buffer_bytes", DEFAULT_BUFFER_BYTES)[0]
        switch = PlannedSwitch(
            name=name,
            kind=settings.get("kind", DEFAULT_SWITCH)[0],
            switching_latency_cycles=settings.get(
                "switching_latency_cycles", DEFAULT_SWITCHING_CYCLES
            )[0],
            level=shape.levels.get(name, 1),
        )
        switch.ports = [
            PlannedPort(peer, rate_of[name, peer], buffer_bytes) for peer in peers[name]
        ]
        _switch_library(loaded, switch, special, settings)
        plan.switches.append(switch)


def _switch_library(
    loaded: Loaded, switch: PlannedSwitch, special: Switch | None, settings: _Settings
) -> None:
    """Plan what a switch of the user's is made from.

    A kind of a single switch replaces the settings of `system.switch`, too, since they are those
    of another kind, and a stock kind replaces its library.
    """
    own = _Settings((special, ("system", "switches", switch.name)))
    chosen = own if special is not None and special.kind is not None else settings
    from_file = own if chosen is own and switch.kind in STOCK_SWITCHES else settings
    library, switch.places["library"] = from_file.get("library")
    switch.settings, switch.places["settings"] = chosen.get("settings")
    switch.places["kind"] = settings.get("kind")[1]
    if library is not None:
        switch.library = loaded.file(switch.places["library"], library)
