# SPDX-License-Identifier: BSD-3-Clause
"""A run in Python: made of objects or loaded from YAML, checked, simulated, written as either."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from firesim_common.errors import InputError
from firesim_common.positions import Source, parse_yaml, read_yaml
from pydantic import BaseModel
from rich.console import Console

from firesim.api.place import callers_place
from firesim.api.results import Results
from firesim.api.sweeps import Sweep
from firesim.api.written import written
from firesim.config import simulation as simulations
from firesim.config import system as systems
from firesim.config import workload as workloads
from firesim.config.loaded import Loaded
from firesim.pipeline.beside import Beside
from firesim.pipeline.check import check
from firesim.pipeline.load import find_config, load_source, name_of_file
from firesim.results.report_step import report_of
from firesim.run.losses import run_through
from firesim.snapshots.restart import restart_from
from firesim.sweep.folder import make
from firesim.sweep.go import Settings, check_points, go
from firesim.sweep.points import grid
from firesim.topology.plan import Plan

INTERRUPTED = 130


class Run:
    """What is simulated, how and where: a whole recipe. It never changes."""

    def __init__(
        self,
        *,
        system: systems.System,
        workload: workloads.Workload | str | None = None,
        simulation: simulations.Simulation | None = None,
        placement: simulations.Placement | None = None,
        name: str = "run",
    ) -> None:
        """Take the objects; errors point at the line that made the run.

        Paths are relative to the folder of the program that makes it.

        Raises:
            InputError: something is wrong that `check` need not be asked for.
        """
        parts = {
            "system": system,
            "workload": workload,
            "simulation": simulation,
            "placement": placement,
        }
        data: dict[str, Any] = {"name": name}
        for key, part in parts.items():
            if isinstance(part, BaseModel):
                data[key] = part.model_dump(mode="json", exclude_unset=True)
            elif part is not None:
                data[key] = part
        self._take(Source(data, callers_place()), Path.cwd(), name, ())

    @classmethod
    def _of(cls, source: Source, folder: Path, name: str, overrides: tuple[str, ...]) -> Run:
        made = cls.__new__(cls)
        made._take(source, folder, name, overrides)
        return made

    def _take(self, source: Source, folder: Path, name: str, overrides: tuple[str, ...]) -> None:
        self._given = (source, folder, name, overrides)
        self._loaded = load_source(copy.deepcopy(source), folder, name, overrides)

    @property
    def loaded(self) -> Loaded:
        """The checked configuration, as the steps of the manager take it."""
        return self._loaded

    @property
    def name(self) -> str:
        """What the run is called in the results folder."""
        return self._loaded.name

    @property
    def system(self) -> systems.System:
        """What is modelled."""
        return self._loaded.config.system

    @property
    def workload(self) -> workloads.Workload:
        """What software runs where."""
        return self._loaded.config.workload

    @property
    def simulation(self) -> simulations.Simulation:
        """How it is simulated, and what is observed."""
        return self._loaded.config.simulation

    @property
    def placement(self) -> simulations.Placement:
        """Where it is simulated."""
        return self._loaded.config.placement

    def changed(self, values: Mapping[str, Any]) -> Run:
        """Return a run with other values, by key: {"system.link.latency_cycles": 100}.

        Raises:
            InputError: a key or value is wrong.
        """
        source, folder, name, before = self._given
        said = (f"{key}={json.dumps(value)}" for key, value in values.items())
        return Run._of(source, folder, name, (*before, *said))

    def __eq__(self, other: object) -> bool:
        """Return whether another run has the same name and settings, files in the same places."""
        return isinstance(other, Run) and self._loaded.resolved() == other._loaded.resolved()

    __hash__ = None  # type: ignore[assignment]

    def yaml(self) -> str:
        """Return the run as a recipe, with paths from the root on."""
        return yaml.safe_dump(self._loaded.said(), sort_keys=False, allow_unicode=True)

    def python(self) -> str:
        """Return the run as a program that makes it."""
        said = self._loaded.said()
        return written(said.pop("name", self.name), self._loaded.config, said)

    def check(self) -> Plan:
        """Return what the run means; nothing is started.

        Raises:
            InputError: the system, a name or a file is wrong.
        """
        bound = check(self._loaded)
        bound.close()
        return bound.plan

    def run(
        self,
        results: str | Path | None = None,
        console: Console | None = None,
        report: bool = True,
        stop: threading.Event | None = None,
    ) -> Results:
        """Build what is missing, simulate to the end and return the results.

        It may be called from any thread, and several times at once. Nothing is printed without a
        console. A failed run has results, too: look at their `exit_status` and `message`. Once
        `stop` is set, by another thread or by Ctrl-C in the main thread, the run ends.

        Raises:
            InputError: the system, a name or a file is wrong; nothing was started.
            ToolError, GoldenGateError: a build step failed; nothing was started.
            KeyboardInterrupt: it came, or `stop` was set; the simulators have ended, and their
                results are kept.
        """
        console = console or Console(stderr=True, quiet=True)
        folder = None if results is None else Path(results)
        outcome = run_through(self._loaded, folder, console, beside=_beside(stop))
        if report:
            report_of(outcome.folder, console)
        if outcome.exit_status == INTERRUPTED:
            raise KeyboardInterrupt
        return Results(outcome.folder, outcome.exit_status)

    def sweep(
        self,
        axes: Mapping[str, Sequence[Any]],
        results: str | Path | None = None,
        *,
        jobs: int = 0,
        console: Console | None = None,
        snapshot: str | None = None,
        reports: bool = False,
        stop: threading.Event | None = None,
    ) -> Sweep:
        """Run with every combination of values and return the sweep.

        `axes` has the values of each key: {"system.link.latency_cycles": [100, 200]}. With the
        folder `results` of the same sweep, only the points without a result are simulated. `jobs`
        points are simulated at a time (0: one for each core), each from `snapshot` if there is one.
        A point that fails does not end the others: see the column `state`. `stop` as for `run`.

        Raises:
            InputError: a value is wrong, or `results` has another sweep; nothing was started.
            KeyboardInterrupt: it came, or `stop` was set; the points that went on have ended.
        """
        check_points(lambda point: self.changed(point.values).loaded, grid(axes))
        folder = make(self._loaded, axes, None if results is None else Path(results))
        origin = None if snapshot is None else lambda plan: restart_from(snapshot, plan, None)
        console = console or Console(stderr=True, quiet=True)
        go(folder, Settings(jobs, origin, reports), console, _beside(stop))
        return Sweep(folder)


def _beside(stop: threading.Event | None) -> Beside:
    return Beside() if stop is None else Beside(stopped=stop)


def load(what: str | Path, overrides: Sequence[str] = ()) -> Run:
    """Return the run of a YAML file, or of a recipe by its name; `overrides` are as for -x.

    Raises:
        InputError: it is not there, or something in it is wrong, with file and line.
    """
    path = find_config(str(what))
    folder = path.absolute().parent
    return Run._of(read_yaml(path), folder, name_of_file(path), tuple(overrides))


def parse(text: str, overrides: Sequence[str] = ()) -> Run:
    """Return the run of YAML text; paths are relative to the present folder.

    Raises:
        InputError: something in it is wrong.
    """
    return Run._of(parse_yaml(text, "run.yaml"), Path.cwd(), "run", tuple(overrides))


__all__ = ["InputError", "Run", "load", "parse"]
