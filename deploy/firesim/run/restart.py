# SPDX-License-Identifier: BSD-3-Clause
"""Decides where a run goes on: from a snapshot, as clones of one node, or where it was lost."""

from __future__ import annotations

from pathlib import Path

from firesim_common.errors import InputError, listed

from firesim.config.keep import s3_place
from firesim.config.load import Loaded, load_file
from firesim.run.folder import is_alive, load_simulator, saved_config, saved_result
from firesim.run.snapshots import SAVED_ENGINES, Snapshot, find_snapshot, read_snapshot
from firesim.run.sound import Say, last_sound
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan, PlannedNode

CLONE_SOURCE = "node0"
NAMES = {"rtl": "RTL", "metasim": "metasimulated", "fpga": "on an FPGA"}
RTL_ENGINES = tuple(NAMES)
"""A snapshot of one goes on in the others."""


def servers(plan: Plan) -> list[PlannedNode]:
    """Return the nodes that run software."""
    return [node for node in plan.nodes if node.traffic is None]


def restart_from(text: str, plan: Plan, clones: int | None) -> Restart:
    """Return the restart for `--from TEXT`, with `--clone N` when `clones` is given.

    Raises:
        InputError: no such snapshot, it does not fit the system, or S3 refuses it.
    """
    snapshot = _named(text)
    nodes = servers(plan)
    if plan.run.metasim.memory == "rtl" and any(node.engine == "metasim" for node in nodes):
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
    from firesim.run.bucket import fetched  # Only who uses S3 waits for botocore to be loaded.

    return read_snapshot(fetched(place))


def _check_sources(snapshot: Snapshot, nodes: list[PlannedNode], sources: dict[str, str]) -> None:
    for node in nodes:
        source = sources[node.name]
        kind = snapshot.kinds.get(source)
        if kind not in SAVED_ENGINES:
            raise InputError(
                f'--from: found no node "{source}" in the snapshot "{snapshot.name}", '
                f"expected one of {listed(snapshot.nodes)}."
            )
        if kind in RTL_ENGINES and node.engine not in RTL_ENGINES:
            raise InputError(
                f'--from: found the engine {node.engine} for "{node.name}", which is {NAMES[kind]} '
                f'in the snapshot "{snapshot.name}", expected engine rtl, metasim or fpga.'
            )
        if kind == "functional" and node.engine not in ("functional", "rtl"):
            raise InputError(
                f'--from: found the engine {node.engine} for "{node.name}", which is functional in '
                f'the snapshot "{snapshot.name}", expected engine functional or rtl, whose '
                f"snapshots go on in a metasimulation and on an FPGA."
            )
        if node.memory_hardware is not None:
            raise InputError(
                f'--from: found the engine fpga for "{node.name}", whose bitstream has the '
                f"memory's timing in RTL, which takes no saved state, expected a build with "
                f"memory: host and scan_chain: true."
            )
        if node.engine == "fpga" and not node.scan_chain:
            raise InputError(
                f'--from: found the engine fpga for "{node.name}", whose bitstream has no scan '
                f"chain, expected a build with scan_chain: true."
            )


def resumed(folder: Path, overrides: list[str], say: Say) -> tuple[Loaded, Restart]:
    """Return the configuration of a lost run and its last snapshot that is whole.

    Raises:
        InputError: no run, it still runs, it has ended, or it has no whole snapshot.
    """
    config = saved_config(folder, "--resume")
    record = load_simulator(folder)
    if record is not None and is_alive(record):
        raise InputError(f"--resume: found {folder} still running, expected a run that was lost.")
    if saved_result(folder).get("reason") == "ended":
        raise InputError(f"--resume: found {folder} ended, expected a run that was lost.")
    found = last_sound(folder, say)
    if found is None:
        raise InputError(
            f"--resume: found no complete snapshot in {folder}, expected one "
            "(simulation.snapshots.interval takes them)."
        )
    return load_file(config, overrides), Restart(found.path, found.cycle)
