# SPDX-License-Identifier: BSD-3-Clause
"""What a sample says of the whole, with all that it may not say."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from firesim_common.errors import InputError
from firesim_common.whole_file import write_whole

from firesim.sampling.folder import MEASURED, Interval, SampleFolder
from firesim.sampling.plot import SVG, drawn
from firesim.sampling.settings import Settings, Whole
from firesim.sampling.statistics import (
    CORRELATED,
    Estimate,
    estimate,
    least_for_skewness,
    needed,
    serial_correlation,
)
from firesim.units import significant
from firesim.work.folder import write_json

CSV, ESTIMATE = "sample.csv", "estimate.json"
COLUMNS = ("interval", "first_instruction", "state", "cycles", "instructions", "cpi", "token_hash")
IDLE = 0.01
"""Share of waiting from which it is said."""


@dataclass(frozen=True)
class Result:
    """What a sample says."""

    cpi: Estimate
    events: dict[str, Estimate]
    """In 1,000 instructions, by counter."""
    intervals: tuple[Interval, ...]
    """All, in the order of the workload."""
    population: int
    whole: Whole
    settings: Settings
    bias: Estimate | None
    """Mean of what the CPI changes with the doubled warm-up; None where it was not measured."""
    warnings: tuple[str, ...]
    sample_hash: str
    """Over sample.csv: the same for every run of the same sample."""

    @property
    def is_met(self) -> bool:
        """Whether the error that was asked for is met."""
        return self.cpi.error <= self.settings.error

    @property
    def measured(self) -> list[Interval]:
        """The intervals that count."""
        return [one for one in self.intervals if one.state == MEASURED]

    @property
    def rtl_cycles(self) -> int:
        """Cycles simulated in RTL for them."""
        return sum(one.rtl_cycles for one in self.intervals)

    @property
    def cpu_s(self) -> float:
        """Processor time of the functional run and the intervals, in seconds."""
        return self.whole.cpu_s + sum(one.cpu_s for one in self.intervals)


def result_of(
    folder: SampleFolder, whole: Whole, units: Sequence[int], doubled: Sequence[int]
) -> Result:
    """Return what the intervals say.

    Raises:
        InputError: too few of them were measured.
    """
    settings = folder.settings
    intervals = folder.intervals(units)
    measured = [one for one in intervals if one.state == MEASURED]
    if len(measured) < 2:
        raise InputError(
            f"sample: found {len(measured)} measured intervals of {len(intervals)}, expected 2 at "
            "least: the workload ends earlier in RTL than on the functional blade."
        )
    population = whole.population(settings)

    def of(values: Sequence[float]) -> Estimate:
        return estimate(values, population, settings.confidence)

    names = sorted({name for one in measured for name in one.events})
    events = {
        name: of([1000 * one.events.get(name, 0) / one.instructions for one in measured])
        for name in names
    }
    cpi = of([one.cpi for one in measured])
    bias = _bias(folder, doubled)
    warnings = tuple(_warnings(measured, intervals, whole, settings, cpi, bias))
    digest = hashlib.sha256(_table(intervals, whole, settings).encode()).hexdigest()[:16]
    return Result(
        cpi, events, tuple(intervals), population, whole, settings, bias, warnings, digest
    )


def _bias(folder: SampleFolder, doubled: Sequence[int]) -> Estimate | None:
    """Return what the CPI changes when the warm-up is doubled, of the same intervals."""
    pairs = [(folder.interval(unit), folder.interval(unit, doubled=True)) for unit in doubled]
    changes = [
        after.cpi - before.cpi
        for before, after in pairs
        if before and after and before.state == after.state == MEASURED
    ]
    if len(changes) < 2:
        return None
    return estimate(changes, 10**18, folder.settings.confidence)


def _warnings(
    measured: Sequence[Interval],
    intervals: Sequence[Interval],
    whole: Whole,
    settings: Settings,
    cpi: Estimate,
    bias: Estimate | None,
) -> list[str]:
    """Return what the estimate may not say, a sentence each."""
    values = [one.cpi for one in measured]
    said = []
    if cpi.error > settings.error:
        wanted = needed(cpi, settings.error, whole.population(settings), settings.confidence)
        said.append(
            f"the error asked for is not met: it takes about {wanted:,} intervals "
            f"(--most is {settings.most:,})"
        )
    is_sample = len(intervals) < whole.population(settings)
    least = least_for_skewness(values)
    if is_sample and least > len(values):
        said.append(
            f"too few intervals: the CPIs are so unlike that their mean is normal from about "
            f"{least:,} on, and the confidence is less than it says"
        )
    correlation = serial_correlation(values)
    if is_sample and correlation > CORRELATED:
        said.append(
            "neighbours are alike: phases are longer than the distance of intervals, and the true "
            "error is likely smaller than the one shown"
        )
    others = len(intervals) - len(measured)
    if others:
        said.append(f"{others} intervals ended early or took too long, and are left out")
    if whole.waiting > IDLE:
        said.append(
            f"the hart waits in {whole.waiting:.1%} of the functional time: waits within intervals "
            "count as their cycles"
        )
    moved = sum(one.extra_cycles > settings.interval_instructions for one in measured)
    if moved:
        said.append(
            f"{moved} intervals begin more than their length late: the hart was in M mode, or a "
            "device was busy"
        )
    if bias and abs(bias.mean) > bias.half_width and abs(bias.mean) > cpi.mean * settings.error / 2:
        said.append(
            f"the warm-up is too short: with twice its length the CPI changes by {bias.mean:+.4f}; "
            "make --warm-up longer"
        )
    return said


def _table(intervals: Sequence[Interval], whole: Whole, settings: Settings) -> str:
    """Return the intervals as CSV."""
    names = sorted({name for one in intervals for name in one.events})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *names])
    for one in intervals:
        cpi = f"{one.cpi:.6f}" if one.state == MEASURED else ""
        first = one.unit * settings.interval_instructions
        row = [one.unit, first, one.state, one.cycles, one.instructions, cpi, one.token_hash]
        writer.writerow([*row, *(one.events.get(name, 0) for name in names)])
    return text.getvalue()


def write_result(folder: SampleFolder, result: Result) -> None:
    """Write the estimate, the table of intervals and the plot."""
    write_whole(folder.path / CSV, _table(result.intervals, result.whole, result.settings))
    write_json(folder.path / ESTIMATE, said(result))
    text = io.StringIO()
    drawn(result.measured, result.cpi, result.settings).savefig(text, format="svg")
    write_whole(folder.path / SVG, text.getvalue())


def said(result: Result) -> dict[str, Any]:
    """Return a result as JSON."""
    return {
        "cpi": _said(result.cpi),
        "in_1000_instructions": {name: _said(one) for name, one in result.events.items()},
        "is_met": result.is_met,
        "error": result.settings.error,
        "confidence": result.settings.confidence,
        "instructions": result.whole.instructions,
        "intervals": len(result.intervals),
        "population": result.population,
        "warm_up_bias": _said(result.bias) if result.bias else None,
        "warnings": list(result.warnings),
        "sample_hash": result.sample_hash,
        "rtl_cycles": result.rtl_cycles,
        "cpu_s": round(result.cpu_s, 3),
        "settings": asdict(result.settings),
    }


def _said(one: Estimate) -> dict[str, float]:
    return {
        "mean": one.mean,
        "low": one.mean - one.half_width,
        "high": one.mean + one.half_width,
        "half_width": one.half_width,
        "deviation": one.deviation,
        "intervals": one.count,
    }


def words(one: Estimate) -> tuple[str, str, str]:
    """Return mean, half width and error for people."""
    error = "-" if one.mean == 0 else f"{one.error:.2%}"
    return significant(one.mean, 5), significant(one.half_width, 2), error
