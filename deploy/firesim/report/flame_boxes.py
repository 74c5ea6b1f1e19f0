# SPDX-License-Identifier: BSD-3-Clause
"""The boxes of flame graphs as SVG: what one picture, or one of two, is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from firesim_common.printable import printable
from markupsafe import escape

from firesim.report.stack_tree import Frame

WIDTH_PX, MARGIN_PX, ROW_PX, HEAD_PX = 1200, 10, 17, 64
LETTER_PX = 6.6
"""Width of a letter of the font, which is not wider than this in any common monospace font."""
LEAST_PX = 0.3
"""Narrower frames are not drawn."""


@dataclass(frozen=True)
class _Box:
    frame: Frame
    depth: int
    x_px: float
    width_px: float


def picture(
    root: Frame,
    run: int,
    title: str,
    legend: str,
    colour: Callable[[Frame], str],
    words: Callable[[Frame], str],
) -> str:
    """Return an SVG with the widths of one of the runs; `words` are shown when pointed at."""
    boxes = list(_boxes(root, run))
    height = HEAD_PX + (max(box.depth for box in boxes) + 1) * ROW_PX + MARGIN_PX
    drawn = "".join(_drawn(box, height, colour, words) for box in boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" height="{height}" '
        f'viewBox="0 0 {WIDTH_PX} {height}" font-family="monospace" font-size="11">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<text x="{MARGIN_PX}" y="22" font-size="16">{_text(title)}</text>'
        f'<text x="{MARGIN_PX}" y="42" fill="#555555">{_text(legend)}</text>'
        f"{drawn}</svg>\n"
    )


def _text(words: str) -> str:
    """Return text as it may stand in XML: a guest's names may hold anything."""
    return str(escape(printable(words)))


def _boxes(root: Frame, run: int) -> Iterator[_Box]:
    """Yield the frames that are wide enough, callers first; callees stand in order of names."""
    scale = (WIDTH_PX - 2 * MARGIN_PX) / root.total[run]
    left = [(root, 0, float(MARGIN_PX))]
    while left:
        frame, depth, x = left.pop()
        width = frame.total[run] * scale
        if width < LEAST_PX:
            continue
        yield _Box(frame, depth, x, width)
        for name in sorted(frame.below):
            called = frame.below[name]
            left.append((called, depth + 1, x))
            x += called.total[run] * scale


def _drawn(
    box: _Box, height: int, colour: Callable[[Frame], str], words: Callable[[Frame], str]
) -> str:
    frame = box.frame
    y = height - MARGIN_PX - (box.depth + 1) * ROW_PX
    letters = int((box.width_px - 4) / LETTER_PX)
    name = frame.name if len(frame.name) <= letters else f"{frame.name[: letters - 1]}…"
    label = (
        f'<text x="{box.x_px + 2:.1f}" y="{y + ROW_PX - 5}">{_text(name)}</text>'
        if letters >= 3
        else ""
    )
    return (
        f"<g><title>{_text(words(frame))}</title>"
        f'<rect x="{box.x_px:.2f}" y="{y}" width="{max(box.width_px - 0.3, 0.1):.2f}" '
        f'height="{ROW_PX - 1}" fill="{colour(frame)}" stroke="#c8c8c8" '
        f'stroke-width="0.3"/>{label}</g>'
    )
