# SPDX-License-Identifier: BSD-3-Clause
"""Turns numbers into text with their units, the same way everywhere in a report."""

from __future__ import annotations


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


_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def seconds(value: float | None) -> str:
    """Format a duration given in seconds with the unit that suits it."""
    if value is None:
        return "–"
    for scale, unit in _SECONDS:
        if abs(value) >= scale:
            return f"{significant(value / scale)} {unit}"
    return "0 s" if value == 0 else f"{significant(value / 1e-9)} ns"


_RATES = ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"))


def hertz(value: float | None) -> str:
    """Format a frequency given in hertz with the unit that suits it."""
    if value is None:
        return "–"
    for scale, unit in _RATES:
        if value >= scale:
            return f"{significant(value / scale)} {unit}"
    return f"{significant(value)} Hz"


_BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def byte_size(value: int | None) -> str:
    """Format a number of bytes with a binary unit."""
    if value is None:
        return "–"
    for scale, unit in _BYTES:
        if value >= scale:
            return f"{significant(value / scale)} {unit}"
    return f"{value} B"


def cycles_as_time(cycles: float, clock_hz: float) -> str:
    """Format target cycles as target time."""
    return seconds(cycles / clock_hz)
