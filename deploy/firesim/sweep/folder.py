# SPDX-License-Identifier: BSD-3-Clause
"""A sweep on the disk: the recipe, the points, and what came of each that is over.

sweep.yaml      the recipe, with every path absolute
sweep.json      the values of each key
point-01/       the results folder of a point
point-01.json   what came of it; it is written when the point is over
sweep.csv, sweep.svg
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml
from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.positions import read_yaml
from firesim_common.whole_file import write_whole

from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.results.figures import figures
from firesim.results.outcome import Outcome
from firesim.run.again import run_of
from firesim.sweep.points import Axes, Point, grid
from firesim.work.folder import HOSTS_RECORD, RECORD, new_folder, write_json
from firesim.work.lock import alone

RECIPE, SWEEP, LOCK = "sweep.yaml", "sweep.json", ".lock"
PASSED, FAILED, ERROR, INTERRUPTED = "passed", "failed", "error", "interrupted"


@dataclass(frozen=True)
class Came:
    """What came of a point."""

    state: str
    """passed, failed (a node has), why else it ended, error (of a build or host) or interrupted."""
    message: str = ""
    end_cycle: int = 0
    token_hash: str = ""
    wall_s: float = 0.0
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def is_result(self) -> bool:
        """Whether the same point would give the same again."""
        return self.state not in (ERROR, INTERRUPTED)


def came_of(outcome: Outcome) -> Came:
    """Return what a table says of a run."""
    ended = FAILED if outcome.reason == "ended" else outcome.reason
    states = {0: PASSED, 1: ended, 130: INTERRUPTED}
    return Came(
        states.get(outcome.exit_status, ERROR),
        outcome.message,
        int(outcome.result.get("end_cycle", 0)),
        str(outcome.result.get("token_hash") or ""),
        float(outcome.result.get("wall_s", 0)),
        figures(outcome),
    )


@dataclass(frozen=True)
class SweepFolder:
    """The folder of a sweep."""

    path: Path
    axes: dict[str, list[Any]]
    points: tuple[Point, ...]

    def loaded(self, point: Point, overrides: Sequence[str] = ()) -> Loaded:
        """Return the configuration of a point.

        Raises:
            InputError: a file that it names is gone.
        """
        return load_file(self.path / RECIPE, [*overrides, *point.overrides()])

    def says(self, key: str) -> bool:
        """Return whether the recipe, or a point, has a value for a key such as "a.b"."""
        value = read_yaml(self.path / RECIPE).data
        for word in key.split("."):
            value = value.get(word) if isinstance(value, dict) else None
        return value is not None or key in self.axes

    def results(self, point: Point) -> Path:
        """Return where the results of a point are."""
        return self.path / point.name

    def clear(self, point: Point) -> None:
        """Make room for the results of a point.

        Raises:
            InputError: it is being simulated, by a simulator that was left alone.
        """
        folder = self.results(point)
        has_begun = any((folder / name).is_file() for name in (RECORD, HOSTS_RECORD))
        if has_begun and not run_of(folder).is_over:
            raise InputError(
                f"sweep: found {folder} still running, expected that it is over: "
                f"firesim kill {folder} ends it."
            )
        shutil.rmtree(folder, ignore_errors=True)

    def note(self, point: Point, came: Came) -> None:
        """Write what came of a point."""
        write_json(self._record(point), {"values": point.values, **asdict(came)})

    def came(self, point: Point) -> Came | None:
        """Return what came of a point, None when it is not over."""
        try:
            said = read_json(self._record(point))
            del said["values"]
            return Came(**said)
        except (InputError, TypeError, KeyError):
            return None

    def all_came(self) -> list[tuple[Point, Came | None]]:
        """Return what came of each point."""
        return [(point, self.came(point)) for point in self.points]

    def _record(self, point: Point) -> Path:
        return self.path / f"{point.name}.json"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from simulating the same points.

        Raises:
            InputError: another process does so.
        """
        text = f"sweep: found another process that simulates the points of {self.path}"
        with alone(self.path / LOCK, text):
            yield


def make(loaded: Loaded, axes: Axes, results: Path | None) -> SweepFolder:
    """Return the folder of a sweep: a new one, or the one with the same sweep that is there.

    Raises:
        InputError: the folder has anything else in it, or cannot be made.
    """
    recipe = yaml.safe_dump(loaded.said(), sort_keys=False, allow_unicode=True)
    said = {key: list(values) for key, values in axes.items()}
    if results is not None and (results / SWEEP).is_file():
        found = opened(results)
        if found.axes != said or (results / RECIPE).read_text(encoding="utf-8") != recipe:
            raise InputError(
                f"--results: found another sweep in {results}, expected the same recipe with the "
                "same values, or an empty folder."
            )
        return found
    folder = new_folder(f"{loaded.name}-sweep", results)
    try:
        write_whole(folder / RECIPE, recipe)
        write_json(folder / SWEEP, {"axes": said})
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}.") from error
    return SweepFolder(folder, said, tuple(grid(said)))


def opened(folder: Path) -> SweepFolder:
    """Return the sweep in a folder.

    Raises:
        InputError: there is none.
    """
    folder = folder.absolute()
    if not (folder / SWEEP).is_file():
        raise InputError(f"sweep: found no {SWEEP} in {folder}, expected the folder of a sweep.")
    said = read_json(folder / SWEEP)
    axes = said.get("axes") if isinstance(said, dict) else None
    if not isinstance(axes, dict) or not all(isinstance(one, list) for one in axes.values()):
        raise InputError(f"{folder / SWEEP}: found no axes, expected the values of each key.")
    return SweepFolder(folder, axes, tuple(grid(axes)))
