"""`firesim quickstart`: two Rocket servers ping and stream over an exact network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from firesim.cli.common import OverrideOption, ResultsOption, plain_errors

if TYPE_CHECKING:
    from rich.console import Console

    from firesim.report.console import Record
    from firesim.run.runner import Outcome


@plain_errors
def quickstart(override: OverrideOption = None, results: ResultsOption = None) -> None:
    """Simulate two Rocket servers on one switch: one pings the other, then streams to it.

    Examples:

      firesim quickstart

      firesim quickstart -x system.link.latency_cycles=100
    """
    from rich.console import Console

    from firesim.config.load import find_config, load_file
    from firesim.run.report_step import report_of
    from firesim.run.runner import run
    from firesim.run.summary import print_folder, print_summary

    console = Console()
    outcome = run(
        load_file(find_config("quickstart"), override or []), results=results, console=console
    )
    print_summary(outcome, console)
    print_measurements(outcome, console)
    print_folder(outcome.folder, report_of(outcome.folder, console), console)
    raise typer.Exit(outcome.exit_status)


def print_measurements(outcome: Outcome, console: Console) -> None:
    """Print the round trips beside the ideal 4 x latency + 2 x switching, and the stream."""
    import json

    from firesim.report.console import records, round_trips
    from firesim.report.network import Network

    network = Network(json.loads((outcome.folder / "description.json").read_text()))
    streams = []
    measured = False
    for node in outcome.plan.nodes:
        log = outcome.folder / node.name / "uart.log"
        text = log.read_text(errors="replace") if log.is_file() else ""
        if trips := round_trips(text):
            measured = True
            ideals = network.ideal_round_trips(node.name)
            print_round_trips(node.name, trips, ideals[0], outcome.plan.clock_hz, console)
        streams += [(node.name, r) for r in records(text) if r.kind == "stream"]
    if not measured:
        console.print("no round trips were measured", style="red")
    for name, stream in streams:
        console.print(stream_sentence(name, stream), highlight=False, soft_wrap=True)


def stream_sentence(name: str, stream: Record) -> str:
    """Say how fast a node's stream was, as the program measured it."""
    gbps = stream.number("gbps")
    if gbps is None:
        gbps = (stream.number("gbps_x1000") or 0) / 1000
    size, cycles = stream.number("bytes") or 0, stream.number("cycles") or 0
    checked = f", {stream.fields['errors']} errors" if "errors" in stream.fields else ""
    return f"stream of {name}: {size:,.0f} bytes in {cycles:,.0f} cycles, {gbps:.1f} Gb/s{checked}"


def print_round_trips(
    name: str, trips: list[tuple[int, float]], ideal: int, clock_hz: int, console: Console
) -> None:
    """Print one node's round trips; `ideal` is that of one token, in cycles."""
    from rich.table import Table

    from firesim.config.units import target_time

    console.print(
        f"round trips of {name}; ideal 4 x latency + 2 x switching = {ideal:,} cycles",
        highlight=False,
    )
    table = Table()
    for heading in ("ping", "cycles", "time", "over the ideal"):
        table.add_column(heading, justify="right")
    for number, cycles in trips:
        over = f"{cycles - ideal:+,.0f} cycles"
        table.add_row(str(number), f"{cycles:,.0f}", target_time(int(cycles), clock_hz), over)
    console.print(table)
