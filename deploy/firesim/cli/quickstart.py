"""`firesim quickstart`: two Rocket servers ping and stream over an exact network."""

from __future__ import annotations

from firesim.cli.common import OverrideOption, ResultsOption, plain_errors
from firesim.cli.runworkload import run_and_report


@plain_errors
def quickstart(override: OverrideOption = None, results: ResultsOption = None) -> None:
    """Simulate two Rocket servers on one switch: one pings the other, then streams to it.

    Examples:

      firesim quickstart

      firesim quickstart -x system.link.latency_cycles=100
    """
    run_and_report("quickstart", override, results)
