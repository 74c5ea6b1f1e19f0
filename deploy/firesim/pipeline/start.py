# SPDX-License-Identifier: BSD-3-Clause
"""The sixth step: all that a run needs is brought to its hosts, and its simulators are started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firesim_common.errors import InputError

from firesim.bind.hosts import Places
from firesim.hosts.bundle import Bundler
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.pipeline.describe import Described
from firesim.remote.kept import described_for_hosts, shared_folder
from firesim.remote.load_fpgas import images_of, load_fpgas
from firesim.remote.record import HostsRecord, new_name
from firesim.remote.ship import ship
from firesim.remote.simulators import Simulators, started
from firesim.topology.plan import Plan
from firesim.work.process import Simulator
from firesim.work.steps import Steps

if TYPE_CHECKING:
    from firesim.watch.metrics_server import MetricsServer


@dataclass(frozen=True)
class Ready:
    """A run of which everything is built and in its place; nothing has been started."""

    plan: Plan
    folder: Path
    simulators: Callable[[], Simulator | Simulators]
    """Starts the simulators."""
    start_cycle: int = 0
    metrics: MetricsServer | None = None
    """Where Prometheus reads the run."""


def bring(described: Described, steps: Steps, bundler: Bundler | None = None) -> Ready:
    """Return a run that can be started; on the hosts of a farm all they need is there by then.

    A `bundler` of runs before knows the files that this one shares with them.

    Raises:
        HostLost, HostError: a host is gone or refuses.
        ToolError: an FPGA could not be loaded.
    """
    built, folder = described.built, described.folder
    plan, places, origin = built.plan, built.bound.places, built.bound.origin
    cycle = origin.cycle if origin else 0
    if places is None:
        return Ready(plan, folder, lambda: Simulator(built.binary, described.file, folder), cycle)
    names = [ready.name for ready in places.hosts]
    kept = places.keep_snapshots
    record = HostsRecord(new_name(folder), str(places.farm.path), names, cycle, kept)
    entry = described_for_hosts(described.description, record)
    with steps.step(f"copying what is missing to {len(names)} hosts"):
        ship(places.hosts, entry, built.binary, record.run, shared_folder(record), bundler)
    load_images(plan, places, steps)
    return Ready(plan, folder, lambda: started(places.hosts, record, folder), cycle)


def load_images(plan: Plan, places: Places, steps: Steps) -> None:
    """Load the FPGAs of a run's hosts that the manager loads.

    Raises:
        HostLost, HostError: a host is gone or refuses.
        ToolError: an FPGA could not be loaded.
    """
    if images := images_of(plan, places.of_model):
        with steps.step(f"loading {sum(map(len, images.values()))} FPGAs"):
            load_fpgas(places.hosts, images)


def start(ready: Ready) -> Simulator | Simulators:
    """Start the simulators of a run.

    Raises:
        InputError: they cannot be started; nothing runs.
    """
    try:
        return ready.simulators()
    except (HostLost, HostError) as error:
        raise InputError(f"{error}.") from error
