# SPDX-License-Identifier: BSD-3-Clause
"""A sample in Python: the estimates, the intervals as a frame, the plot."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from rich.console import Console

from firesim.api.frames import frame
from firesim.api.run import Run, load
from firesim.report.flamegraph import merge_folded
from firesim.sampling.folder import make, opened
from firesim.sampling.go import go
from firesim.sampling.settings import asked
from firesim.sampling.stacks import FOLDED
from firesim.sampling.written import CSV, ESTIMATE

if TYPE_CHECKING:
    from pandas import DataFrame


class Sample:
    """Intervals of a workload in RTL, and what they say of the whole."""

    def __init__(self, folder: str | Path) -> None:
        """Take the folder of a sample that is over.

        Raises:
            InputError: it is none, or it is not over.
        """
        self.folder = opened(Path(folder).expanduser()).path
        """Where it is kept."""
        if not (self.folder / ESTIMATE).is_file():
            raise InputError(f"{self.folder}: found no {ESTIMATE}, expected a sample that is over.")

    def __repr__(self) -> str:
        """Return the estimated CPI."""
        name = next(key for key in ("cpi", "ipc", "figure") if key in self.estimate)
        rate = self.estimate[name].get("mean")
        rate = self.estimate[name] if isinstance(rate, float) else rate
        width = rate["half_width"]
        within = "" if width is None else f" ± {width:.4f}"
        return f"<Sample {self.folder}: {name} {rate['mean']:.4f}{within}>"

    @property
    def estimate(self) -> dict[str, Any]:
        """What estimate.json says: rates, events, confidence intervals, warnings, sample hash."""
        return dict(read_json(self.folder / ESTIMATE))

    @property
    def frame(self) -> DataFrame:
        """A row for each interval: place, state, cycles, instructions, CPI, token hash, events."""
        with (self.folder / CSV).open(encoding="utf-8", newline="") as file:
            return frame([_typed(row) for row in csv.DictReader(file)])

    @property
    def stacks(self) -> DataFrame:
        """A row for each call stack of the whole workload: its estimated cycles, their share.

        The cycles sum to `estimate["stacks"]["cycles"]`, which is `estimate["cycles"]` where
        cycles per instruction are estimated.

        Raises:
            InputError: the sample was taken without stacks=True.
        """
        file = self.folder / FOLDED
        if not file.is_file():
            raise InputError(f"{self.folder}: found no {FOLDED}, expected a sample with stacks.")
        found = merge_folded([file])
        every = sum(found.values())
        return frame(
            [
                {"stack": stack, "cycles": cycles, "share": cycles / every}
                for stack, cycles in found.items()
            ],
            ("stack", "cycles", "share"),
        )


def _typed(row: dict[str, str]) -> dict[str, Any]:
    """Return a row with its numbers."""
    texts = ("state", "token_hash", "figures")
    numbers = {key: float(value) if value else None for key, value in row.items() if key == "cpi"}
    counts = {k: int(v) for k, v in row.items() if k not in (*texts, "cpi")}
    return {key: ({**row, **counts, **numbers})[key] for key in row}


def sample(
    what: Run | str | Path,
    results: str | Path | None = None,
    *,
    jobs: int = 0,
    console: Console | None = None,
    **settings: Any,
) -> Sample:
    """Take a sample of a recipe, or of a YAML file, until the error asked for is met.

    `settings` are those of `firesim.sampling.settings.Settings`, such as error=0.03,
    confidence=0.95, interval=10_000, figure="cycles=([0-9]+)", stacks=True and
    points="simpoint". The warm-up is chosen, unless warm_up=5_000 says how long it is. With the
    folder `results` of the same sample only what is missing is measured, `jobs` intervals at a
    time (0: one for each core, of each host where the recipe names a run farm).

    Raises:
        InputError: the recipe or a setting is wrong, or the workload cannot be sampled.
        KeyboardInterrupt: it was stopped; the intervals that are over are kept.
    """
    run = what if isinstance(what, Run) else load(what)
    try:
        wanted = asked(settings)
    except TypeError as error:
        raise InputError(f"sample: {error}") from error
    folder = make(run.loaded, wanted, None if results is None else Path(results))
    go(folder, jobs, console or Console(stderr=True, quiet=True))
    return Sample(folder.path)
