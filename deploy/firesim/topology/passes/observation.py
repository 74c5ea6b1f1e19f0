# SPDX-License-Identifier: BSD-3-Clause
"""Decide how the system is run and what is observed of each node and switch."""

from __future__ import annotations

from dataclasses import fields

from firesim.config.simulation import Simulation
from firesim.topology.plan import Plan, PlannedNode
from firesim.topology.plan_run import Instruments, PlannedRun


def observe(plan: Plan, simulation: Simulation) -> None:
    """Set the plan's `run`, the instruments of each node, and captures and throughput of switches.

    The names of nodes below `simulation` are those of the plan's.
    """
    plan.run = PlannedRun(**{key.name: getattr(simulation, key.name) for key in fields(PlannedRun)})
    for node in plan.nodes:
        node.instruments = _instruments(node, simulation)
    for switch in plan.switches:
        switch.capture = simulation.captures
        switch.throughput_interval_cycles = simulation.throughput_interval_cycles
    _places(plan, simulation)


def _instruments(node: PlannedNode, simulation: Simulation) -> Instruments:
    tracing, counters = simulation.tracing, simulation.autocounter
    return Instruments(
        traced=tracing.enabled and (tracing.nodes is None or node.name in tracing.nodes),
        trace_outputs=tuple(tracing.outputs),
        trace_trigger=tracing.trigger,
        counted=counters.enabled,
        counter_interval_cycles=counters.interval_cycles,
        counter_trigger=counters.trigger,
        waves=next((waves for waves in simulation.waves if waves.node == node.name), None),
        capture=next((one for one in simulation.capture if one.node == node.name), None),
        peeks=tuple(peek for peek in simulation.peeks if peek.node == node.name),
        pokes=tuple(poke for poke in simulation.pokes if poke.node == node.name),
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
