# SPDX-License-Identifier: BSD-3-Clause
"""Starts a simulation for a debugger: that of a run once more, or of a snapshot."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown
from rich.console import Console

from firesim.build.launch import start
from firesim.build.memory_side import described_map
from firesim.build.register_map import RegisterMap, of_cores, read_map
from firesim.build.rtl_blade import BladePart, load_blade
from firesim.config.loaded import Loaded
from firesim.debug.machine import Hub, Machine
from firesim.pipeline.bind import bind
from firesim.pipeline.describe import Described
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import made
from firesim.run.control import ask, is_running
from firesim.run.replay import chosen_run, planned
from firesim.snapshots.files import delete_snapshot, find_snapshot
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from firesim.work.folder import saved_config, write_json
from firesim.work.steps import Steps

FILE = "debugged.json"
"""The description of the simulation for the debugger."""
BATCH_CYCLES = 1024
"""While a node stands still in a batch, others are at most at its other end."""
_NOT_DEBUGGED = ("control", "snapshots")

Origin = Callable[[Plan], Restart | None]


@dataclass(frozen=True)
class Debugged:
    """A simulation that stands at its beginning."""

    hub: Hub
    root: Machine
    symbols: list[Path]
    """ELF files of what the node runs; the first one is the most important."""
    harts: int
    at_cycle: int | None
    """Where the debugger's user wants to begin."""


@contextmanager
def chosen(
    run: Path | None, snapshot: str | None, at: int | None, overrides: list[str]
) -> Iterator[tuple[Loaded, Origin, int | None]]:
    """Give what is to be simulated, where it goes on, and from which cycle the user wants to look.

    A run that goes on is saved where it is, unless the user wants another cycle, and goes on
    unharmed; what was saved is there until the debugger leaves.

    Raises:
        InputError: no such run or snapshot, or one that cannot be repeated.
    """
    if snapshot is not None:
        saved = find_snapshot(snapshot)
        folder = saved.run if run is None else run
        if folder is None:
            raise InputError(
                f"gdb: found no run around the snapshot {saved.path}, expected --run RESULTS, "
                "whose configuration it has."
            )
        if at is not None and at < saved.cycle:
            raise InputError(
                f"gdb: found cycle {at:,}, expected one from {saved.cycle:,} on, where the "
                "snapshot is."
            )
        loaded = load_file(saved_config(folder, "gdb"), overrides)
        yield loaded, lambda _: Restart(saved.path, saved.cycle), at
        return
    folder = chosen_run(run)
    if at is not None or not is_running(folder):
        loaded, origin = planned("gdb", folder, at or 0, [], overrides)
        yield loaded, origin, at
        return
    answer = ask(folder, {"command": "snapshot", "name": f"gdb-{os.getpid()}"})
    place = folder / str(answer["path"])
    try:
        loaded = load_file(saved_config(folder, "gdb"), overrides)
        yield loaded, lambda _: Restart(place, int(answer["cycle"])), None
    finally:
        delete_snapshot(place)


def started(
    loaded: Loaded,
    origin: Origin,
    node: str,
    at: int | None,
    registers: Path | None,
    folder: Path,
    console: Console,
) -> Debugged:
    """Build and start a simulation in `folder`, an empty one, for a debugger of a node.

    `registers` is the map of a core in RTL that the user has designed.

    Raises:
        InputError: there is no such node, or it cannot be debugged.
        ToolError, GoldenGateError: a build step failed.
    """
    plan = resolve(loaded)
    names = [one.name for one in plan.nodes]
    if node not in names:
        raise InputError(f"gdb: {unknown(node, 'one of the nodes', names)}")
    if plan.run.max_cycles and at is not None and at >= plan.run.max_cycles:
        raise InputError(
            f"gdb: found cycle {at:,}, expected one before {plan.run.max_cycles:,}, where the run "
            "ends (simulation.max_cycles)."
        )
    made_map = _map_of(plan, node, registers)
    described = made(bind(plan, origin), folder, Steps(console))
    files = described.built.files.get(node)
    if files is None:
        raise InputError(f"gdb: found {node}, which runs no software, expected a node that does.")
    hub = Hub()
    file = folder / FILE
    debug: dict[str, Any] = {"node": node, "socket": str(hub.path)}
    if made_map is not None:
        maps = described_map(made_map, files.cores, _parts(plan, node))
        debug |= {"registers": maps["harts"], "memory_side": maps["memory_side"]}
    write_json(file, {**_for_debugger(described), "debug": debug})
    root = _connected(hub, file, described.built.binary, folder)
    if made_map is not None:  # Before the first commit nobody knows of a pc.
        root.order({"hart": 0})
        root.wait()
    return Debugged(hub, root, list(files.symbols), files.cores, at)


def _map_of(plan: Plan, node: str, file: Path | None) -> RegisterMap | None:
    """Return where a node's registers are in its RTL, None for one that has no RTL."""
    planned_node = plan.node(node)
    if not planned_node.kind.is_rtl:
        return None
    if file is None and plan.own_blade(planned_node) is not None:
        raise InputError(
            f"gdb: found {node}, a design of your own, expected --registers FILE, which says where "
            "its registers are."
        )
    if file is None:
        file = of_cores(load_blade(planned_node.blade).cores)
    if file is None:
        raise InputError(
            f"gdb: found {node}, whose cores are neither big nor small ones with their usual data "
            "cache, expected --registers FILE, which says where their registers are."
        )
    return read_map(file)


def _parts(plan: Plan, node: str) -> list[BladePart]:
    planned_node = plan.node(node)
    if plan.own_blade(planned_node) is not None:
        return []
    return load_blade(planned_node.blade).parts


def _for_debugger(described: Described) -> dict[str, Any]:
    """Return the description for one thread, without a door by which anything could come in."""
    entry: dict[str, Any] = json.loads(json.dumps(described.description))
    for key in _NOT_DEBUGGED:
        entry.pop(key, None)
    for one in entry["nodes"]:
        if "forwards" in one:
            one["forwards"] = []
        if "uart" in (bridges := one.get("bridges", {})):
            bridges["uart"]["pty"] = False
    entry["threads"] = 1
    entry["batch_cycles"] = min(entry["batch_cycles"] or BATCH_CYCLES, BATCH_CYCLES)
    return entry


def _connected(hub: Hub, file: Path, binary: Path, folder: Path) -> Machine:
    log = folder / "run.log"
    with log.open("wb") as output:
        process = start(file, output, binary=binary, own_group=True)
    ended = os.pidfd_open(process.pid)
    try:
        root = hub.first(ended)
    finally:
        os.close(ended)
    if root is None:
        hub.close()
        raise InputError(f"gdb: {_last_words(process, log)}")
    return root


def _last_words(process: subprocess.Popen[bytes], log: Path) -> str:
    process.wait()
    lines = log.read_text(errors="replace").splitlines()
    return lines[-1] if lines else "the simulator ended before its first cycle."
