# SPDX-License-Identifier: BSD-3-Clause
"""One run from checked configuration to results: build, start, watch, end, report."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import yaml
from firesim_common.errors import InputError
from rich.console import Console

from firesim.build.other_processor import NATIVE
from firesim.config.load import Loaded
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.run.checks import check_plan
from firesim.run.folder import (
    FULL_BYTES,
    make_reserve,
    new_folder,
    note_begun,
    note_preparing,
    release_reserve,
    write_json,
)
from firesim.run.load_fpgas import images_of, load_fpgas
from firesim.run.outputs import collect_outputs
from firesim.run.own_blades import check_bridges, make_drivers
from firesim.run.prepare import Prepared, prepare
from firesim.run.process import Simulator, how_it_ended
from firesim.run.process_tree import ended_by_signals, ending_what_it_starts
from firesim.run.remote.kept import described, shared_folder
from firesim.run.remote.places import Places, placed
from firesim.run.remote.record import HostsRecord, new_name
from firesim.run.remote.ship import ship
from firesim.run.remote.simulators import Simulators, started
from firesim.run.status import StatusReader
from firesim.run.steps import Steps
from firesim.run.switch_libraries import make_libraries
from firesim.run.versions import versions
from firesim.run.watch import Watch, open_metrics
from firesim.topology.describe import CONTROL_SOCKET, Restart, describe
from firesim.topology.peers import FILE as PEERS
from firesim.topology.peers import peers
from firesim.topology.plan import Plan
from firesim.topology.resolve import resolve

BAD_DESCRIPTION = 2
"""Exit status of firesim-sim for a description that it refuses."""
LEAST_FREE_BYTES = 4 << 20


@dataclass
class Outcome:
    """How a run ended and where its results are."""

    folder: Path
    plan: Plan
    exit_status: int
    """0 all nodes passed, 1 a node failed, 2 bad description, 3 error, 130 interrupted."""
    result: dict[str, Any] = field(default_factory=dict)
    """result.json; when the simulator could not write one, reason "error" and a message."""
    start_cycle: int = 0
    """Where the run began: the cycle of its snapshot."""
    lost: Sequence[str] = ()
    """Hosts, or simulators on them, that were lost; the run can go on without them."""

    @property
    def reason(self) -> str:
        """Why the run ended, as in result.json."""
        return str(self.result.get("reason", "error"))

    @property
    def message(self) -> str:
        """More about the reason, may be empty."""
        return str(self.result.get("message", ""))


@dataclass(frozen=True)
class Ready:
    """A run of which everything is built and in its place; nothing has been started."""

    plan: Plan
    folder: Path
    start: Callable[[], Simulator | Simulators]
    """Starts the simulators."""
    start_cycle: int


class _Held:
    """Holds back what would interrupt, so that what is being started is known when it comes."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.seen = False
        self.old: dict[int, Any] = {}

    def __enter__(self) -> _Held:
        if threading.current_thread() is threading.main_thread():
            self.old = {number: signal.signal(number, self._note) for number in self.NUMBERS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, previous in self.old.items():
            signal.signal(number, previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.seen = True

    def let_through(self) -> None:
        """Interrupt now, if anything would have."""
        if self.seen:
            raise KeyboardInterrupt


def run(
    loaded: Loaded,
    *,
    results: Path | None = None,
    console: Console | None = None,
    restart: Callable[[Plan], Restart | None] | None = None,
) -> Outcome:
    """Run a checked configuration and return how it ended; the report is not written here.

    `restart` says for the plan where to go on instead of starting at cycle 0.

    Raises:
        InputError: the system, a name or a file is wrong; nothing was started.
        ToolError, GoldenGateError: a build step failed; nothing was started.
    """
    console = console or Console(stderr=True, quiet=True)
    ready = make_ready(loaded, results, console, restart)
    return follow(loaded, ready, console)


def make_ready(
    loaded: Loaded,
    results: Path | None,
    console: Console,
    restart: Callable[[Plan], Restart | None] | None = None,
    again: Path | None = None,
    watched: bool = True,
) -> Ready:
    """Build what a run needs, place it and copy it to its hosts; see `run`, also for errors.

    `again` is the results folder of a run that goes on there, on the hosts that answer. Nobody
    reads the metrics of a run that is not `watched`.
    """
    plan = resolve(loaded)
    check_plan(loaded, plan)
    if watched:
        open_metrics(plan)
    origin = restart(plan) if restart else None
    cycle = origin.cycle if origin else 0
    steps = Steps(console)
    clones = bool(origin and origin.restore_from)
    places = placed(plan, answering=again is not None, clones=clones)
    with ending_what_it_starts():
        make_libraries(loaded, plan, steps)
        make_drivers(loaded, plan, steps)
    folder = again or new_folder(loaded.name, results)
    try:
        note_preparing(folder)
        with ending_what_it_starts():
            prepared = prepare(plan, folder, steps, places.march if places else NATIVE)
        check_bridges(loaded, plan, prepared.files)
        description = _write_inputs(loaded, plan, prepared, folder, origin, places)
        start = _starter(plan, prepared, folder, description, places, cycle, steps)
    except BaseException as error:
        if again is None:
            shutil.rmtree(folder, ignore_errors=True)
        if places is not None:
            places.close()
        if isinstance(error, HostLost | HostError):
            raise InputError(f"{error}.") from error
        if isinstance(error, OSError):
            raise InputError(f"{folder}: cannot be written: {error.strerror}.") from error
        raise
    return Ready(plan, folder, start, cycle)


def _starter(
    plan: Plan,
    prepared: Prepared,
    folder: Path,
    description: Path,
    places: Places | None,
    start_cycle: int,
    steps: Steps,
) -> Callable[[], Simulator | Simulators]:
    """Return what starts the simulators; on the hosts of a farm all they need is there by then.

    Raises:
        HostLost, HostError: a host is gone or refuses.
        ToolError: an FPGA could not be loaded.
    """
    if places is None:
        return lambda: Simulator(prepared.binary, description, folder)
    names = [ready.name for ready in places.hosts]
    kept = places.keep_snapshots
    record = HostsRecord(new_name(folder), str(places.farm.path), names, start_cycle, kept)
    entry = described(json.loads(description.read_text()), record)
    with steps.step(f"copying what is missing to {len(names)} hosts"):
        ship(places.hosts, entry, prepared.binary, record.run, shared_folder(record))
    if images := images_of(plan, places.of_model):
        with steps.step(f"loading {sum(map(len, images.values()))} FPGAs"):
            load_fpgas(places.hosts, images)
    return lambda: started(places.hosts, record, folder)


def _write_inputs(
    loaded: Loaded,
    plan: Plan,
    prepared: Prepared,
    folder: Path,
    origin: Restart | None,
    places: Places | None,
) -> Path:
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        raise InputError(f"{folder}: found {free} bytes free on the disk, expected at least 4 MiB.")
    for name in [node.name for node in plan.nodes] + [switch.name for switch in plan.switches]:
        (folder / name).mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(loaded.resolved(), sort_keys=False))
    write_json(folder / "versions.json", versions(plan, prepared, origin))
    write_json(folder / PEERS, peers(plan))
    together = plan.supernodes()
    threads = plan.run.threads or max(os.cpu_count() or 1, len(together))
    description = folder / "description.json"
    processes = places.processes(plan.run.threads, together) if places is not None else None
    entry = describe(plan, prepared.files, folder, threads, origin, processes)
    write_json(description, entry)
    make_reserve(folder)
    return description


def follow(loaded: Loaded, ready: Ready, console: Console) -> Outcome:
    """Start the simulators of a run, watch them to their end and return what came of them.

    Raises:
        InputError: they cannot be started; nothing runs.
    """
    plan, folder = ready.plan, ready.folder
    interrupted = False
    watch: Watch | None = None
    began_s = time.monotonic()
    with ended_by_signals():
        try:
            with _Held() as held:
                simulator = ready.start()
            note_begun(folder)
        except (HostLost, HostError) as error:
            raise InputError(f"{error}.") from error
        try:
            held.let_through()
            watch = Watch(loaded.name, plan, folder, ready.start_cycle, simulator)
            watch.to_the_end(console)
            status = simulator.wait()
            watch.say_news(console)
        except KeyboardInterrupt:
            interrupted = True
            status = simulator.stop()
        except BaseException:
            simulator.stop()
            raise
        finally:
            is_full = False
            with suppress(OSError):
                is_full = shutil.disk_usage(folder).free < FULL_BYTES
                release_reserve(folder)
                # Left behind by a simulator that was killed.
                (folder / CONTROL_SOCKET).unlink(missing_ok=True)
    words = simulator.last_words()
    if is_full:
        words = f"{words} (the disk that holds {folder} is full)".strip()
    with suppress(OSError):  # A full disk: what was sent is still in the console's log.
        collect_outputs(plan, folder)
    if watch is not None:
        watch.over()
    result = _result(folder, status, interrupted, time.monotonic() - began_s, words)
    exit_status = _exit_status(status, interrupted)
    # Who was lost to the others, but not to us, is taken for lost as well.
    lost = [] if interrupted else simulator.lost() or result.get("lost", [])
    return Outcome(folder, plan, exit_status, result, ready.start_cycle, lost)


def _exit_status(status: int, interrupted: bool) -> int:
    if interrupted:
        return 130
    return status if status in (0, 1, 2, 3, 130) else 3


def _result(
    folder: Path, status: int, interrupted: bool, wall_s: float, words: str
) -> dict[str, Any]:
    """Return result.json, or write one in the simulator's place when it left none."""
    file = folder / "result.json"
    try:
        value = json.loads(file.read_text())
        if isinstance(value, dict):
            return value
    except (OSError, ValueError):
        pass
    reader = StatusReader(folder / "status.jsonl")
    last = reader.update()
    message = f"firesim-sim ended with {how_it_ended(status)} before it wrote its results"
    if words and status == BAD_DESCRIPTION:
        message = words  # A whole sentence about something that only the model itself knows.
    elif words:
        message += f"; its last line was: {words}"
    result: dict[str, Any] = {
        "reason": "interrupted" if interrupted else "error",
        "message": message,
        "end_cycle": last.cycle if last else 0,
        "token_hash": "",
        "wall_s": round(wall_s, 3),
        "cpu_s": 0,
        "nodes": [],
        "links": [],
    }
    try:
        write_json(file, result)
    except OSError as error:
        result["message"] += f"; and result.json cannot be written: {error.strerror}"
    return result
