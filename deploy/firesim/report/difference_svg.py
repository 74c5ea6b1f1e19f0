# SPDX-License-Identifier: BSD-3-Clause
"""Differential flame graphs as SVG: widths of one run, colours by the difference to the other.

After Brendan Gregg, "Differential Flame Graphs" (2014, brendangregg.com/blog/2014-11-09): red has
grown, blue has shrunk, and the colour is that of the frame's own cycles, so that it is where the
change is and not on every caller of it. Here shares are compared, not numbers of samples.
"""

from __future__ import annotations

from firesim.report.flame_boxes import picture
from firesim.report.stack_tree import Frame, Stacks, tree

FULL_COLOUR_SHARE = 0.05
"""A frame that grew or shrank by this share of all cycles, or more, has the full colour."""
LEAST_COLOUR_SHARE = 0.001
"""A smaller change of a frame's share has no colour."""


def difference_svg(first: Stacks, second: Stacks, title: str, by_first: bool = False) -> str:
    """Return a picture with the widths of the second run, or of the first one.

    With the widths of the second run, what only the first one had has no place; with those of the
    first run it is there, in blue. Both pictures have the same colours.
    """
    root = tree(first, second)
    widths = "first" if by_first else "second"
    legend = (
        f"Widths: shares of cycles in the {widths} run. Red: the function's own share has grown in "
        f"the second run; blue: it has shrunk; full colour from {FULL_COLOUR_SHARE:.0%} of all "
        "cycles on."
    )

    def shares(counts: list[int]) -> list[float]:
        return [count / total for count, total in zip(counts, root.total, strict=True)]

    def coloured(frame: Frame) -> str:
        own = shares(frame.own)
        return colour(own[1] - own[0])

    def words(frame: Frame) -> str:
        own, total = shares(frame.own), shares(frame.total)
        return f"{frame.name}: {_shares(total)}; itself {_shares(own)}"

    return picture(root, 0 if by_first else 1, title, legend, coloured, words)


def colour(difference: float) -> str:
    """Return the colour of a frame whose own share has grown by a fraction of all cycles."""
    if abs(difference) < LEAST_COLOUR_SHARE:
        return "#f4f4f4"
    strength = min(1.0, 0.1 + abs(difference) / FULL_COLOUR_SHARE)
    other = round(244 - 164 * strength)
    return f"rgb(250,{other},{other})" if difference > 0 else f"rgb({other},{other},250)"


def _shares(pair: list[float]) -> str:
    return f"{pair[0]:.2%} → {pair[1]:.2%} ({100 * (pair[1] - pair[0]):+.2f} points)"
