# SPDX-License-Identifier: BSD-3-Clause
"""What the nodes' consoles said last, read while they run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from firesim_common.printable import printable

MOST_BYTES = 1 << 20
"""Read at once; of more only the end matters."""
MOST_SHOWN = 400
"""Characters of a line: more than a terminal is wide, even of those that have no width."""
COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""Colours and the like, which say nothing in a line that is shown by itself."""
MOST_CONSOLES = 8
"""Consoles followed: more would not fit below a table."""


class ConsoleTail:
    """Follows one console log; an incomplete last line waits for its rest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0
        self.last = ""

    def update(self) -> str:
        """Read what was added; return the last line that says something, "" before the first."""
        try:
            with self.path.open("rb") as stream:
                end = stream.seek(0, 2)
                stream.seek(max(self.offset, end - MOST_BYTES))
                data = stream.read(MOST_BYTES)
                start = stream.tell() - len(data)
        except OSError:
            return self.last
        whole = data.rfind(b"\n") + 1
        self.offset = start + whole
        lines = data[:whole].decode(errors="replace").splitlines()
        shown = (printable(COLOURS.sub("", line)).strip() for line in reversed(lines))
        self.last = next((line[:MOST_SHOWN] for line in shown if line), self.last)
        return self.last


class Consoles:
    """The consoles of the first nodes of a run."""

    def __init__(self, logs: Mapping[str, Path]) -> None:
        self.tails = {name: ConsoleTail(path) for name, path in list(logs.items())[:MOST_CONSOLES]}

    def last_lines(self) -> dict[str, str]:
        """Return the last line of each node that has said something."""
        said = {name: tail.update() for name, tail in self.tails.items()}
        return {name: line for name, line in said.items() if line}
