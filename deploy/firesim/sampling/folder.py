# SPDX-License-Identifier: BSD-3-Clause
"""A sample on the disk, so that nothing that was computed is lost.

sample.yaml      the recipe, with every path absolute
sample.json      what was asked for
whole.json       the functional run of the whole workload
interval-N-warm-up-W.json
                 what came of an interval behind a warm-up, written when it is over
interval-N-warm-up-W.folded
                 its call stacks, if they are kept; .toggles.folded: toggles by stack
interval-N-warm-up-W.NODE.saif.gz
                 the activity of a node in it, if that is counted
basic-blocks.bb.gz, sample.simpoints, sample.weights, sample.labels
                 phases and their representatives (points.py)
estimate.json, sample.csv, sample.svg, stacks.*, toggles.folded, NODE.saif
work/            what is being simulated
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.positions import read_yaml
from firesim_common.whole_file import write_whole

from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.remote import record
from firesim.report.flamegraph import folded_text, merge_folded
from firesim.report.stack_tree import Stacks
from firesim.sampling.settings import INSTRUCTIONS, NO_WARMING, Settings, Whole
from firesim.work.folder import HOSTS_RECORD, new_folder, write_json
from firesim.work.lock import alone

RECIPE, SAMPLE, WHOLE, LOCK, WORK = (
    "sample.yaml",
    "sample.json",
    "whole.json",
    ".lock",
    "work",
)
FOLDED, TOGGLES_FOLDED = "folded", "toggles.folded"
"""Ends of the files with an interval's cycles by call stack, and its toggles."""
MEASURED, ENDED, LONG = "measured", "ended", "too long"


@dataclass(frozen=True)
class Interval:
    """What came of an interval."""

    unit: int
    """Its number among all intervals of the workload."""
    state: str
    """measured; ended (the workload did, before its end); too long."""
    cycles: int
    instructions: int
    events: dict[str, int]
    """In the interval, by counter; not those that were 0."""
    token_hash: str
    snapshot_cycle: int
    """Where its warm-up began; 0: at reset."""
    extra_cycles: int
    """By which the warm start had to go on as a functional node."""
    rtl_cycles: int
    """All that were simulated in RTL for it."""
    cpu_s: float
    figures: list[float] = field(default_factory=list)
    """Those that consoles printed in the interval."""

    def rate(self, whole: Whole) -> float:
        """Return cycles an instruction, or instructions a cycle where intervals are of cycles."""
        if whole.unit == INSTRUCTIONS:
            return self.cpi
        return self.instructions / self.cycles if self.cycles else 0.0

    def size(self, whole: Whole) -> int:
        """Return how long it is."""
        return self.instructions if whole.unit == INSTRUCTIONS else self.cycles

    @property
    def cpi(self) -> float:
        """Cycles an instruction; 0 of an interval before which the workload ended."""
        return self.cycles / self.instructions if self.instructions else 0.0


def _interval_in(record: Path) -> Interval | None:
    try:
        return Interval(**read_json(record))
    except (InputError, TypeError):
        return None


def every_record(folder: Path) -> list[Path]:
    """Return the files with what came of the intervals of a sample, behind any warm-up."""
    return sorted(folder.glob("interval-*-warm-up-*.json"))


