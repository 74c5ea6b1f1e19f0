# SPDX-License-Identifier: BSD-3-Clause
"""Flame graphs of folded call stacks, made by the original flamegraph.pl as Debian ships it."""

from __future__ import annotations

import base64
import re
import subprocess
from collections import Counter
from pathlib import Path

SCRIPT = Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
"""Where Debian's libdevel-nytprof-perl puts flamegraph.pl."""
LEAST_FRAME_PX = "0.25"
"""Narrower frames are left out: an operating system's stacks are tens of thousands."""
SPARE_PX = 10
"""Of an SVG in a page, so that it has no scroll bar."""


class FlameGraphError(RuntimeError):
    """The flame graph could not be made; the message says why."""


def merge_folded(files: list[Path]) -> dict[str, int]:
    """Add up folded stacks (`a;b;c 123`) of several files; lines cut short are left out."""
    total: Counter[str] = Counter()
    for file in files:
        for line in file.read_text(errors="replace").splitlines():
            stack, _, count = line.rpartition(" ")
            if stack and count.isdigit():
                total[stack] += int(count)
    return dict(total)


def flame_graph_svg(stacks: dict[str, int], title: str) -> str:
    """Return an interactive SVG of folded stacks whose counts are target cycles.

    Raises:
        FlameGraphError: no stacks, or flamegraph.pl is missing or fails.
    """
    if not stacks:
        raise FlameGraphError("the trace holds no call stack")
    if not SCRIPT.is_file():
        raise FlameGraphError(
            f"{SCRIPT} is not installed; its Debian package is libdevel-nytprof-perl"
        )
    folded = "".join(f"{stack} {count}\n" for stack, count in sorted(stacks.items()))
    command = ["perl", str(SCRIPT), "--title", title, "--countname", "cycles", "--hash"]
    done = subprocess.run(
        [*command, "--width", "1180", "--minwidth", LEAST_FRAME_PX, "/dev/stdin"],
        input=folded,
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0 or "<svg" not in done.stdout:
        lines = (done.stderr or "no output").strip().splitlines()
        raise FlameGraphError(f"flamegraph.pl failed: {lines[-1]}")
    return done.stdout


def svg_height_px(svg: str) -> int:
    """Return the height that a page has to give a flame graph: its foot is what one reads first."""
    found = re.search(r'<svg [^>]*\bheight="(\d+)"', svg)
    return int(found[1]) + SPARE_PX if found else 0


def as_data_uri(svg: str) -> str:
    """Pack an SVG into a data URI: a page stays one file and the SVG's script still runs."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
