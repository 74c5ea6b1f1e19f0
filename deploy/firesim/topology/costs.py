# SPDX-License-Identifier: BSD-3-Clause
"""What it costs to simulate each part, and to have a link between two hosts."""

from __future__ import annotations

from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.json_text import read_json

from firesim.topology.plan import Plan, PlannedNode, PlannedSwitch

TRAFFIC_NS = PORT_NS = 0.5
"""Time that a traffic generator, and a port of a switch, take for a busy cycle on one core; that of
a blade is its engine's."""
SHORTEST_CUT_CYCLES = 3
"""Latency of the shortest link that two processes can share."""
CUT_NS = 20_000.0
"""What a message between two hosts takes of both, as measured for ZeroMQ."""
SYNCHRONISATIONS = 3
"""Messages for each latency of the shortest link."""


def stated_costs(plan: Plan) -> dict[str, float]:
    """Return the stated cost of each part, in ns of one core for a target cycle, by name."""
    costs = {node.name: _node_ns(node) for node in plan.nodes}
    costs |= {switch.name: _switch_ns(switch) for switch in plan.switches}
    return costs | ({plan.gateway.name: 1.0} if plan.gateway else {})


def _node_ns(node: PlannedNode) -> float:
    return node.kind.ns_per_cycle if node.is_server else TRAFFIC_NS


def _switch_ns(switch: PlannedSwitch) -> float:
    return PORT_NS * max(1, len(switch.ports))


def measured_costs(folder: Path, plan: Plan) -> dict[str, float]:
    """Return the cost of each part, in ns of one core for a cycle, as an earlier run measured it.

    Parts that the run did not have cost what is stated.

    Raises:
        InputError: the folder has no whole result.
    """
    try:
        result = read_json(folder / "result.json")
        parts = [*result["nodes"], *result.get("switches", [])]
        measured = {
            str(part["name"]): float(part["cpu_s"]) * 1e9 / int(part["cycles"])
            for part in parts
            if int(part.get("cycles", 0)) > 0
        }
    except (InputError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{folder / 'result.json'}: found no whole result, expected one."
        ) from error
    return {name: measured.get(name, stated) for name, stated in stated_costs(plan).items()}


def cut_cost(latency_cycles: int) -> float:
    """Return what it costs that a link is cut, in ns for a target cycle.

    All links between two hosts share a message, so this is what a cut that has only this link
    costs: a pessimistic figure, which keeps cuts few and among long links.
    """
    return CUT_NS * SYNCHRONISATIONS / latency_cycles
