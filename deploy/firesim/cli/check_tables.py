# SPDX-License-Identifier: BSD-3-Clause
"""What `firesim runcheck` shows of a plan: tables for 80 columns, JSON for programs.

What is the same for all nodes is said once, above their table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table

from firesim.bind.hosts import Places, costs
from firesim.topology.plan import Plan, PlannedNode, PlannedSwitch

MOST_ROWS = 64
MOST_PORTS = 16


def placement_table(plan: Plan, places: Places) -> Table:
    """Return which host simulates what, its share of the cost, and which of its links are cut."""
    cost = costs(plan)
    table = Table(title="placement", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("host", overflow="fold")
    for heading in ("cores", "cost %", "links cut", "shortest"):
        table.add_column(heading, justify="right")
    table.add_column("parts", overflow="fold")
    for one in places.capacities:
        parts = [name for name, host in places.of_model.items() if host == one.name]
        cut = [link for link in plan.links if (link.a in parts) != (link.b in parts)]
        shortest = min((link.latency_cycles for link in cut), default=None)
        share = sum(cost[part] for part in parts) / sum(cost.values())
        more = [f"and {len(parts) - 12} more"] if len(parts) > 12 else []
        table.add_row(
            one.name,
            str(one.cores),
            f"{100 * share:.0f}",
            str(len(cut)),
            "-" if shortest is None else f"{shortest:,}",
            ", ".join(parts[:12] + more),
        )
    return table


def node_table(plan: Plan) -> Table:
    """Return the resolved nodes as a table; its title says what is the same for all."""
    columns: dict[str, Sequence[str]] = {
        "blade": [node.blade for node in plan.nodes],
        "engine": ["-" if node.traffic else node.engine for node in plan.nodes],
        "MiB": ["-" if node.traffic else str(node.memory_mib) for node in plan.nodes],
        "timing": [_timing(node) for node in plan.nodes],
        "Gb/s": [f"{_bandwidth_gbps(node):g}" for node in plan.nodes],
        "software": [_software(node) for node in plan.nodes],
    }
    shared, columns = _shared(columns)
    title = "nodes" + "".join(f"\n  {name}: {value}" for name, value in shared.items())
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("node", "MAC", "IP"):
        table.add_column(heading, no_wrap=True)
    for heading in columns:
        table.add_column(heading, overflow="fold")
    for index, node in enumerate(plan.nodes[:MOST_ROWS]):
        cells = [values[index] for values in columns.values()]
        table.add_row(node.name, "\n".join(node.macs), "\n".join(node.ips), *cells)
    if len(plan.nodes) > MOST_ROWS:
        table.caption = f"{len(plan.nodes) - MOST_ROWS} more nodes"
    return table


def _shared(
    columns: Mapping[str, Sequence[str]],
) -> tuple[dict[str, str], dict[str, Sequence[str]]]:
    """Return what is the same in all rows, without what none has, and the other columns."""
    same = {name: values[0] for name, values in columns.items() if len(set(values)) == 1}
    others = {name: values for name, values in columns.items() if name not in same}
    return {name: value for name, value in same.items() if value != "-"}, others


def _timing(node: PlannedNode) -> str:
    return "-" if not node.is_server or not node.kind.is_rtl else node.memory.timing.model


def _bandwidth_gbps(node: PlannedNode) -> float:
    return 200 * node.rate[0] / node.rate[1]


def _software(node: PlannedNode) -> str:
    """Return what runs on a node, with its words."""
    software = node.program or node.elf or node.linux or node.traffic or "-"
    return " ".join([str(software), *node.args, *([node.command] if node.command else [])])


def _reached(switch: PlannedSwitch) -> list[int]:
    """Return how many stations each port of a switch leads to."""
    reached = [0] * len(switch.ports)
    for port in switch.table.values():
        reached[port] += 1
    return reached


def switch_table(plan: Plan) -> Table:
    """Return the resolved switches as a table."""
    columns: dict[str, Sequence[str]] = {
        "kind": [switch.kind for switch in plan.switches],
        "switching cycles": [str(switch.switching_latency_cycles) for switch in plan.switches],
        "ports": [str(len(switch.ports)) for switch in plan.switches],
    }
    shared, columns = _shared(columns)
    title = "switches" + "".join(f"\n  {name}: {value}" for name, value in shared.items())
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("switch", no_wrap=True)
    for heading in (*columns, "port: peer (nodes reached)"):
        table.add_column(heading, overflow="fold")
    for index, switch in enumerate(plan.switches[:MOST_ROWS]):
        cells = [values[index] for values in columns.values()]
        reached = _reached(switch)
        ports = [f"{i}: {port.peer} ({reached[i]})" for i, port in enumerate(switch.ports)]
        more = [f"and {len(ports) - MOST_PORTS} more"] if len(ports) > MOST_PORTS else []
        table.add_row(switch.name, *cells, ", ".join(ports[:MOST_PORTS] + more))
    if len(plan.switches) > MOST_ROWS:
        table.caption = f"{len(plan.switches) - MOST_ROWS} more switches"
    return table


def plan_json(name: str, plan: Plan, hosts: Mapping[str, str]) -> str:
    """Return a plan as JSON; `hosts` are those of the parts by name, empty on this computer."""
    nodes = [
        {
            "name": node.name,
            "blade": node.blade,
            "engine": None if node.traffic else node.engine,
            "memory_mib": None if node.traffic else node.memory_mib,
            "mac": node.mac,
            **({"more_macs": list(node.macs[1:])} if node.more_nics else {}),
            "ip": node.ip,
            **({"more_ips": list(node.ips[1:])} if node.more_nics else {}),
            "bandwidth_gbps": _bandwidth_gbps(node),
            "software": _software(node),
        }
        for node in plan.nodes
    ]
    switches = [
        {
            "name": switch.name,
            "kind": switch.kind,
            "switching_latency_cycles": switch.switching_latency_cycles,
            "ports": [
                {"peer": port.peer, "nodes_reached": count}
                for port, count in zip(switch.ports, _reached(switch), strict=True)
            ],
        }
        for switch in plan.switches
    ]
    links = [
        {
            "name": link.name,
            "a": link.a,
            "b": link.b,
            "latency_cycles": link.latency_cycles,
            "bandwidth_gbps": link.bandwidth_gbps,
        }
        for link in plan.links
    ]
    content = {
        "name": name,
        "clock_hz": plan.clock_hz,
        "network": plan.run.network.mode,
        "nodes": nodes,
        "switches": switches,
        "links": links,
        "hosts": dict(hosts),
    }
    return json.dumps(content, indent=2)
