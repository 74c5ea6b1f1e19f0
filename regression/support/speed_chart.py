# SPDX-License-Identifier: BSD-3-Clause
"""The README's chart of speed: bars on a logarithmic scale, from the table in docs/measurements."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from firesim_common.paths import ROOT

SOURCE = ROOT / "docs/measurements/README.md"
TITLE = "## Speed at a glance"
PUBLISHED = (("FPGA metasimulation, published", 2.4, 5.3), ("FPGAs, 8 nodes, published", 0, 37_800))
"""Name, least and most, in kHz; sources stand below the table."""
WIDTH, LEFT, RIGHT, BAR, GAP = 760, 236, 88, 15, 13
LOW_KHZ, HIGH_KHZ = 1.0, 100_000.0
_ROW = re.compile(r"^\| ([^|]+) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)


class Bar(NamedTuple):
    """One bar: its label, its ends in kHz, its colour."""

    name: str
    low_khz: float
    high_khz: float
    colour: str


def bars(page: str) -> list[list[Bar]]:
    """Return the bars of the chart in groups: a group a program, then what was published.

    Raises:
        ValueError: the page has no such table.
    """
    table = page.partition(TITLE)[2].partition("\n## ")[0]
    rows = _ROW.findall(table)
    if not rows:
        raise ValueError(f"{SOURCE}: found no rows below {TITLE}")
    groups = [
        [
            Bar(f"{name}: this FireSim", 0, float(ours.replace(",", "")), "#2563eb"),
            Bar("Verilator", 0, float(theirs.replace(",", "")), "#94a3b8"),
        ]
        for name, theirs, ours in rows
    ]
    return [*groups, [Bar(name, low, high, "#9333ea") for name, low, high in PUBLISHED]]


def _x(khz: float) -> float:
    share = math.log(max(khz, LOW_KHZ) / LOW_KHZ) / math.log(HIGH_KHZ / LOW_KHZ)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _shown(khz: float) -> str:
    return f"{khz / 1000:.3g} MHz" if khz >= 1000 else f"{khz:g} kHz"


def _draw(groups: list[list[Bar]]) -> Iterator[str]:
    bottom = sum(len(group) * (BAR + 3) + GAP for group in groups) + 4
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 40}" '
        'font-family="system-ui, DejaVu Sans, sans-serif" font-size="12" fill="#1b2330">'
    )
    yield f'<rect width="{WIDTH}" height="{bottom + 40}" rx="8" fill="#fff"/>'
    for power in range(6):
        x = _x(10.0**power)
        yield f'<path d="M{x:.0f} 6V{bottom}" stroke="#dfe3e9"/>'
        label = f"{10**power} kHz" if power < 3 else f"{10 ** (power - 3)} MHz"
        yield f'<text x="{x:.0f}" y="{bottom + 15}" text-anchor="middle">{label}</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    what = "target cycles per second (logarithmic); one blade on one core, except for the FPGAs"
    yield f'<text x="{middle:.0f}" y="{bottom + 32}" text-anchor="middle">{what}</text>'
    y = 8
    for group in groups:
        for bar in group:
            left, right = _x(bar.low_khz), _x(bar.high_khz)
            text = _shown(bar.high_khz)
            if bar.low_khz:
                text = f"{bar.low_khz:g} to {text}"
            yield f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(bar.name)}</text>'
            yield (
                f'<rect x="{left:.1f}" y="{y}" width="{right - left:.1f}" height="{BAR}" '
                f'rx="2" fill="{bar.colour}"/><text x="{right + 6:.1f}" y="{y + 12}">{text}</text>'
            )
            y += BAR + 3
        y += GAP
    yield "</svg>"


def speed_chart() -> str:
    """Return the chart as SVG."""
    return "\n".join(_draw(bars(SOURCE.read_text(encoding="utf-8")))) + "\n"


def write(to: Path) -> None:
    """Write the chart into a file."""
    to.write_text(speed_chart(), encoding="utf-8")