@dataclass(frozen=True)
class SampleFolder:
    """The folder of a sample."""

    path: Path
    settings: Settings

    def loaded(self, overrides: Sequence[str]) -> Loaded:
        """Return the recipe with some values changed.

        Raises:
            InputError: a file that it names is gone.
        """
        return load_file(self.path / RECIPE, overrides)

    @property
    def work(self) -> Path:
        """Where runs go on."""
        return self.path / WORK

    def note(self, found: Interval, warm_up: int, stacks: Mapping[str, Stacks]) -> None:
        """Write what came of an interval, its call stacks first, by the ends of their files."""
        for end, counts in stacks.items():
            write_whole(self.part(found.unit, warm_up, end), folded_text(counts))
        write_json(self._record(found.unit, warm_up), asdict(found))

    def interval(self, unit: int, warm_up: int) -> Interval | None:
        """Return what came of an interval, None when it is not over."""
        if self.settings.stacks and not self.part(unit, warm_up, FOLDED).is_file():
            return None
        return _interval_in(self._record(unit, warm_up))

    def every(self) -> list[Interval]:
        """Return what came of all that are over, behind any warm-up."""
        found = [_interval_in(file) for file in every_record(self.path)]
        return [one for one in found if one is not None]

    def intervals(self, units: Sequence[int], warm_up: int) -> list[Interval]:
        """Return what came of those that are over."""
        return [one for unit in units if (one := self.interval(unit, warm_up)) is not None]

    def stacks(self, unit: int, warm_up: int, end: str = FOLDED) -> Stacks:
        """Return the call stacks of an interval that is over, {} where it has none."""
        file = self.part(unit, warm_up, end)
        return merge_folded([file]) if file.is_file() else {}

    def part(self, unit: int, warm_up: int, end: str) -> Path:
        """Return a file of an interval, beside what came of it."""
        record = self._record(unit, warm_up)
        return record.with_name(f"{record.stem}.{end}")

    def _record(self, unit: int, warm_up: int) -> Path:
        return self.path / f"interval-{unit}-warm-up-{warm_up}.json"

    def whole(self) -> Whole | None:
        """Return what came of the functional run, None when it is not over."""
        try:
            return Whole(**read_json(self.path / WHOLE))
        except (InputError, TypeError):
            return None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from measuring the same intervals, and clear away what they left.

        Raises:
            InputError: another process does so.
        """
        with alone(self.path / LOCK, f"sample: found another process that measures in {self.path}"):
            for file in self.work.glob(f"*/{HOSTS_RECORD}"):  # Cleared when hosts are connected.
                record.note_left(file.parent, record.hosts_of(file.parent))
            shutil.rmtree(self.work, ignore_errors=True)
            try:
                yield
            finally:
                shutil.rmtree(self.work, ignore_errors=True)


def make(loaded: Loaded, settings: Settings, results: Path | None) -> SampleFolder:
    """Return the folder of a sample: a new one, or the one with the same intervals that is there.

    Raises:
        InputError: a setting is wrong, or the folder has anything else in it or cannot be made.
    """
    settings.check()
    recipe = yaml.safe_dump(loaded.said(), sort_keys=False, allow_unicode=True)
    if results is not None and (results / SAMPLE).is_file():
        found = opened(results)
        same = found.settings.measuring() == settings.measuring()
        if not same or _target(read_yaml(results / RECIPE).data) != _target(loaded.said()):
            raise InputError(
                f"--results: found another sample in {results}, expected the same recipe with the "
                "same --interval, --warm-up, --warming, --figure, --first, --seed, --stacks, "
                "--activity, --points and --clusters, or an empty folder."
            )
        write_whole(found.path / RECIPE, recipe)  # Its hosts may be others.
        return _kept(found.path, settings)
    folder = new_folder(f"{loaded.name}-sample", results)
    try:
        write_whole(folder / RECIPE, recipe)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}.") from error
    return _kept(folder, settings)


def _target(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return what of a recipe says anything of the target: on which hosts it runs does not."""
    return {key: value for key, value in recipe.items() if key != "placement"}


def _kept(path: Path, settings: Settings) -> SampleFolder:
    write_json(path / SAMPLE, asdict(settings))
    return SampleFolder(path, settings)


def opened(folder: Path, changed: dict[str, Any] | None = None) -> SampleFolder:
    """Return the sample in a folder, with what is asked for `changed`.

    Raises:
        InputError: there is none, or a setting is wrong.
    """
    folder = folder.absolute()
    if not (folder / SAMPLE).is_file():
        raise InputError(f"sample: found no {SAMPLE} in {folder}, expected the folder of a sample.")
    try:
        said = json.loads((folder / SAMPLE).read_text(encoding="utf-8"))
        settings = Settings(**{"warming": NO_WARMING, **said})  # samples of before had none
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{folder / SAMPLE}: found other keys, expected what firesim sample has written."
        ) from error
    if changed:
        settings = replace(settings, **changed)
        settings.check()
        return _kept(folder, settings)
    return SampleFolder(folder, settings)
