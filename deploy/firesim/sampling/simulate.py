# SPDX-License-Identifier: BSD-3-Clause
"""One recipe, prepared once for an engine, and run again and again with other limits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.pipeline.beside import Beside
from firesim.pipeline.bind import bind
from firesim.pipeline.build import Built, build
from firesim.pipeline.collect import collect
from firesim.pipeline.describe import described
from firesim.pipeline.resolve import resolve
from firesim.pipeline.start import Ready
from firesim.results.outcome import Outcome
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from firesim.work.folder import make_reserve, write_json
from firesim.work.process import Simulator
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

    @property
    def plan(self) -> Plan:
        """What is simulated."""
        return self.built.plan

    def run(
        self, folder: Path, change: Callable[[Description], None], restart: Restart | None = None
    ) -> Outcome:
        """Run it in a new folder, with a description that was changed.

        Raises:
            KeyboardInterrupt: the runs were stopped.
        """
        plan = self.plan
        shutil.rmtree(folder, ignore_errors=True)
        for name in [node.name for node in plan.nodes] + [one.name for one in plan.switches]:
            (folder / name).mkdir(parents=True)
        bound = replace(self.built.bound, origin=restart)
        description = described(replace(self.built, bound=bound), folder, threads=1)
        change(description)
        file = folder / "description.json"
        write_json(file, description)
        make_reserve(folder)
        cycle = restart.cycle if restart else 0
        ready = Ready(plan, folder, lambda: Simulator(self.built.binary, file, folder), cycle)
        outcome = collect(ready, Console(quiet=True), self.beside)
        self.beside.check()
        return outcome


def prepare(loaded: Loaded, folder: Path, console: Console, beside: Beside) -> Prepared:
    """Build what a recipe needs.

    Raises:
        InputError: the system, a name or a file is wrong, or it cannot be sampled.
        ToolError, GoldenGateError: a build step failed.
    """
    plan = resolve(loaded)
    _check(plan)
    bound = bind(plan)
    try:
        if bound.places is not None:
            raise InputError(
                "sample: found placement.run_farm, expected none: all runs on this computer."
            )
        for node in plan.nodes:
            (folder / node.name).mkdir(parents=True, exist_ok=True)
        with beside.preparing:
            built = build(bound, folder, Steps(console))
    finally:
        bound.close()
    return Prepared(built, beside)


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
