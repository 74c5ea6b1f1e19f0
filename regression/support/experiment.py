# SPDX-License-Identifier: BSD-3-Clause
"""The frame of an experiment: its name, arguments, results folder, tables, verdict.

An experiment is a function with a name, in a module whose text says what it shows:

    @experiment_named("scale", _arguments)
    def run(experiment: Experiment) -> Verdict:
        ...  # Returns whether it holds, and the figure.

Nothing else is to be done: `firesim experiment`, its completion and `firesim test` find it there
(`firesim.suite.experiments`). The `Verdict` becomes the last line and the exit status.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.suite.experiments import SKIPPED_STATUS, SLOW_STATUS
from firesim.work.folder import new_folder
from firesim_common.errors import InputError
from firesim_common.paths import plain_work
from firesim_common.tools import ToolError
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Verdict:
    """What an experiment showed: `figure` is printed either way, `goal` when it falls short.

    `timed_only` says that nothing but host time fell short: every checked value was right.
    """

    holds: bool
    figure: str
    goal: str
    timed_only: bool = False

    @property
    def status(self) -> int:
        """Exit status: 0 when it holds, `SLOW_STATUS` when only time fell short, else 1."""
        return 0 if self.holds else SLOW_STATUS if self.timed_only else 1


class ExperimentError(RuntimeError):
    """A run that the experiment needs went wrong; the message says which and how."""


class NotHereError(RuntimeError):
    """The experiment cannot run on this computer, which is no fault; the message says why."""


class Experiment:
    """One run of an experiment: its arguments, the folder that it works in, and what it prints."""

    def __init__(self, name: str, arguments: argparse.Namespace, folder: Path) -> None:
        self.name = name
        self.arguments = arguments
        self.quick: bool = arguments.quick
        self.threads: int = arguments.threads
        self.seed: int = arguments.seed
        self.folder = folder
        # Wide enough that a table never loses a column when the output goes to a file.
        self.console = Console(width=None if os.isatty(1) else 130, highlight=False)
        self.figures: dict[str, Any] = {}

    def say(self, text: str) -> None:
        """Print a line of explanation."""
        self.console.print(text, markup=False)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table and keep it as `TITLE.csv`; columns name their units."""
        shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
        for index, column in enumerate(columns):
            shown.add_column(column, justify="left" if index == 0 else "right")
        for row in rows:
            shown.add_row(*(escape(str(cell)) for cell in row))
        self.console.print(shown)
        lines = [columns, *rows]
        text = "\n".join(",".join(_csv_cell(cell) for cell in line) for line in lines)
        file = "".join(c if c.isalnum() else "_" for c in title.lower())[:60].strip("_")
        (self.folder / f"{file}.csv").write_text(text + "\n")

    def keep(self, **figures: Any) -> None:
        """Keep figures for `figures.json`, the machine-readable result."""
        self.figures.update(figures)

    def note_file(self, path: Path) -> None:
        """Say where a result was written."""
        self.say(f"wrote {path}")

    def _write_figures(self, verdict: Verdict, wall_s: float) -> None:
        record = {
            "experiment": self.name,
            "holds": verdict.holds,
            "figure": verdict.figure,
            "goal": verdict.goal,
            "quick": self.quick,
            "seed": self.seed,
            "threads": self.threads,
            "wall_s": round(wall_s, 3),
            "host": host_facts(),
            "figures": self.figures,
        }
        (self.folder / "figures.json").write_text(json.dumps(record, indent=1) + "\n")


Body = Callable[[Experiment], Verdict]
MoreArguments = Callable[[argparse.ArgumentParser], None]


def experiment_named(
    name: str,
    more_arguments: MoreArguments | None = None,
    *,
    needs_program: str | None = None,
    among_python_tests: bool = False,
    mostly_waits: bool = False,
) -> Callable[[Body], Callable[[Sequence[str]], int]]:
    """Make a function an experiment: it then takes command-line arguments, returns an exit status.

    `needs_program` is one that only tests need: without it `firesim test` skips the
    experiment. With `among_python_tests` it leaves it out: each of its cases is a test of the part
    Python already; with `mostly_waits` it begins before the others, as it computes little. All are
    read from the text, as the name is, so each must stand there as it is.
    """

    def named(body: Body) -> Callable[[Sequence[str]], int]:
        description = sys.modules[body.__module__].__doc__

        def run(argv: Sequence[str]) -> int:
            return run_experiment(name, description, argv, body, more_arguments)

        return run

    return named


def host_facts() -> dict[str, Any]:
    """Return what a reader must know of the host to judge a speed: CPU, cores, load."""
    model = "unknown"
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "load_1_minute": round(os.getloadavg()[0], 2),
        "kernel": platform.release(),
    }


def _csv_cell(cell: object) -> str:
    text = str(cell).replace("\n", " ")
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"') else text


def _parse(
    name: str,
    description: str | None,
    argv: Sequence[str],
    more: MoreArguments | None,
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"firesim experiment {name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a small size, under 60 s, as in CI")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="worker threads")
    parser.add_argument("--seed", type=int, default=1, help="seed of all that is random")
    parser.add_argument("--results", type=Path, default=None, help="results folder")
    if more is not None:
        more(parser)
    return parser.parse_args(list(argv))


def run_experiment(
    name: str,
    description: str | None,
    argv: Sequence[str],
    body: Body,
    more_arguments: MoreArguments | None = None,
) -> int:
    """Run an experiment, print its last line, return its exit status (0 only when it holds).

    The last line is `NAME: <figure> ok` or `NAME: <figure> short of <goal>`; where it cannot run,
    `NAME: skipped: <why>`.
    """
    arguments = _parse(name, description, argv, more_arguments)
    try:
        results = new_folder(name, arguments.results)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    with plain_work(results) as folder:
        experiment = Experiment(name, arguments, folder)
        experiment.say(f"{name}: seed {experiment.seed}, results in {results}")
        try:
            return _run(experiment, body)
        finally:
            if folder != results:  # Tools that take no blanks were run in it.
                shutil.copytree(folder, results, symlinks=True, dirs_exist_ok=True)


def _run(experiment: Experiment, body: Body) -> int:
    name, began = experiment.name, time.monotonic()
    try:
        verdict = body(experiment)
    except NotHereError as error:
        print(f"{name}: skipped: {error}", flush=True)
        return SKIPPED_STATUS
    except (ExperimentError, InputError, ToolError) as error:
        experiment.say(str(error))
        verdict = Verdict(False, "did not run to its end,", "a complete run")
    experiment._write_figures(verdict, time.monotonic() - began)
    ending = "ok" if verdict.holds else f"short of {verdict.goal}"
    print(f"{name}: {verdict.figure} {ending}", flush=True)
    return verdict.status
