# SPDX-License-Identifier: BSD-3-Clause
"""Differential flame graphs as SVG: widths of one run, colours by the difference to the other.

After Brendan Gregg, "Differential Flame Graphs" (2014, brendangregg.com/blog/2014-11-09): red has
grown, blue has shrunk, and the colour is that of the frame's own cycles, so that it is where the
change is and not on every caller of it. Here shares are compared, not numbers of samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from firesim_common.printable import printable
from markupsafe import escape

from firesim.report.stack_difference import Stacks

WIDTH_PX, MARGIN_PX, ROW_PX, HEAD_PX = 1200, 10, 17, 64
LETTER_PX = 6.6
"""Width of a letter of the font, which is not wider than this in any common monospace font."""
LEAST_PX = 0.3
"""Narrower frames are not drawn."""
FULL_COLOUR_SHARE = 0.05
"""A frame that grew or shrank by this share of all cycles, or more, has the full colour."""
LEAST_COLOUR_SHARE = 0.001
"""A smaller change of a frame's share has no colour."""


@dataclass
class _Frame:
    name: str
    own: list[int] = field(default_factory=lambda: [0, 0])
    total: list[int] = field(default_factory=lambda: [0, 0])
    below: dict[str, _Frame] = field(default_factory=dict)


@dataclass(frozen=True)
class _Box:
    frame: _Frame
    depth: int
    x_px: float
    width_px: float


def difference_svg(first: Stacks, second: Stacks, title: str, by_first: bool = False) -> str:
    """Return a picture with the widths of the second run, or of the first one.

    With the widths of the second run, what only the first one had has no place; with those of the
    first run it is there, in blue. Both pictures have the same colours.
    """
    root = _tree(first, second)
    run = 0 if by_first else 1
    boxes = list(_boxes(root, run))
    height = HEAD_PX + (max(box.depth for box in boxes) + 1) * ROW_PX + MARGIN_PX
    drawn = "".join(_drawn(box, root, height) for box in boxes)
    widths = "first" if by_first else "second"
    legend = (
        f"Widths: shares of cycles in the {widths} run. Red: the function's own share has grown in "
        f"the second run; blue: it has shrunk; full colour from {FULL_COLOUR_SHARE:.0%} of all "
        "cycles on."
    )
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


def _tree(first: Stacks, second: Stacks) -> _Frame:
    root = _Frame("all")
    for run, stacks in enumerate((first, second)):
        for stack, cycles in stacks.items():
            root.total[run] += cycles
            frame = root
            for name in stack.split(";"):
                frame = frame.below.setdefault(name, _Frame(name))
                frame.total[run] += cycles
            frame.own[run] += cycles
    return root


def _boxes(root: _Frame, run: int) -> Iterator[_Box]:
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


def colour(difference: float) -> str:
    """Return the colour of a frame whose own share has grown by a fraction of all cycles."""
    if abs(difference) < LEAST_COLOUR_SHARE:
        return "#f4f4f4"
    strength = min(1.0, 0.1 + abs(difference) / FULL_COLOUR_SHARE)
    other = round(244 - 164 * strength)
    return f"rgb(250,{other},{other})" if difference > 0 else f"rgb({other},{other},250)"


def _drawn(box: _Box, root: _Frame, height: int) -> str:
    frame = box.frame
    own, total = (
        [counts[run] / root.total[run] for run in (0, 1)] for counts in (frame.own, frame.total)
    )
    y = height - MARGIN_PX - (box.depth + 1) * ROW_PX
    letters = int((box.width_px - 4) / LETTER_PX)
    name = frame.name if len(frame.name) <= letters else f"{frame.name[: letters - 1]}…"
    label = (
        f'<text x="{box.x_px + 2:.1f}" y="{y + ROW_PX - 5}">{_text(name)}</text>'
        if letters >= 3
        else ""
    )
    words = f"{frame.name}: {_shares(total)}; itself {_shares(own)}"
    return (
        f"<g><title>{_text(words)}</title>"
        f'<rect x="{box.x_px:.2f}" y="{y}" width="{max(box.width_px - 0.3, 0.1):.2f}" '
        f'height="{ROW_PX - 1}" fill="{colour(own[1] - own[0])}" stroke="#c8c8c8" '
        f'stroke-width="0.3"/>{label}</g>'
    )


def _shares(pair: list[float]) -> str:
    return f"{pair[0]:.2%} → {pair[1]:.2%} ({100 * (pair[1] - pair[0]):+.2f} points)"
