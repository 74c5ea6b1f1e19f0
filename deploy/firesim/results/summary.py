# SPDX-License-Identifier: BSD-3-Clause
"""What is printed when a run has ended: reason, nodes, rates, where the results are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from firesim_common.printable import printable
from rich.console import Console
from rich.table import Table

from firesim.report.network import functional_words
from firesim.results.outcome import Outcome
from firesim.results.outputs import missing_outputs
from firesim.units import hertz, target_time

MOST_NODES = 64
MOST_NAMED = 8
"""Nodes that failed, in one line."""
_ANY = 1000
"""Columns in which any table has room."""


def print_summary(outcome: Outcome, console: Console) -> None:
    """Print how the run ended, in a few lines and a table of the nodes."""
    result, clock_hz = outcome.result, outcome.plan.clock_hz
    table = node_table(outcome)
    if (
        console.measure(table, options=console.options.update(max_width=_ANY)).maximum
        > console.width
    ):
        # Addresses are in the report and in what runcheck prints; who failed, and when, is news.
        table = node_table(outcome, addresses=False)
    console.print(table)
    cycles, wall_s = int(result.get("end_cycle", 0)), float(result.get("wall_s", 0))
    if outcome.start_cycle:
        cycles -= outcome.start_cycle
        console.print(f"went on from cycle {outcome.start_cycle:,} of a snapshot", highlight=False)
    if cycles > 0 and wall_s > 0:
        rate_hz = cycles / wall_s
        console.print(
            f"simulated {cycles:,} cycles ({target_time(cycles, clock_hz)} of target time) "
            f"in {wall_s:.2f} s: {hertz(rate_hz)}, "
            f"{pace(clock_hz / rate_hz)} than real time",
            highlight=False,
            soft_wrap=not console.is_terminal,
        )
    if result.get("token_hash"):
        console.print(f"token hash {result['token_hash']}", highlight=False)
    if network := functional_words(result, clock_hz):
        console.print(network, highlight=False, soft_wrap=not console.is_terminal)
    if not result.get("deterministic", True):
        console.print(
            "not deterministic: input from outside entered this run (a console or a gateway), "
            "so another run will differ",
            highlight=False,
            soft_wrap=not console.is_terminal,
        )
    ended = "all nodes passed" if outcome.exit_status == 0 else "a node failed"
    words = {"ended": f"lost {', '.join(outcome.lost)}" if outcome.lost else ended}
    console.print(f"end: {words.get(outcome.reason, outcome.reason)}", highlight=False)
    if failed := failed_nodes(outcome):
        console.print(
            f"failed: {failed}", style="red", highlight=False, soft_wrap=not console.is_terminal
        )
    for line in missing_outputs(outcome.folder)[:MOST_NAMED]:
        text = printable(f"missing output of {line}")
        console.print(text, style="yellow", highlight=False, markup=False, soft_wrap=True)
    if outcome.message:
        message = printable(outcome.message)
        console.print(message, style="red", highlight=False, markup=False, soft_wrap=True)


def failed_nodes(outcome: Outcome) -> str:
    """Return which nodes failed, with their exit codes; of many, how many more."""
    nodes = outcome.result.get("nodes", [])
    found = [f"{one['name']} (exit {one['exit_code']})" for one in nodes if one.get("exit_code")]
    more = len(found) - MOST_NAMED
    return ", ".join(found[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def pace(slowdown: float) -> str:
    """Return how a run compares with real time: nodes that mostly idle outrun it."""
    if slowdown < 1:
        return f"{1 / slowdown:,.1f} times faster"
    return f"{slowdown:,.{1 if slowdown < 10 else 0}f} times slower"


def node_table(outcome: Outcome, *, addresses: bool = True) -> Table:
    """Return a table with a row for each node: when and how it ended, with or without addresses.

    Of more than MOST_NODES it shows those that failed first.
    """
    table = Table(title="nodes", title_justify="left")
    table.add_column("node", overflow="fold")
    for heading in ("MAC", "IP") if addresses else ():
        table.add_column(heading, no_wrap=True)
    for heading in ("ended at cycle", "exit", "CPU s"):
        table.add_column(heading, justify="right", no_wrap=True)
    ended = {entry.get("name"): entry for entry in outcome.result.get("nodes", [])}
    nodes = list(outcome.plan.nodes)
    if len(nodes) > MOST_NODES:
        nodes = sorted(nodes, key=lambda node: not ended.get(node.name, {}).get("exit_code"))
    for node in nodes[:MOST_NODES]:
        entry = ended.get(node.name, {})
        # Null: the run was over before this node ended.
        at, code = entry.get("ended_at_cycle"), entry.get("exit_code")
        table.add_row(
            node.name,
            *(("\n".join(node.macs), "\n".join(node.ips)) if addresses else ()),
            "-" if at is None else f"{at:,}",
            "-" if code is None else str(code),
            f"{float(entry.get('cpu_s', 0)):.2f}",
            style="red" if code else None,
        )
    if len(outcome.plan.nodes) > MOST_NODES:
        table.caption = f"{len(outcome.plan.nodes) - MOST_NODES} more nodes in result.json"
    return table


def print_folder(folder: Path, report: Path | None, console: Console) -> None:
    """Print where the results are."""
    console.print(f"results: {folder}", highlight=False, soft_wrap=True)
    if report is not None:
        console.print(f"report:  {report}", highlight=False, soft_wrap=True)


def _hash(outcome: Outcome) -> str:
    if outcome.plan.run.network.is_functional:
        return "none: functional network"
    return str(outcome.result.get("token_hash") or "")


def print_runs(outcomes: Mapping[str, Outcome], console: Console) -> None:
    """Print several runs beside each other, by name, and where their reports are."""
    table = Table(title="all runs", title_justify="left")
    table.add_column("run", no_wrap=True)
    for heading in ("cycles", "wall time", "rate"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("token hash", no_wrap=True)
    for name, outcome in outcomes.items():
        cycles, wall_s = int(outcome.result.get("end_cycle", 0)), outcome.result.get("wall_s", 0)
        table.add_row(
            name,
            f"{cycles:,}",
            f"{wall_s:.1f} s",
            hertz(cycles / wall_s) if wall_s else "-",
            _hash(outcome),
            style="red" if outcome.exit_status else None,
        )
    console.print(table)
    for name, outcome in outcomes.items():
        report = outcome.folder / "report.html"
        console.print(f"{name}: {report}", highlight=False, soft_wrap=True)
