# SPDX-License-Identifier: BSD-3-Clause
"""A run as a person at a terminal sees it: watched, summed up, its report written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from firesim.config.loaded import Loaded
from firesim.results.measurements import print_measurements
from firesim.results.node_summary import print_node_summary
from firesim.results.outcome import Outcome
from firesim.results.report_step import report_of
from firesim.results.summary import print_folder, print_summary
from firesim.run.losses import run_through
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan


def run_shown(
    loaded: Loaded,
    results: Path | None,
    console: Console,
    restart: Callable[[Plan], Restart | None] | None = None,
) -> Outcome:
    """Run a loaded configuration, write the report and print what came of it."""
    outcome = run_through(loaded, results, console, restart)
    print_summary(outcome, console)
    print_node_summary(outcome, console)
    print_measurements(outcome, console)
    print_folder(outcome.folder, report_of(outcome.folder, console), console)
    return outcome
