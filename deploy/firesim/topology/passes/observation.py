# SPDX-License-Identifier: BSD-3-Clause
"""Decide how the system is run and what is observed of each node and switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from firesim_common.positions import KeyPath

from firesim.config.simulation import OF_ONE_NODE, Simulation
from firesim.topology.plan import Plan, PlannedNode
from firesim.topology.plan_run import Instruments, PlannedRun


def observe(plan: Plan, simulation: Simulation) -> Plan:
    """Return a plan with its `run`, instruments of nodes, captures and throughput of switches.

    The names of nodes below `simulation` are those of the plan's.
    """
    run = PlannedRun(**{key.name: getattr(simulation, key.name) for key in fields(PlannedRun)})
    named = {kind: _by_node(getattr(simulation, kind)) for kind in OF_ONE_NODE}
    traced = None if simulation.tracing.nodes is None else set(simulation.tracing.nodes)
    places = _places(simulation)

    def observed(node: PlannedNode) -> PlannedNode:
        mine = {kind: ones.get(node.name, []) for kind, ones in named.items()}
        is_wanted = simulation.tracing.enabled or simulation.timeline.enabled
        is_traced = is_wanted and (traced is None or node.name in traced)
        return replace(
            node,
            instruments=_instruments(simulation, mine, is_traced),
            places={**node.places, **places.get(node.name, {})},
        )

    switches = tuple(
        replace(
            switch,
            capture=simulation.captures or simulation.timeline.enabled,
            throughput_interval_cycles=simulation.throughput_interval_cycles,
        )
        for switch in plan.switches
    )
    return replace(plan, run=run, nodes=tuple(map(observed, plan.nodes)), switches=switches)


def _by_node(ones: Sequence[Any]) -> dict[str, list[Any]]:
    """Return instruments by the node that they are for."""
    found: dict[str, list[Any]] = {}
    for one in ones:
        found.setdefault(one.node, []).append(one)
    return found


def _instruments(
    simulation: Simulation, mine: dict[str, list[Any]], is_traced: bool
) -> Instruments:
    """Return those of a node; `mine` are the ones that name it, by kind."""
    tracing, counters = simulation.tracing, simulation.autocounter
    timeline = simulation.timeline
    return Instruments(
        traced=is_traced,
        trace_outputs=tuple(tracing.outputs) if tracing.enabled else (),
        trace_trigger=tracing.trigger,
        trace_processes=is_traced and tracing.processes,
        trace_inlined=tracing.inlined,
        trace_lines=tracing.lines,
        timeline_bytes=timeline.limit_mib << 20 if timeline.enabled else 0,
        counted=counters.enabled,
        counter_interval_cycles=counters.interval_cycles,
        counter_trigger=counters.trigger,
        metrics=counters.metrics,
        waves=next(iter(mine["waves"]), None),
        activity=next(iter(mine["activity"]), None),
        capture=next(iter(mine["capture"]), None),
        peeks=tuple(mine["peeks"]),
        pokes=tuple(mine["pokes"]),
        assert_trigger=simulation.asserts,
        print_trigger=simulation.prints,
        console_terminal=simulation.uart_pty,
    )


def _places(simulation: Simulation) -> dict[str, dict[str, KeyPath]]:
    """Return by node where it was first named for each instrument; not where none names it."""
    found: dict[str, dict[str, KeyPath]] = {}
    for kind in OF_ONE_NODE:
        for index, one in enumerate(getattr(simulation, kind)):
            mine = found.setdefault(one.node, {})
            mine.setdefault(kind, ("simulation", kind, index, "node"))
    for index, name in enumerate(simulation.tracing.nodes or []):
        mine = found.setdefault(name, {})
        mine.setdefault("tracing", ("simulation", "tracing", "nodes", index))
    return found
