# SPDX-License-Identifier: BSD-3-Clause
"""A run as a person at a terminal sees it: watched, summed up, its report written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from firesim.config.load import Loaded
from firesim.run.measurements import print_measurements
from firesim.run.node_summary import print_node_summary
from firesim.run.remote.losses import without_lost
from firesim.run.report_step import report_of
from firesim.run.runner import Outcome, run
from firesim.run.summary import print_folder, print_summary
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan


def run_shown(
    loaded: Loaded,
    results: Path | None,
    console: Console,
    restart: Callable[[Plan], Restart | None] | None = None,
) -> Outcome:
    """Run a loaded configuration, write the report and print what came of it."""
    outcome = run(loaded, results=results, console=console, restart=restart)
    outcome = without_lost(loaded, outcome, console)
    print_summary(outcome, console)
    print_node_summary(outcome, console)
    print_measurements(outcome, console)
    print_folder(outcome.folder, report_of(outcome.folder, console), console)
    return outcome
