# SPDX-License-Identifier: BSD-3-Clause
"""Quantities people write, turned into what the simulator counts: cycles and k flits every p."""

from __future__ import annotations

import re
from fractions import Fraction

FULL_RATE_GBPS = 200
"""One 64-bit flit each cycle of the 3.2 GHz clock: 204.8 Gb/s, called 200 as published."""

LARGEST_RATE_TERM = 0xFFFF
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12}
_SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*")


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
            f'found "{text}", expected a time with a unit: "2us", "500ns", "1.5ms" or "0.1s"'
        )
    cycles = Fraction(match[1]) / _PER_SECOND[match[2]] * clock_hz
    if cycles.denominator != 1:
        raise ValueError(
            f'found "{text}", expected a whole number of cycles of {clock_hz} Hz, '
            f"but it is {float(cycles):.6g} cycles"
        )
    return cycles.numerator


def seconds_of(text: str) -> float:
    """Return the seconds of a wall time such as "30s", "5min" or "1.5 h".

    Raises:
        ValueError: no number with a known unit.
    """
    match = _TIME.fullmatch(text)
    if match is None or match[2] not in _SECONDS:
        raise ValueError(
            f'found "{text}", expected a time with a unit: "500ms", "30s", "5min" or "1h"'
        )
    return float(match[1]) * _SECONDS[match[2]]


def mac_text(index: int) -> str:
    """Return the MAC address of node `index` (0 is the first): 00:12:6D:00:00:02 and up."""
    low = index + 2
    return f"00:12:6D:{low >> 16 & 255:02X}:{low >> 8 & 255:02X}:{low & 255:02X}"


def ip_text(index: int) -> str:
    """Return the IPv4 address of node `index`: 172.16.0.2 and up, as the target derives it."""
    low = index + 2
    return f"172.16.{low >> 8 & 255}.{low & 255}"


def engineering(value: float, unit: str) -> str:
    """Return a value with a decimal prefix: 1234567, "Hz" gives "1.23 MHz"."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def target_time(cycles: int, clock_hz: int) -> str:
    """Return target time as text with a fitting unit: 6400 cycles of 3.2 GHz give "2.000 us"."""
    seconds = cycles / clock_hz
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3f} {unit}"
    return f"{seconds * 1e9:.1f} ns"
