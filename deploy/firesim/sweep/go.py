# SPDX-License-Identifier: BSD-3-Clause
"""Simulates the points of a sweep that have no result yet, several at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.pipeline.beside import Beside, completed
from firesim.pipeline.bind import Origin
from firesim.pipeline.check import check
from firesim.results.report_step import report_of
from firesim.run.losses import run_through
from firesim.sweep.folder import ERROR, Came, SweepFolder, came_of
from firesim.sweep.plot import write_plot
from firesim.sweep.points import Point
from firesim.sweep.progress import Progress
from firesim.sweep.table import write_table

THREADS = "simulation.threads"
SETTLED_S = 0.5
"""What fails because the sweep is being ended fails a moment before that is known here."""


@dataclass(frozen=True)
class Settings:
    """How the points of a sweep are simulated."""

    jobs: int = 0
    """How many at a time; 0: one on each core, each with one thread."""
    restart: Origin | None = None
    """Where all of them begin."""
    reports: bool = True
    """Whether each gets a report.html."""


def check_points(load: Callable[[Point], Loaded], points: Iterable[Point]) -> None:
    """Check every point as `runcheck` checks a run; nothing is started.

    Raises:
        InputError: a point is wrong.
    """
    for point in points:
        try:
            check(load(point)).close()
        except InputError as error:
            raise InputError(f"{point.name} ({point.words()}): {error}") from error


def go(
    folder: SweepFolder, settings: Settings, console: Console, beside: Beside | None = None
) -> None:
    """Simulate every point without a result; write the table and the plot, whatever happens.

    A point that fails does not end the others. KeyboardInterrupt, or what `beside` has to stop
    them, ends those that go on; KeyboardInterrupt is raised when they have ended.

    Raises:
        InputError: another process simulates the same sweep.
    """
    with folder.locked():
        # What is left is known once nobody else simulates any of it.
        left = [point for point, came in folder.all_came() if came is None or not came.is_result]
        try:
            _simulate(folder, left, settings, console, beside or Beside())
        finally:
            write_table(folder)
            write_plot(folder)


def _simulate(
    folder: SweepFolder,
    left: Sequence[Point],
    settings: Settings,
    console: Console,
    beside: Beside,
) -> None:
    """Simulate some points of a sweep that nobody else simulates."""
    jobs = min(settings.jobs or os.cpu_count() or 1, max(1, len(left)))
    shares = jobs > 1 and not folder.says(THREADS)
    threads = max(1, (os.cpu_count() or 1) // jobs)
    common = [f"{THREADS}={threads}"] if shares else []
    progress = Progress(console, len(folder.points), len(left), jobs)

    def one(point: Point) -> Came:
        beside.check()
        progress.begun(point)
        came = _came(folder, point, common, settings, beside)
        beside.check()
        folder.note(point, came)
        return came

    with progress, ThreadPoolExecutor(jobs) as pool:
        try:
            going = {pool.submit(one, point): point for point in left}
            for future in completed(going):
                progress.over(going[future], future.result())
        except BaseException:
            beside.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _came(
    folder: SweepFolder, point: Point, common: list[str], settings: Settings, beside: Beside
) -> Came:
    """Simulate a point; what goes wrong with it is its result."""
    quiet = Console(stderr=True, quiet=True)
    try:
        folder.clear(point)
        loaded = folder.loaded(point, common)
        results = folder.results(point)
        outcome = run_through(loaded, results, quiet, settings.restart, beside)
        if settings.reports:
            report_of(outcome.folder, quiet)
        return came_of(outcome)
    except Exception as error:
        beside.stopped.wait(SETTLED_S)
        beside.check()
        text = str(error)
        return Came(ERROR, text if isinstance(error, InputError) else f"{_name(error)}{text}")


def _name(error: Exception) -> str:
    """Return what begins the sentence about an error: nothing for those that are sentences."""
    is_ours = type(error).__module__.partition(".")[0] not in ("builtins", "subprocess")
    return "" if is_ours and str(error) else f"{type(error).__name__}: "
