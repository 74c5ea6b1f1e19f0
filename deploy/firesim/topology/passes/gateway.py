# SPDX-License-Identifier: BSD-3-Clause
"""Put the gateway into a plan: a port of a switch, a link, and its place in every table.

It is not one of the nodes: it has no software, and no addresses are counted for it.
"""

from __future__ import annotations

from dataclasses import replace

from firesim_common.errors import unknown
from firesim_common.positions import KeyPath

from firesim.config.gateway import Forward
from firesim.config.loaded import Loaded
from firesim.topology.levels import levels
from firesim.topology.passes.validate import MAX_SWITCH_PORTS
from firesim.topology.plan import (
    Plan,
    PlannedForward,
    PlannedGateway,
    PlannedLink,
    PlannedPort,
    PlannedSwitch,
)
from firesim.topology.shape import Shape, link_name

NAME = "gateway"
MAC = "00:12:6D:FF:FF:FE"
NETWORK = "172.16.255.254/16"
SSH = "ssh"
"""Name of the forwards that `firesim ssh` uses."""
SSH_PORT = 22
BANDWIDTH_GBPS = 200.0


def add_gateway(loaded: Loaded, shape: Shape, plan: Plan, latency_cycles: int) -> Plan:
    """Return a plan whose tables are filled with the gateway, if there is to be one.

    Raises:
        InputError: no such switch or node, a switch without room, or its name or MAC is taken.
    """
    wanted = loaded.config.system.gateway
    if wanted is None:
        return plan
    _check_free(loaded, shape, plan)
    home = _home(loaded, shape, plan)
    port = len(home.ports)
    link = PlannedLink(
        link_name(NAME, home.name),
        NAME,
        0,
        home.name,
        port,
        wanted.latency_cycles or latency_cycles,
        BANDWIDTH_GBPS,
    )
    servers = [node.name for node in plan.servers if wanted.ssh]
    ssh = [Forward(node=name, port=SSH_PORT, name=SSH) for name in servers]
    # A network interface reaches every port of every node.
    chosen = [*(ssh if wanted.mode == "user" else []), *wanted.forwards]
    reached = [forward.node for forward in chosen if forward.port == SSH_PORT]
    gateway = PlannedGateway(
        NAME,
        MAC,
        NETWORK,
        tuple(_forward(loaded, plan, forward) for forward in chosen),
        tuple(servers if wanted.mode == "tap" else reached),
        wanted.mode,
        wanted.device,
        wanted.outgoing,
        wanted.poll_cycles,
        wanted.real_time_ratio,
    )
    switches = _switches(shape, plan, home)
    return replace(plan, gateway=gateway, switches=switches, links=(*plan.links, link))


def _check_free(loaded: Loaded, shape: Shape, plan: Plan) -> None:
    if NAME in (*shape.nodes, *shape.switches):
        raise loaded.error(
            shape.place(NAME),
            f'found the name "{NAME}", which is the gateway\'s, expected another.',
        )
    for node in plan.nodes:
        for port, mac in enumerate(node.macs):
            if mac != MAC:
                continue
            path: KeyPath = ("system", "nodes", node.name)
            raise loaded.error(
                (*path, "more_macs", port - 1) if port else (*path, "mac"),
                f'found "{MAC}", which is the gateway\'s, expected another.',
            )


def _home(loaded: Loaded, shape: Shape, plan: Plan) -> PlannedSwitch:
    """Return the switch the gateway is linked to."""
    wanted = loaded.config.system.gateway
    place = ("system", "gateway")
    name = wanted.switch if wanted else None
    if name is None and not shape.switches:
        raise loaded.error(place, "found no switch in the topology, expected one to link it to.")
    if name is None:
        name = max(plan.switches, key=lambda switch: switch.level).name
    elif name not in shape.switches:
        raise loaded.error((*place, "switch"), unknown(name, "one of the switches", shape.switches))
    home = next(switch for switch in plan.switches if switch.name == name)
    if len(home.ports) >= MAX_SWITCH_PORTS:
        raise loaded.error(
            place, f'found no free port at switch "{name}", expected fewer than {MAX_SWITCH_PORTS}.'
        )
    return home


def _switches(shape: Shape, plan: Plan, home: PlannedSwitch) -> tuple[PlannedSwitch, ...]:
    """Return the switches with the gateway's port, and its address along a shortest path."""
    port, names = len(home.ports), set(shape.switches)
    # A way between switches never leads through a node.
    between = {
        name: [peer for peer in shape.neighbours[name] if peer in names] for name in shape.switches
    }
    away = levels([home.name], between)

    def changed(switch: PlannedSwitch) -> PlannedSwitch:
        if switch is home:
            return replace(
                switch,
                ports=(*switch.ports, PlannedPort(NAME, (1, 1), switch.ports[0].buffer_bytes)),
                flood_ports=(*switch.flood_ports, port),
                table={**switch.table, MAC: port},
            )
        if switch.name not in away:
            return switch
        _, closest = min(
            (away[peer.peer], number)
            for number, peer in enumerate(switch.ports)
            if peer.peer in names
        )
        return replace(switch, table={**switch.table, MAC: closest})

    return tuple(map(changed, plan.switches))


def _forward(loaded: Loaded, plan: Plan, forward: Forward) -> PlannedForward:
    names = [node.name for node in plan.nodes]
    if forward.node not in names:
        raise loaded.error(
            ("system", "gateway", "forwards"), unknown(forward.node, "one of the nodes", names)
        )
    return PlannedForward(
        name=forward.name or "",
        node=forward.node,
        ip=plan.node(forward.node).ip,
        port=forward.port,
        host=forward.host,
        host_port=forward.host_port,
    )
