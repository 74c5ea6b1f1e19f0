# SPDX-License-Identifier: BSD-3-Clause
"""Prints what a sample says of the whole."""

from __future__ import annotations

from firesim_common.printable import printable
from rich import box
from rich.console import Console
from rich.table import Table

from firesim.sampling.result import Result, words
from firesim.units import percent

MOST_ROWS = 16


def print_result(result: Result, console: Console) -> None:
    """Print the estimates, what they rest on, and what they may not say."""
    confidence = f"± ({result.settings.confidence:.4g})"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("estimate", overflow="fold")
    for heading in ("mean", confidence, "error"):
        table.add_column(heading, justify="right")
    table.add_row("cycles per instruction", *words(result.cpi))
    most = sorted(result.events.items(), key=lambda item: -item[1].mean)[:MOST_ROWS]
    for name, one in most:
        table.add_row(printable(f"{name} in 1,000 instructions"), *words(one))
    if len(result.events) > MOST_ROWS:
        table.caption = f"{len(result.events) - MOST_ROWS} more events in estimate.json"
    console.print(table)
    for line in _lines(result):
        console.print(line, highlight=False, soft_wrap=True)
    for warning in result.warnings:
        console.print(f"warning: {warning}", style="yellow", highlight=False, soft_wrap=True)


def _lines(result: Result) -> list[str]:
    instructions = result.whole.instructions
    cycles = result.cpi.mean * instructions
    share = len(result.measured) / result.population
    lines = [
        f"whole workload: {instructions:,} instructions, about {cycles:,.0f} cycles",
        f"measured: {len(result.measured):,} of {result.population:,} intervals ({percent(share)})"
        f", in {result.rtl_cycles:,} cycles of RTL ({percent(result.rtl_cycles / cycles)} of the "
        f"whole) and {result.cpu_s:.1f} s of processor time",
        f"sample hash {result.sample_hash}",
    ]
    if result.bias is not None:
        lines.append(
            f"doubling the warm-up changes the CPI by {result.bias.mean:+.4f} "
            f"± {result.bias.half_width:.4f}"
        )
    return lines
