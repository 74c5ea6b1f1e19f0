# SPDX-License-Identifier: BSD-3-Clause
"""Prints what a sample says of the whole."""

from __future__ import annotations

import math

from firesim_common.printable import printable
from rich import box
from rich.console import Console
from rich.table import Table

from firesim.sampling.activity import TOGGLES
from firesim.sampling.result import Result
from firesim.sampling.warm_up import Bias
from firesim.sampling.written import words
from firesim.units import percent, significant

MOST_ROWS, MOST_MODULES = 16, 6


def print_result(result: Result, console: Console) -> None:
    """Print the estimates, what they rest on, and what they may not say."""
    settings = result.settings
    confidence = f"± ({settings.confidence:.4g})" if settings.are_drawn else "±"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("estimate", overflow="fold")
    for heading in ("mean", confidence, "error"):
        table.add_column(heading, justify="right")
    if result.rate is not None:
        table.add_row(result.whole.rate_name, *words(result.rate))
    if result.printed is not None:
        table.add_row(printable(result.settings.figure), *words(result.printed.mean))
    events = {name: one for name, one in result.events.items() if not name.startswith(TOGGLES)}
    most = sorted(events.items(), key=lambda item: -item[1].mean)[:MOST_ROWS]
    for name, one in most:
        table.add_row(printable(f"{name} in 1,000 {result.whole.unit}"), *words(one))
    toggles = sorted(result.events.keys() - events.keys(), key=lambda name: name.count("."))
    for name in toggles[:MOST_MODULES]:
        table.add_row(f"{name} in 1,000 {result.whole.unit}", *words(result.events[name]))
    left = len(result.events) - len(most) - len(toggles[:MOST_MODULES])
    if left:
        table.caption = f"{left} more events in estimate.json"
    console.print(table)
    for line in _lines(result):
        console.print(line, highlight=False, soft_wrap=True)
    for warning in result.warnings:
        console.print(f"warning: {warning}", style="yellow", highlight=False, soft_wrap=True)


def _lines(result: Result) -> list[str]:
    whole = result.whole
    share = len(result.measured) / result.population
    about = of = ""
    if result.cycles is not None:
        about = f", about {result.cycles:,} cycles"
        of = f" ({percent(result.rtl_cycles / result.cycles)} of the whole)"
    lines = [
        f"whole workload: {whole.length:,} {whole.unit}{about}",
        f"measured: {len(result.measured):,} of {result.population:,} intervals ({percent(share)})"
        f", in {result.rtl_cycles:,} cycles of RTL{of} and {result.cpu_s:.1f} s of processor time",
        f"sample hash {result.sample_hash}",
    ]
    if result.printed is not None:
        percentiles = ", ".join(
            f"{name} {significant(one.value, 5)} ({_end(one.low)} to {_end(one.high)})"
            for name, one in result.printed.percentiles.items()
        )
        lines.insert(1, f"{result.printed.count:,} figures: {percentiles}")
    if result.stacks is not None:
        most = ", ".join(f"{name} {share:.1%}" for name, share in result.stacks.functions)
        lines.append(printable(f"call stacks of {result.stacks.cycles:,} cycles: {most}"))
    if result.bias is not None:
        lines.append(
            f"doubling the warm-up of {result.bias.shorter:,} {whole.unit} changes the estimate "
            f"by {result.bias.change.mean:+.4g}{_width(result.bias.change.half_width)}"
            f"{_left(result.bias)}"
        )
    return lines


def _left(bias: Bias) -> str:
    """Return what of the half width is for the bias, nothing where there is no half width."""
    if math.isnan(bias.change.half_width):
        return ""
    return f"; the half width has room for {bias.left:.2g} of bias"


def _width(half_width: float) -> str:
    """Return half of a confidence interval for people, nothing where there is none."""
    return "" if math.isnan(half_width) else f" ± {half_width:.2g}"


def _end(value: float) -> str:
    """Return an end of a confidence interval for people."""
    return significant(value, 5) if math.isfinite(value) else "unknown"
