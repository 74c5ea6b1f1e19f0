# SPDX-License-Identifier: BSD-3-Clause
"""The steps in their order: the only place where it is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.pipeline.beside import Beside
from firesim.pipeline.bind import Bound, Origin, bind
from firesim.pipeline.build import build
from firesim.pipeline.collect import collect
from firesim.pipeline.describe import Described, describe
from firesim.pipeline.resolve import resolve
from firesim.pipeline.start import Ready, bring
from firesim.results.outcome import Outcome
from firesim.topology.plan import Plan
from firesim.watch.watch import open_metrics
from firesim.work.folder import (
    HOSTS_RECORD,
    RECORD,
    RESULT,
    drop_folder,
    new_folder,
    note_preparing,
)
from firesim.work.process_tree import ending_what_it_starts
from firesim.work.steps import Steps


def run(
    loaded: Loaded,
    *,
    results: Path | None = None,
    console: Console | None = None,
    restart: Origin | None = None,
    beside: Beside | None = None,
) -> Outcome:
    """Run a checked configuration and return how it ended; the report is not written here.

    `restart` says for the plan where to go on instead of starting at cycle 0. Without `beside` the
    process is a command that is there for this run: the run handles the signals that end it, and
    keeps the port for Prometheus open.

    Raises:
        InputError: the system, a name or a file is wrong; nothing was started.
        ToolError, GoldenGateError: a build step failed; nothing was started.
        KeyboardInterrupt: it was stopped before the simulators were started.
    """
    console = console or Console(stderr=True, quiet=True)
    was_there = results is not None and results.exists()
    ready = make_ready(resolve(loaded), results, console, restart, beside=beside)
    try:
        return collect(ready, console, beside)
    except KeyboardInterrupt:
        if not any((ready.folder / name).exists() for name in (RECORD, HOSTS_RECORD, RESULT)):
            drop_folder(ready.folder, was_there)
        raise


def make_ready(
    plan: Plan,
    results: Path | None,
    console: Console,
    restart: Origin | None = None,
    again: Path | None = None,
    watched: bool = True,
    beside: Beside | None = None,
) -> Ready:
    """Build what a plan needs, place it and copy it to its hosts; see `run`, also for errors.

    `again` is the results folder of a run that goes on there, on the hosts that answer. Nobody
    reads the metrics of a run that is not `watched`.
    """
    bound = bind(plan, restart, "connected" if again is None else "answering")
    steps = Steps(console)
    with ExitStack() as when_refused:
        when_refused.callback(bound.close)
        metrics = open_metrics(plan, beside is not None) if watched else None
        if metrics is not None and beside is not None:
            when_refused.callback(metrics.close)
        preparing = beside.preparing if beside else nullcontext()
        with preparing, _folder(plan.name, results, again) as folder:
            if beside is not None:
                beside.check()
            note_preparing(folder)
            ready = bring(made(bound, folder, steps, beside is None), steps)
            ready = replace(ready, metrics=metrics)
            when_refused.pop_all()
    return ready


def made(bound: Bound, folder: Path, steps: Steps, alone: bool = True) -> Described:
    """Build what a bound plan needs and describe its run in `folder`; nothing of it stays running.

    Raises:
        InputError, ToolError, GoldenGateError: as for `build`.
        HostLost, HostError: a host is gone.
    """
    with ending_what_it_starts() if alone else nullcontext():
        built = build(bound, folder, steps)
    return describe(built, folder)


@contextmanager
def _folder(name: str, results: Path | None, again: Path | None) -> Iterator[Path]:
    """Make a results folder in which all is made ready, or take the one of a run that goes on.

    Nothing of a run that is refused stays, except for an empty folder that was there before.

    Raises:
        InputError: it cannot be made or written, or a host is gone or refuses.
    """
    was_there = results is not None and results.exists()
    folder = again
    try:
        folder = folder or new_folder(name, results)
        yield folder
    except BaseException as error:
        if folder is not None and again is None:
            drop_folder(folder, was_there)
        if isinstance(error, HostLost | HostError):
            raise InputError(f"{error}.") from error
        if isinstance(error, OSError):
            raise InputError(f"{folder}: cannot be written: {error.strerror}.") from error
        raise
