# SPDX-License-Identifier: BSD-3-Clause
"""Whether traces can look up the processes of the nodes that they are asked for."""

from __future__ import annotations

from firesim.build.cores import Cores
from firesim.build.rtl_blade import load_blade
from firesim.engines import engine_names
from firesim.topology.plan import Plan, PlannedNode


def check_processes(plan: Plan) -> None:
    """Refuse a trace with processes of a Linux node whose newest memory cannot be seen.

    Raises:
        InputError: it names the node, and what it would have to be.
    """
    for node in plan.nodes:
        if not node.linux or not node.instruments.trace_processes:
            continue
        text = _cannot(plan, node)
        if text:
            raise plan.error_at(("simulation", "tracing", "processes"), text)
    seen = any(node.instruments.trace_processes and node.kind.is_rtl for node in plan.nodes)
    if seen and plan.run.rtl_engine == "verilator":
        text = 'found "verilator" with tracing.processes, expected "generated" or "auto".'
        raise plan.error_at(("simulation", "rtl_engine"), text)


def _cannot(plan: Plan, node: PlannedNode) -> str:
    """Return why a node's processes cannot be seen; empty when they can."""
    if not node.kind.is_rtl:
        return ""  # Its memory has no caches.
    if node.kind.platform != "none":
        fitting = engine_names(lambda kind: kind.platform == "none")
        found = f'found true and "{node.name}", whose engine is {node.engine}'
        return f"{found}, expected engine {fitting}."
    if plan.own_blade(node) is not None:
        return f'found true and "{node.name}", a design of your own, expected a blade of FireSim.'
    blade = load_blade(node.blade)
    if blade.cores.dcache != Cores().dcache:
        return (
            f'found true and "{node.name}", whose blade "{node.blade}" has data caches of '
            f"{blade.cores.dcache.kib} KiB in {blade.cores.dcache.ways} ways, expected a blade "
            f"with the usual ones of {Cores().dcache.kib} in {Cores().dcache.ways}."
        )
    return ""
