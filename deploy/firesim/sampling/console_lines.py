# SPDX-License-Identifier: BSD-3-Clause
"""Figures in the lines of consoles, in the order of the cycles in which the lines ended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim.sampling.simulate import Description
from firesim.timeline.events import EventFile, read_events

LINES, MOST_BYTES = "console-lines.events", 256 << 20


@dataclass(frozen=True, order=True)
class Printed:
    """A figure that a node printed."""

    cycle: int
    node: str
    value: float


def keep_lines(description: Description) -> None:
    """Ask for the cycles of the console lines of all nodes."""
    for node in description["nodes"]:
        file = {"file": f"{node['name']}/{LINES}", "most_bytes": MOST_BYTES}
        node["bridges"]["uart"]["timeline"] = file


def printed_in(folder: Path, nodes: Sequence[str], figure: str) -> list[Printed]:
    """Return the figures of a run, of lines that `figure` is found in; its group is the number."""
    expression = re.compile(figure)
    return sorted(one for node in nodes for one in _of_node(folder, node, expression))


def _of_node(folder: Path, node: str, expression: re.Pattern[str]) -> Iterator[Printed]:
    kept = EventFile()
    for event in read_events(folder / node / LINES, kept, f"{node}/{LINES}"):
        seen = expression.search(kept.names[event.name].text)
        if seen is not None:
            yield Printed(event.begin, node, float(seen[1]))
