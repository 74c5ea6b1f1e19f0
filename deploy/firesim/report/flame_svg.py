# SPDX-License-Identifier: BSD-3-Clause
"""A flame graph as an SVG file: widths by target cycles, colours by the name of the function."""

from __future__ import annotations

import hashlib

from firesim.report.flame_boxes import picture
from firesim.report.flamegraph import shown_name
from firesim.report.stack_tree import Frame, Stacks, tree
from firesim.units import grouped


def flame_svg(stacks: Stacks, title: str, legend: str) -> str:
    """Return a picture of folded stacks, of which one at least has cycles."""
    root = tree({";".join(map(shown_name, name.split(";"))): n for name, n in stacks.items()})
    whole = root.total[0]

    def words(frame: Frame) -> str:
        total, own = frame.total[0], frame.own[0]
        return (
            f"{frame.name}: {grouped(total)} cycles ({total / whole:.2%}); "
            f"itself {grouped(own)} ({own / whole:.2%})"
        )

    return picture(root, 0, title, legend, lambda frame: _colour(frame.name), words)


def _colour(name: str) -> str:
    """Return a warm colour, the same for each frame of a name."""
    seed = hashlib.sha256(name.encode()).digest()
    return f"rgb({225 + seed[0] % 31},{120 + seed[1] % 100},{60 + seed[2] % 50})"
