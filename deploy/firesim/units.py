# SPDX-License-Identifier: BSD-3-Clause
"""Quantities with their units: what people write, turned into cycles and rates, and what they read.

A quantity is shown in the same way on the terminal and in a report.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from fractions import Fraction
from math import floor

from firesim_common.errors import cut

FULL_RATE_GBPS = 200
"""One 64-bit flit each cycle of the 3.2 GHz clock: 204.8 Gb/s, called 200 as published."""

LARGEST_RATE_TERM = 0xFFFF
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12}
_SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_TIME = re.compile(r"\s*([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*([a-zA-Z]*)\s*")


@functools.lru_cache
def rate(bandwidth_gbps: float) -> tuple[int, int]:
    """Return (k, p): k flits every p cycles give `bandwidth_gbps` of the full 200 Gb/s.

    Raises:
        ValueError: not above 0 and at most 200, or k or p would not fit in 16 bits.
    """
    fraction = Fraction(str(bandwidth_gbps)) / FULL_RATE_GBPS
    if not 0 < fraction <= 1:
        raise ValueError(f"found {bandwidth_gbps:g} Gb/s, expected above 0 and at most 200 Gb/s")
    if fraction.denominator > LARGEST_RATE_TERM:
        near = fraction.limit_denominator(LARGEST_RATE_TERM) * FULL_RATE_GBPS
        raise ValueError(
            f"found {bandwidth_gbps} Gb/s, expected a rate of k flits every p cycles with k and p "
            f"below 65536, the nearest is {float(near):.9g} Gb/s"
        )
    return fraction.numerator, fraction.denominator


def cycles_of(text: str, clock_hz: int) -> int:
    """Return the whole number of cycles in a time such as "2us" or "1.5 ns".

    Raises:
        ValueError: no number with a known unit, or not a whole number of cycles.
    """
    match = _TIME.fullmatch(text)
    if match is None or match[2] not in _PER_SECOND:
        raise ValueError(
            f'found "{cut(text)}", expected a time with a unit: "2us", "500ns", "1.5ms" or "0.1s"'
        )
    cycles = Fraction(match[1]) / _PER_SECOND[match[2]] * clock_hz
    if cycles.denominator != 1:
        nearest = [near for near in (floor(cycles), floor(cycles) + 1) if near > 0]
        shown = " or ".join(_cycles_and_time(near, match[2], clock_hz) for near in nearest)
        raise ValueError(
            f'found "{cut(text)}", expected a whole number of cycles of {clock_hz} Hz, '
            f"but it is {float(cycles):.6g} cycles: {shown}"
        )
    return cycles.numerator


def _cycles_and_time(cycles: int, unit: str, clock_hz: int) -> str:
    """Return "3201 cycles = 1.0003125us", the cycles alone where decimals do not say the time."""
    time = Fraction(cycles, clock_hz) * _PER_SECOND[unit]
    for digits in range(13):
        if (time * 10**digits).denominator == 1:
            return f"{cycles} cycles = {float(time):.{digits}f}{unit}"
    return f"{cycles} cycles"


def seconds_of(text: str) -> float:
    """Return the seconds of a wall time such as "30s", "5min" or "1.5 h".

    Raises:
        ValueError: no number with a known unit.
    """
    match = _TIME.fullmatch(text)
    if match is None or match[2] not in _SECONDS:
        raise ValueError(
            f'found "{cut(text)}", expected a time with a unit: "500ms", "30s", "5min" or "1h"'
        )
    return float(match[1]) * _SECONDS[match[2]]


def grouped(value: float | int | None, digits: int = 0) -> str:
    """Format with thousands separators; a missing value is an en dash."""
    if value is None:
        return "–"
    return f"{value:,.{digits}f}"


def significant(value: float, digits: int = 4) -> str:
    """Format with `digits` significant digits and no exponent: 1234.567 -> 1,235."""
    if value == 0:
        return "0"
    magnitude = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    text = f"{value:,.{max(0, digits - magnitude)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_RATES = ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"))
_BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def _scaled(value: float | None, scales: Sequence[tuple[float, str]], least: str) -> str:
    """Format with the unit that suits it; `least` is what is below all of them, an en dash none."""
    if value is None:
        return "–"
    for scale, unit in scales:
        if abs(value) >= scale:
            return f"{significant(value / scale)} {unit}"
    return least


def seconds(value: float | None) -> str:
    """Format a duration given in seconds with the unit that suits it."""
    return _scaled(value, _TIMES, f"{significant(value / 1e-9)} ns" if value else "0 s")


def hertz(value: float | None) -> str:
    """Format a frequency given in hertz with the unit that suits it."""
    return _scaled(value, _RATES, f"{significant(value or 0)} Hz")


def byte_size(value: int | None) -> str:
    """Format a number of bytes with a binary unit."""
    return _scaled(value, _BYTES, f"{value} B")


def count(value: int) -> str:
    """Format a count in six characters: 99,999 to the last one, then 123k, 12.3M, 1.23G."""
    if value < 100_000:
        return f"{value:,}"
    for scale, letter in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= scale:
            return f"{significant(value / scale, 3)}{letter}"
    raise AssertionError("a count is a whole number")


def duration(value_s: float) -> str:
    """Format wall time by its two largest units: "45 s", "3 min 20 s", "2 h 5 min", "3 d 4 h"."""
    left = max(0, round(value_s))
    if left < 60:
        return f"{left} s"
    scales = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
    index = next(i for i, (scale, _) in enumerate(scales) if left >= scale)
    (large, word), (small, rest) = scales[index], scales[index + 1]
    lesser = left % large // small
    return f"{left // large} {word}" + (f" {lesser} {rest}" if lesser else "")


def percent(share: float) -> str:
    """Format a share of 1 as a whole percentage."""
    return f"{100 * share:.0f} %"


def target_time(cycles: float, clock_hz: float) -> str:
    """Format target cycles as target time: 6400 cycles of 3.2 GHz give "2 µs"."""
    return seconds(cycles / clock_hz)
