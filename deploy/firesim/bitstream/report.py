# SPDX-License-Identifier: BSD-3-Clause
"""What a build took of its device and how fast it is: a table for people, a picture for pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firesim.bitstream.builders.base import Wanted
from firesim.bitstream.outcome import Outcome

if TYPE_CHECKING:
    from rich.table import Table

    from firesim.bitstream.farm import Build

PICTURE, TABLE = "utilisation.svg", "utilisation.csv"
_WIDTH, _ROW, _LEFT, _BAR = 690, 26, 150, 330
_FULL, _NEAR = 0.9, 0.7
"""Shares of a device from which routing seldom succeeds, and from which it may not."""
MOST_KINDS = 12


def shares(outcome: Outcome) -> list[tuple[str, int, int, float]]:
    """Return kind of cell, how many are used and there, and the share; the fullest first."""
    rows = [
        (name, use.used, use.available, use.used / use.available if use.available else 0.0)
        for name, use in outcome.used.items()
    ]
    return sorted(rows, key=lambda row: (-row[3], row[0]))


def write_report(folder: Path, wanted: Wanted, outcome: Outcome) -> None:
    """Write picture and table of one build into its folder."""
    rows = shares(outcome)
    lines = ["cell,used,available,share", *(f"{a},{b},{c},{d:.4f}" for a, b, c, d in rows)]
    (folder / TABLE).write_text("\n".join(lines) + "\n")
    (folder / PICTURE).write_text(picture(wanted, outcome))


def picture(wanted: Wanted, outcome: Outcome) -> str:
    """Return an SVG: a bar for each kind of cell, and one for the clock."""
    rows = shares(outcome)[:MOST_KINDS]
    height = 66 + _ROW * (len(rows) + 1)
    title = f"{wanted.name} on {wanted.board.title}"
    reached = f"{outcome.fmax_mhz:g} MHz reached, {wanted.frequency_mhz:g} wanted"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="15" font-weight="bold">{title}</text>',
    ]
    for index, (name, used, available, share) in enumerate(rows):
        text = f"{used:,} of {available:,} ({share:.1%})"
        parts += _bar(44 + _ROW * index, name, share, text, _colour(share))
    slack = min(1.0, wanted.frequency_mhz / outcome.fmax_mhz) if outcome.fmax_mhz else 1.0
    late = outcome.fmax_mhz < wanted.frequency_mhz
    colour = "#b3402e" if late else "#4c78a8"
    parts += _bar(52 + _ROW * len(rows), "clock period used", slack, reached, colour)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _colour(share: float) -> str:
    return "#b3402e" if share >= _FULL else "#c98a1b" if share >= _NEAR else "#3f7f5f"


def _bar(top: int, name: str, share: float, text: str, colour: str) -> list[str]:
    width = max(1.0, _BAR * min(1.0, share))
    middle = top + 13
    # Beside a short bar the text stands after it, in a long one it would not be read.
    return [
        f'<text x="{_LEFT - 8}" y="{middle}" text-anchor="end">{name}</text>',
        f'<rect x="{_LEFT}" y="{top}" width="{_BAR}" height="18" fill="#ececec"/>',
        f'<rect x="{_LEFT}" y="{top}" width="{width:.1f}" height="18" fill="{colour}"/>',
        f'<text x="{_LEFT + _BAR + 8}" y="{middle}" font-size="11">{text}</text>',
    ]


def progress_table(builds: Sequence[Build]) -> Table:
    """Return where each build is, at the end with what it took."""
    from rich import box
    from rich.table import Table

    table = Table(title="builds", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("build", "board", "host", "stage"):
        table.add_column(heading, overflow="fold")
    for heading in ("fullest", "fmax (MHz)", "wanted", "CPU (s)"):
        table.add_column(heading, justify="right")
    for build in builds:
        table.add_row(
            build.name, build.wanted.board_name, build.host or "-", build.stage, *_figures(build)
        )
    return table


def _figures(build: Build) -> list[str]:
    wanted = f"{build.wanted.frequency_mhz:g}"
    if build.outcome is None:
        return ["-", "-", wanted, "-"]
    name, _, _, share = shares(build.outcome)[0]
    spent = sum(build.outcome.cpu_s.values())
    return [f"{name} {share:.0%}", f"{build.outcome.fmax_mhz:.1f}", wanted, f"{spent:.0f}"]
