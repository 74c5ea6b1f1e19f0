# SPDX-License-Identifier: BSD-3-Clause
"""Decides where a run goes on: from a snapshot, or as clones of one node."""

from __future__ import annotations

from firesim_common.errors import InputError, listed

from firesim.config.keep import s3_place
from firesim.engines import DEFAULT, ENGINES, engine_names
from firesim.snapshots.bucket import fetched
from firesim.snapshots.files import Snapshot, find_snapshot, read_snapshot
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan, PlannedNode

CLONE_SOURCE = "node0"


def restart_from(text: str, plan: Plan, clones: int | None) -> Restart:
    """Return the restart for `--from TEXT`, with `--clone N` when `clones` is given.

    Raises:
        InputError: no such snapshot, it does not fit the system, or S3 refuses it.
    """
    snapshot = _named(text)
    nodes = plan.servers
    if plan.run.metasim.memory == "rtl" and any(node.kind.is_metasimulation for node in nodes):
        raise InputError(
            '--from: found simulation.metasim.memory "rtl", expected "host": a memory whose timing '
            "is in RTL takes no saved state."
        )
    if 0 < plan.run.max_cycles <= snapshot.cycle:
        raise InputError(
            f'--from: found the snapshot "{snapshot.name}" of cycle {snapshot.cycle:,}, expected '
            f"one before cycle {plan.run.max_cycles:,}, where simulation.max_cycles ends the run."
        )
    if clones is None:
        sources = {node.name: node.name for node in nodes}
        _check_sources(snapshot, nodes, sources)
        return Restart(snapshot.path, snapshot.cycle)
    if clones != len(nodes):
        raise InputError(
            f"--clone: found {clones} for a system of {len(nodes)} nodes, "
            f"expected {len(nodes)} (or -x system.topology=...)."
        )
    source = snapshot.nodes[0] if len(snapshot.nodes) == 1 else CLONE_SOURCE
    sources = {node.name: source for node in nodes}
    _check_sources(snapshot, nodes, sources)
    return Restart(snapshot.path, snapshot.cycle, sources)


def _named(text: str) -> Snapshot:
    place = s3_place(text)
    if place is None:
        return find_snapshot(text)
    return read_snapshot(fetched(place))


def _check_sources(snapshot: Snapshot, nodes: list[PlannedNode], sources: dict[str, str]) -> None:
    for node in nodes:
        source = sources[node.name]
        saved = ENGINES.get(snapshot.kinds.get(source, ""))
        if saved is None:
            raise InputError(
                f'--from: found no node "{source}" in the snapshot "{snapshot.name}", '
                f"expected one of {listed(snapshot.nodes)}."
            )
        found = f'--from: found the engine {node.engine} for "{node.name}"'
        found += f', which is {saved.saved_as} in the snapshot "{snapshot.name}", expected engine '
        if saved.is_rtl and not node.kind.is_rtl:
            raise InputError(f"{found}{engine_names(lambda kind: kind.is_rtl)}.")
        if not saved.is_rtl and not node.kind.restores_software:
            raise InputError(
                f"{found}{saved.name} or {DEFAULT}, whose snapshots go on in a metasimulation and "
                "on an FPGA."
            )
        if node.bitstream is not None and node.bitstream.entry.memory is not None:
            raise InputError(
                f'--from: found the engine {node.engine} for "{node.name}", whose bitstream has '
                f"the memory's timing in RTL, which takes no saved state, expected a build with "
                f"memory: host and scan_chain: true."
            )
