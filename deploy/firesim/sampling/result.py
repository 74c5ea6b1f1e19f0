# SPDX-License-Identifier: BSD-3-Clause
"""What a sample says of the whole, with all that it may not say."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesim_common.errors import InputError

from firesim.sampling.estimates import (
    drawn_of,
    event_of,
    printed_of,
    rate_of,
    represented_by,
    wanted_of,
)
from firesim.sampling.figures import Figures
from firesim.sampling.folder import MEASURED, Interval, SampleFolder
from firesim.sampling.intervals_csv import intervals_csv
from firesim.sampling.settings import CYCLES, FIGURES, INSTRUCTIONS, Settings, Whole
from firesim.sampling.stacks import WholeStacks, whole_cycles, whole_stacks
from firesim.sampling.statistics import (
    CORRELATED,
    Estimate,
    least_for_skewness,
    needed,
    serial_correlation,
    widened,
)
from firesim.sampling.warm_up import Bias, bias_of, matters, value_of

IDLE = 0.01
"""Share of waiting from which it is said."""
UNKNOWN_ERROR = (
    "no confidence interval: each phase is told by one interval, which was chosen by the code that "
    "runs in it and not at random, so nothing says how far off the estimate is"
)


@dataclass(frozen=True)
class Result:
    """What a sample says."""

    rate: Estimate | None
    """Cycles per instruction, or instructions per cycle; None where intervals are of figures."""
    events: dict[str, Estimate]
    """In 1,000 instructions, or cycles, by counter."""
    printed: Figures | None
    """Of what was looked for in the consoles."""
    wanted: Estimate
    """The one that the error is asked of."""
    intervals: tuple[Interval, ...]
    """All behind `warm_up`, in the order of the workload."""
    every: tuple[Interval, ...]
    """All that were measured, behind shorter and longer warm-ups, too."""
    population: int
    whole: Whole
    settings: Settings
    warm_up: int
    """Instructions, cycles or figures before each interval."""
    bias: Bias | None
    """What a doubled warm-up changes of `wanted`; None where it was not measured. What may be left
    of it is in the half widths of `wanted`, `rate` and the mean of `printed`."""
    stacks: WholeStacks | None
    """Call stacks of the whole workload; None where they were not asked for."""
    warnings: tuple[str, ...]
    sample_hash: str
    """Over sample.csv: the same for every run of the same sample."""

    @property
    def is_met(self) -> bool:
        """Whether the error that was asked for is met; where intervals are drawn, one is."""
        return not self.settings.are_drawn or self.wanted.error <= self.settings.error

    @property
    def measured(self) -> list[Interval]:
        """The intervals that count."""
        return [one for one in self.intervals if one.state == MEASURED]

    @property
    def cycles(self) -> int | None:
        """Estimated cycles of the whole workload in RTL; None without cycles per instruction."""
        return whole_cycles(self.rate, self.whole)

    @property
    def rtl_cycles(self) -> int:
        """Cycles simulated in RTL for all that were measured."""
        return sum(one.rtl_cycles for one in self.every)

    @property
    def cpu_s(self) -> float:
        """Processor time of the functional run and of all that were measured, in seconds."""
        return self.whole.cpu_s + sum(one.cpu_s for one in self.every)


def result_of(folder: SampleFolder, whole: Whole, units: Sequence[int], warm_up: int) -> Result:
    """Return what the intervals say.

    Raises:
        InputError: too few of them were measured.
    """
    settings = folder.settings
    intervals = folder.intervals(units, warm_up)
    measured = [one for one in intervals if one.state == MEASURED]
    rate = rate_of(intervals, whole, settings)
    wanted = wanted_of(intervals, whole, settings)
    if wanted is None:
        raise InputError(
            f"sample: found {len(measured)} measured intervals of {len(intervals)}, expected 2 at "
            "least beside the first and the last: the workload ends earlier in RTL than on the "
            "functional blade."
        )
    names = sorted({name for one in measured for name in one.events})
    events = {name: event_of(name, intervals, whole, settings) for name in names}
    printed = printed_of(intervals, whole, settings) if settings.figure else None
    bias = bias_of(folder, whole, warm_up)
    if bias is not None:
        wanted = widened(wanted, bias.left)
        rate = wanted if rate is not None else None
        printed = replace(printed, mean=wanted) if printed is not None else None
    return Result(
        rate=rate,
        events={name: one for name, one in events.items() if one is not None},
        printed=printed,
        wanted=wanted,
        intervals=tuple(intervals),
        every=tuple(folder.every()),
        population=whole.population(settings),
        whole=whole,
        settings=settings,
        warm_up=warm_up,
        bias=bias,
        stacks=whole_stacks(folder, intervals, whole, rate, warm_up),
        warnings=(*_warnings(intervals, whole, settings, wanted, bias), *_cold(whole)),
        sample_hash=hashlib.sha256(intervals_csv(intervals, whole, settings).encode()).hexdigest()[
            :16
        ],
    )


def _left_out(others: int, measured: Sequence[Interval], whole: Whole, settings: Settings) -> str:
    """Return what is said of a number of intervals that were not measured."""
    text = f"{others} intervals ended early or took too long"
    if settings.are_drawn:
        return f"{text}, and are left out"
    lost = sum(size for _, size in whole.points) - sum(represented_by(measured, whole).values())
    share = lost / whole.population(settings)
    return f"{text}; the phases that they stand for, {share:.1%} of the workload, are left out"


def _cold(whole: Whole) -> list[str]:
    """Return what is said of caches that are not filled."""
    if not whole.cold:
        return []
    return [
        f"the L2, or the last-level cache, of {', '.join(whole.cold)} begins each warm-up empty: "
        "check the length of the warm-up by --check-warm-up"
    ]


def _missing(wanted: Estimate, whole: Whole, settings: Settings, bias: Bias | None) -> str:
    """Return what it takes to meet the error asked for."""
    error = settings.error - (bias.share_of(wanted.mean) if bias else 0.0)
    if error <= 0:
        return "what doubling the warm-up has changed is more than that"
    count = needed(wanted, error, whole.population(settings), settings.confidence)
    return f"it takes about {count:,} intervals (--most is {settings.most:,})"


def _warnings(
    intervals: Sequence[Interval],
    whole: Whole,
    settings: Settings,
    wanted: Estimate,
    bias: Bias | None,
) -> list[str]:
    """Return what the estimate may not say, a sentence each."""
    measured = [one for one in intervals if one.state == MEASURED]
    drawn = drawn_of(intervals, whole, settings)
    values = [value for one in drawn if (value := value_of(one, whole, settings)) is not None]
    said = [] if settings.are_drawn else [UNKNOWN_ERROR]
    if wanted.error > settings.error:
        said.append(f"the error asked for is not met: {_missing(wanted, whole, settings, bias)}")
    is_sample = settings.are_drawn and len(intervals) < whole.population(settings)
    least = least_for_skewness(values)
    if is_sample and least > len(values):
        said.append(
            f"too few intervals: they are so unlike that their mean is normal from about "
            f"{least:,} on, and the confidence is less than it says"
        )
    correlation = serial_correlation(values)
    if is_sample and correlation > CORRELATED:
        said.append(
            "neighbours are alike: phases are longer than the distance of intervals, and the true "
            "error is likely smaller than the one shown"
        )
    if others := len(intervals) - len(measured):
        said.append(_left_out(others, measured, whole, settings))
    if whole.unit == INSTRUCTIONS and whole.waiting > IDLE:
        said.append(
            f"the hart waits in {whole.waiting:.1%} of the functional time: waits within intervals "
            "count as their cycles"
        )
    if whole.unit == CYCLES:
        said.append(
            "phases count by their functional time: a phase that RTL takes longer for counts less "
            "than it should"
        )
    late = 0 if whole.unit == FIGURES else settings.interval
    moved = sum(one.extra_cycles > late for one in measured) if late else 0
    if moved:
        said.append(
            f"{moved} intervals begin more than their length late: the hart was in M mode, or a "
            "device was busy"
        )
    if bias and matters(bias.change, wanted.mean, settings):
        said.append(
            f"the warm-up is too short: doubling one of {bias.shorter:,} changes the estimate by "
            f"{bias.change.mean:+.4g}; make --warm-up longer"
        )
    return said
