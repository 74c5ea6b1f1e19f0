# SPDX-License-Identifier: BSD-3-Clause
"""Decide how the system is run and what is observed of each node and switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from firesim.config.simulation import Simulation
from firesim.topology.plan import Plan
from firesim.topology.plan_run import Instruments, PlannedRun


def observe(plan: Plan, simulation: Simulation) -> None:
    """Set the plan's `run`, the instruments of each node, and captures and throughput of switches.

    The names of nodes below `simulation` are those of the plan's.
    """
    plan.run = PlannedRun(**{key.name: getattr(simulation, key.name) for key in fields(PlannedRun)})
    named = {
        kind: _by_node(getattr(simulation, kind)) for kind in ("waves", "capture", "peeks", "pokes")
    }
    traced = None if simulation.tracing.nodes is None else set(simulation.tracing.nodes)
    for node in plan.nodes:
        mine = {kind: ones.get(node.name, []) for kind, ones in named.items()}
        is_traced = simulation.tracing.enabled and (traced is None or node.name in traced)
        node.instruments = _instruments(simulation, mine, is_traced)
    for switch in plan.switches:
        switch.capture = simulation.captures
        switch.throughput_interval_cycles = simulation.throughput_interval_cycles
    _places(plan, simulation)


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
    return Instruments(
        traced=is_traced,
        trace_outputs=tuple(tracing.outputs),
        trace_trigger=tracing.trigger,
        counted=counters.enabled,
        counter_interval_cycles=counters.interval_cycles,
        counter_trigger=counters.trigger,
        waves=next(iter(mine["waves"]), None),
        capture=next(iter(mine["capture"]), None),
        peeks=tuple(mine["peeks"]),
        pokes=tuple(mine["pokes"]),
        assert_trigger=simulation.asserts,
        print_trigger=simulation.prints,
        console_terminal=simulation.uart_pty,
    )


def _places(plan: Plan, simulation: Simulation) -> None:
    """Note where a node was first named for each instrument; not where none names it."""
    for kind in ("waves", "peeks", "pokes", "capture"):
        for index, one in enumerate(getattr(simulation, kind)):
            plan.node(one.node).places.setdefault(kind, ("simulation", kind, index, "node"))
    for index, name in enumerate(simulation.tracing.nodes or []):
        plan.node(name).places.setdefault("tracing", ("simulation", "tracing", "nodes", index))
