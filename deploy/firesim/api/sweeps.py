# SPDX-License-Identifier: BSD-3-Clause
"""A sweep in Python: its table as a frame, its plots, and the results of its points."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from firesim_common.errors import InputError

from firesim.api.frames import frame
from firesim.api.results import Results
from firesim.sweep.folder import SweepFolder, opened
from firesim.sweep.plot import drawn
from firesim.sweep.table import rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


class Sweep:
    """Runs of one recipe with different settings; it may still be going on."""

    def __init__(self, folder: str | Path | SweepFolder) -> None:
        """Take the folder of a sweep.

        Raises:
            InputError: it is none.
        """
        self._folder = (
            folder if isinstance(folder, SweepFolder) else opened(Path(folder).expanduser())
        )

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return self._folder.path

    def __repr__(self) -> str:
        """Return how many points there are."""
        return f"<Sweep {self.folder}: {len(self._folder.points)} points>"

    def __len__(self) -> int:
        """Return how many points there are."""
        return len(self._folder.points)

    @property
    def frame(self) -> DataFrame:
        """A row for each point: values, how it ended, token hash, figures."""
        return frame(rows(self._folder))

    def point(self, number: int) -> Results:
        """Return the results of a point by its place in the frame, from 0 on.

        Raises:
            IndexError: there is no such point.
            InputError: it has not begun.
        """
        return Results(self._folder.results(self._folder.points[number]))

    def plot(self) -> Figure:
        """Return each figure over the first key, a line for each combination of the others.

        Raises:
            InputError: no point has a result yet.
        """
        found = [row for row in rows(self._folder) if row["end_cycle"]]
        if not found:
            raise InputError(f"{self.folder}: found no point with a result, expected one at least.")
        return drawn(found, list(self._folder.axes))
