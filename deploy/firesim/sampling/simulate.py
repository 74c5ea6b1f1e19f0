# SPDX-License-Identifier: BSD-3-Clause
"""One recipe, prepared once for an engine, and run again and again with other limits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.pipeline.beside import Beside
from firesim.pipeline.bind import Bound, bind
from firesim.pipeline.build import Built, build
from firesim.pipeline.collect import collect
from firesim.pipeline.describe import Described, described
from firesim.pipeline.resolve import resolve
from firesim.pipeline.start import bring
from firesim.remote import record
from firesim.results.outcome import Outcome
from firesim.sampling.on_hosts import Hosts, Place
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from firesim.topology.plan_run import PlannedPlacement
from firesim.work.folder import make_reserve, write_json
from firesim.work.steps import Steps

Description = dict[str, Any]
NOTHING_ELSE = (
    "simulation.engines={}",
    "simulation.threads=1",
    "simulation.snapshots={}",
    "simulation.warm_up_cycles=0",
    "simulation.timeline={}",
    "simulation.waves=[]",
    "simulation.activity=[]",
    "simulation.peeks=[]",
    "simulation.capture=[]",
    "simulation.captures=false",
    "simulation.throughput_interval_cycles=0",
)
"""What is observed of runs of which only counters are wanted, except for their traces."""
UNTRACED = "simulation.tracing={}"


@dataclass(frozen=True)
class Prepared:
    """A recipe of which everything is built."""

    built: Built
    beside: Beside
    hosts: Hosts | None
    """Where its runs go on; None: on this computer."""

    @property
    def plan(self) -> Plan:
        """What is simulated."""
        return self.built.plan

    def run(
        self, folder: Path, change: Callable[[Description], None], restart: Restart | None = None
    ) -> Outcome:
        """Run it in a new folder, with a description that was changed.

        Raises:
            InputError: no host is left.
            KeyboardInterrupt: the runs were stopped.
        """
        bound = replace(self.built.bound, origin=restart)
        if self.hosts is None:
            return self._ran(bound, folder, change)
        hosts = self.hosts

        def there(place: Place) -> Outcome:
            where = replace(bound, places=hosts.at(place, self.plan))
            try:
                return self._ran(where, folder, change, place)
            finally:
                if restart is not None:
                    place.forget(list(map(hosts.bundler.sha256, restart.snapshot.iterdir())))

        return hosts.anywhere(there, self.beside.check)

    def _ran(
        self,
        bound: Bound,
        folder: Path,
        change: Callable[[Description], None],
        place: Place | None = None,
    ) -> Outcome:
        """Return the outcome of a run on this computer, or on a host.

        Raises:
            HostLost, HostError: the host is gone or refuses.
        """
        quiet = Console(quiet=True)
        try:
            with place.shipping if place is not None else nullcontext():
                found = _described(replace(self.built, bound=bound), folder, change)
                ready = bring(found, Steps(quiet), self.hosts.bundler if self.hosts else None)
            outcome = collect(ready, quiet, self.beside)
        except InputError as error:
            if isinstance(error.__cause__, HostLost | HostError):
                raise error.__cause__ from None  # It is the cause of the other already.
            raise
        finally:
            if place is not None:
                record.note_left(folder, [place.name])
        self.beside.check()
        if place is not None and (outcome.lost or not record.is_over(folder)):
            raise HostLost(outcome.message or f"{place.name}: not all results came from it")
        return outcome


def _described(built: Built, folder: Path, change: Callable[[Description], None]) -> Described:
    """Return a run with its changed description, in a new folder."""
    plan = built.plan
    shutil.rmtree(folder, ignore_errors=True)
    for name in [node.name for node in plan.nodes] + [one.name for one in plan.switches]:
        (folder / name).mkdir(parents=True)
    description = described(built, folder, threads=1)
    change(description)
    file = folder / "description.json"
    write_json(file, description)
    make_reserve(folder)
    return Described(built, folder, file, description)


def prepare(
    loaded: Loaded, folder: Path, console: Console, beside: Beside, hosts: Hosts | None = None
) -> Prepared:
    """Build what a recipe needs, for this computer or for hosts.

    Raises:
        InputError: the system, a name or a file is wrong, or it cannot be sampled.
        ToolError, GoldenGateError: a build step failed.
    """
    plan = replace(resolve(loaded), placement=PlannedPlacement())  # each run is in one place
    _check(plan)
    bound = bind(plan)
    if hosts is not None:
        bound = replace(bound, places=hosts.at(hosts.places[0], plan))
    for node in plan.nodes:
        (folder / node.name).mkdir(parents=True, exist_ok=True)
    with beside.preparing:
        built = build(bound, folder, Steps(console))
    return Prepared(built, beside, hosts)


def _check(plan: Plan) -> None:
    """Refuse what is not sampled.

    Raises:
        InputError: it is not.
    """
    if any(node.instruments.pokes for node in plan.nodes):
        raise InputError("sample: found simulation.pokes, expected none: intervals have no such.")
    if plan.gateway is not None or any(node.traffic is not None for node in plan.nodes):
        raise InputError("sample: found traffic from outside, expected a workload on its own.")


def counters_of(prepared: Prepared, node: str) -> Sequence[str]:
    """Return the names of the counters of a node in RTL."""
    manifest = prepared.built.files[node].manifest
    assert manifest is not None
    return [one["name"] for one in json.loads(manifest.read_text(encoding="utf-8"))["counters"]]
