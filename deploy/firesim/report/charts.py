# SPDX-License-Identifier: BSD-3-Clause
"""Small line charts as inline SVG, with the numbers embedded so that the page can show them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from firesim.units import significant

WIDTH, HEIGHT = 520, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 10, 34
MOST_POINTS = 480
"""Longer series are thinned to this many points, keeping each stretch's largest value."""


@dataclass(frozen=True)
class Series:
    """One line of a chart: the values of y at the chart's shared x."""

    name: str
    values: Sequence[float]


def _thin(x: Sequence[float], series: Sequence[Series]) -> tuple[list[float], list[Series]]:
    if len(x) <= MOST_POINTS:
        return list(x), list(series)
    step = math.ceil(len(x) / MOST_POINTS)
    starts = range(0, len(x), step)
    thinned = [Series(s.name, [max(s.values[i : i + step]) for i in starts]) for s in series]
    return [x[i] for i in starts], thinned


def just_above(value: float) -> float:
    """Return the end of an axis that begins at a value and has no other."""
    return value + max(1.0, abs(value) * 1e-9)


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return at most `most` + 1 round numbers that cover `low` to `high`."""
    if high <= low:
        high = just_above(low)
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [index * step for index in range(first, last + 1)]


def _axes(
    x_ticks: list[float], y_ticks: list[float], scale: _Scale, labels: tuple[str, str]
) -> str:
    parts = []
    for value in y_ticks:
        y = scale.y(value)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" text-anchor="end" x="{LEFT - 6}" y="{y + 3.5:.1f}">'
            f"{significant(value)}</text>"
        )
    for value in x_ticks:
        if scale.x_low <= value <= scale.x_high:
            parts.append(
                f'<text class="tick" text-anchor="middle" x="{scale.x(value):.1f}" '
                f'y="{HEIGHT - BOTTOM + 15}">{significant(value)}</text>'
            )
    middle_x, middle_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    x_label, y_label = (escape(label) for label in labels)
    parts.append(
        f'<text class="axis" text-anchor="middle" x="{middle_x}" y="{HEIGHT - 4}">{x_label}</text>'
        f'<text class="axis" text-anchor="middle" transform="translate(11 {middle_y}) '
        f'rotate(-90)">{y_label}</text>'
    )
    return "".join(parts)


@dataclass(frozen=True)
class _Scale:
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        return LEFT + (value - self.x_low) / (self.x_high - self.x_low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.y_low) / (self.y_high - self.y_low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def line_chart(
    x: Sequence[float],
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    y_least_top: float = 0,
) -> Markup:
    """Draw up to six lines over a shared x as an `<svg>` whose values show when pointed at.

    The y axis starts at 0 and reaches at least `y_least_top`. Labels name quantity and unit.
    """
    if len(x) == 0 or not series:
        return Markup("")
    xs, lines = _thin(x, series)
    y_ticks = nice_ticks(
        min(0.0, *(min(s.values) for s in lines)),
        max(y_least_top, *(max(s.values) for s in lines)) or 1.0,
        4,
    )
    x_high = xs[-1] if xs[-1] > xs[0] else just_above(xs[0])
    scale = _Scale(xs[0], x_high, y_ticks[0], y_ticks[-1])
    body = [_axes(nice_ticks(xs[0], x_high, 6), y_ticks, scale, (x_label, y_label))]
    for index, line in enumerate(lines):
        points = " ".join(
            f"{scale.x(a):.1f},{scale.y(b):.1f}" for a, b in zip(xs, line.values, strict=True)
        )
        body.append(f'<polyline class="line s{index % 6}" points="{points}"/>')
    data = {
        "x": [round(value, 4) for value in xs],
        "series": [
            {"name": s.name, "y": [float(significant_number(v)) for v in s.values]} for s in lines
        ],
        "low": scale.x_low,
        "high": scale.x_high,
        "xLabel": x_label,
        "yLabel": y_label,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "width": WIDTH,
    }
    packed = escape(json.dumps(data, separators=(",", ":")))
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" data-chart="{packed}" role="img" '
        f'aria-label="{escape(y_label)} over {escape(x_label)}">{"".join(body)}'
        f'<line class="cursor" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/></svg>'
    )


def significant_number(value: float) -> str:
    """Format for embedding: six significant digits."""
    return f"{value:.6g}"
