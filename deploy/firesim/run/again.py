# SPDX-License-Identifier: BSD-3-Clause
"""Runs that go on by themselves: listed, watched to their end, ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.pipeline.collect import collect
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import make_ready
from firesim.pipeline.start import Ready, start
from firesim.remote import record
from firesim.remote.simulators import Simulators
from firesim.results.measurements import print_measurements
from firesim.results.outcome import Outcome
from firesim.results.report_step import report_of
from firesim.results.summary import print_folder, print_summary
from firesim.run.attach import RUNNING, found_again, is_remote, state
from firesim.run.control import is_running
from firesim.run.losses import without_lost
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from firesim.watch.watch import open_metrics
from firesim.work.folder import has_functional_network, run_folders, saved_config, saved_result


@dataclass(frozen=True)
class Run:
    """A run as `firesim ls` shows it."""

    folder: Path
    state: str
    is_over: bool
    hosts: tuple[str, ...] = ()
    is_functional: bool = False
    """Whether its network is functional, so that it has no token hash."""


def listed_runs() -> list[Run]:
    """Return all runs in the results folder, oldest first."""
    return [run_of(folder) for folder in run_folders()]


def run_of(folder: Path) -> Run:
    """Return the run of a results folder."""
    found = record.load(folder)
    ended = str(saved_result(folder).get("reason") or "ended without a result")
    is_functional = has_functional_network(folder)
    if found is None:
        alive = is_running(folder)
        return Run(folder, RUNNING if alive else ended, not alive, (), is_functional)
    words = ended if found.over else state(folder)
    return Run(folder, words, found.over, tuple(found.hosts), is_functional)


def the_detached() -> Path:
    """Return the results folder of the one run on hosts that is not over.

    Raises:
        InputError: there is none, or several.
    """
    going = [folder for folder in run_folders() if is_remote(folder)]
    if len(going) != 1:
        names = f" ({', '.join(str(folder) for folder in going)})" if going else ""
        raise InputError(f"attach: found {len(going)} runs on hosts{names}, expected one.")
    return going[0]


def attached(folder: Path, console: Console, overrides: Sequence[str] = ()) -> Outcome:
    """Watch a run on hosts to its end, write the report and print what came of it.

    Of a run that ended meanwhile the same is printed: its last manager may not have come to it.

    Raises:
        InputError: there is no such run, or a host does not answer.
    """
    loaded = load_file(saved_config(folder, "attach"), overrides)
    plan = resolve(loaded)
    found = record.load(folder)
    outcome = (
        Outcome(folder, plan, found.exit_status, saved_result(folder), found.start_cycle)
        if found is not None and found.over
        else _followed(folder, loaded, plan, console)
    )
    print_summary(outcome, console)
    print_measurements(outcome, console)
    print_folder(outcome.folder, report_of(outcome.folder, console), console)
    return outcome


def _followed(folder: Path, loaded: Loaded, plan: Plan, console: Console) -> Outcome:
    metrics = open_metrics(plan)
    simulators = found_again(folder)
    start_cycle = simulators.record.start_cycle
    ready = Ready(plan, folder, lambda: simulators, start_cycle, metrics)
    outcome = collect(ready, console)
    return without_lost(loaded, outcome, console)


def start_and_leave(
    loaded: Loaded,
    results: Path | None,
    console: Console,
    restart: Callable[[Plan], Restart | None] | None = None,
) -> Run:
    """Start a run on its farm and leave it alone, for `attached`; `restart` as in `run`.

    Raises:
        InputError: it has no farm, or cannot be started; nothing runs.
        ToolError, GoldenGateError: a build step failed; nothing runs.
    """
    plan = resolve(loaded)
    if plan.placement.run_farm is None:
        raise InputError("--detach: found no run farm, expected placement.run_farm.")
    ready = make_ready(plan, results, console, restart, watched=False)
    simulators = start(ready)
    assert isinstance(simulators, Simulators), "a run with a farm is on its hosts"
    simulators.leave()
    return Run(ready.folder, RUNNING, False, tuple(simulators.record.hosts))
