"""`firesim runworkload`: build what is missing, run, watch, report."""

from __future__ import annotations

from pathlib import Path

import typer

from firesim.cli.common import ConfigOption, OverrideOption, ResultsOption, plain_errors


@plain_errors
def runworkload(
    config: ConfigOption, override: OverrideOption = None, results: ResultsOption = None
) -> None:
    """Run a configuration: build what is missing, simulate, watch, write the report.

    Examples:

      firesim runworkload -c quickstart

      firesim runworkload -c rack.yaml -x system.link.latency_cycles=100 -x simulation.threads=1
    """
    run_and_report(config, override, results)


def run_and_report(config: str, override: list[str] | None, results: Path | None) -> None:
    """Run a configuration file or recipe, print what came of it, and exit with its status."""
    from rich.console import Console

    from firesim.config.load import find_config, load_file
    from firesim.run.measurements import print_measurements
    from firesim.run.report_step import report_of
    from firesim.run.runner import run
    from firesim.run.summary import print_folder, print_summary

    console = Console()
    loaded = load_file(find_config(config), override or [])
    outcome = run(loaded, results=results, console=console)
    print_summary(outcome, console)
    print_measurements(outcome, console)
    print_folder(outcome.folder, report_of(outcome.folder, console), console)
    raise typer.Exit(outcome.exit_status)
