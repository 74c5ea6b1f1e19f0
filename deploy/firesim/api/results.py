# SPDX-License-Identifier: BSD-3-Clause
"""What a run left, in Python: how it ended, frames, plots, and comparisons with other runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesim_common.errors import InputError, unknown

from firesim.api import frames
from firesim.api.plots import Plots
from firesim.results.compare import values_of

if TYPE_CHECKING:
    from pandas import DataFrame

FRAMES = (
    *("nodes", "links", "ports", "throughput", "counters", "metrics", "percentiles", "pings"),
    *("measurements", "consoles", "stacks"),
)
"""The frames of a run, by the attribute of Results."""
WRITERS: dict[str, Callable[[DataFrame, Path], Any]] = {
    "csv": lambda table, path: table.to_csv(path, index=False),
    "parquet": lambda table, path: table.to_parquet(path, index=False),
    "json": lambda table, path: table.to_json(path, orient="records", double_precision=15),
}
"""What writes a frame to a file, by the ending of the file; JSON is a list with an object a row."""


def _write(table: DataFrame, path: Path, writer: Callable[[DataFrame, Path], Any]) -> Path:
    """Write a frame to a file, which is there when it is whole."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        writer(table, part)
        return part.replace(path)
    except ImportError as error:
        raise frames.lacking("pyarrow") from error
    finally:
        part.unlink(missing_ok=True)


class Results:
    """The results folder of a run, which may still be going on; frames are read once."""

    def __init__(self, folder: str | Path, exit_status: int | None = None) -> None:
        """Take a results folder.

        Raises:
            InputError: it is none.
        """
        self.folder = Path(folder).expanduser().absolute()
        self.exit_status = exit_status
        """0 all nodes passed, 1 a node failed or max_cycles came, 3 error; None: not known."""
        self._description = frames.description_of(self.folder)

    def __repr__(self) -> str:
        """Return how the run ended, and where its results are."""
        words = [self.result.get("reason", "no result yet"), f"cycle {self.end_cycle:,}"]
        words += [f"token hash {self.token_hash}"] if self.token_hash else []
        return f"<Results {self.folder}: {', '.join(words)}>"

    @cached_property
    def result(self) -> dict[str, Any]:
        """result.json; empty while the run goes on."""
        return frames.result_of(self.folder)

    @property
    def token_hash(self) -> str:
        """The hash of every token of every link; empty for a functional network."""
        return str(self.result.get("token_hash") or "")

    @property
    def end_cycle(self) -> int:
        """The cycle in which the run ended."""
        return int(self.result.get("end_cycle", 0))

    @property
    def message(self) -> str:
        """More about the reason of its end; may be empty."""
        return str(self.result.get("message", ""))

    @property
    def clock_hz(self) -> int:
        """The target's clock."""
        return int(self._description.get("clock_hz", 0))

    @cached_property
    def nodes(self) -> DataFrame:
        """A row for each node: how it ended, and its statistics."""
        return frames.nodes(self.result)

    @cached_property
    def links(self) -> DataFrame:
        """A row for each direction of each link: packets, flits, token hash."""
        return frames.links(self._description, self.result)

    @cached_property
    def ports(self) -> DataFrame:
        """A row for each port of each switch: packets, bytes, drops, queues."""
        return frames.ports(self.folder, self._description)

    @cached_property
    def throughput(self) -> DataFrame:
        """What each port of each switch carried in each interval, in bytes."""
        return frames.throughput(self.folder, self._description)

    @cached_property
    def counters(self) -> DataFrame:
        """What the counters of each node have come to at the end of each interval."""
        return frames.counters(self.folder, self._description)

    @cached_property
    def metrics(self) -> DataFrame:
        """What is worked out of the counters, a row for each value: of intervals and whole runs."""
        return frames.metrics(self.folder, self._description, self.result)

    @cached_property
    def percentiles(self) -> DataFrame:
        """Percentiles of latencies, waits, queues, round trips and vectors, a row for each."""
        return frames.percentiles(self.folder)

    @cached_property
    def pings(self) -> DataFrame:
        """A row for each round trip that software measured."""
        return frames.pings(self.folder, self._description)

    @cached_property
    def measurements(self) -> DataFrame:
        """A row for each `key=value` that software printed."""
        return frames.measurements(self.folder, self._description)

    @cached_property
    def consoles(self) -> DataFrame:
        """A row for each line of each node's console."""
        return frames.consoles(self.folder, self._description)

    @cached_property
    def stacks(self) -> DataFrame:
        """A row for each call stack of each core, with its cycles."""
        return frames.stacks(self.folder, self._description)

    @property
    def plot(self) -> Plots:
        """Plots of the frames, as figures of matplotlib."""
        return Plots(self)

    def export(
        self, folder: str | Path, kind: str = "csv", only: Sequence[str] = FRAMES
    ) -> list[Path]:
        """Write each frame that has rows to a file in a folder: CSV, Parquet or JSON.

        Of a frame that is not in `only` nothing is written.

        Raises:
            InputError: there is no such kind or frame, the folder cannot be written, or pyarrow,
                which writes Parquet, is not installed.
        """
        if kind not in WRITERS:
            raise InputError(f"export: {unknown(kind, 'one of the formats', list(WRITERS))}")
        for name in only:
            if name not in FRAMES:
                raise InputError(f"export: {unknown(name, 'one of the frames', list(FRAMES))}")
        tables = {name: getattr(self, name) for name in only}
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            return [
                _write(table, Path(folder) / f"{name}.{kind}", WRITERS[kind])
                for name, table in tables.items()
                if not table.empty
            ]
        except OSError as error:
            raise InputError(f"{folder}: cannot be written: {error.strerror or error}.") from error


def compare(*runs: Results | str | Path) -> DataFrame:
    """Return the values in which runs differ, a row each, with a column for each run.

    Configuration, software, ends, counters and hashes are compared, as by `firesim runs compare`.

    Raises:
        InputError: one is no results folder, or its run has no result yet.
    """
    folders = [one.folder if isinstance(one, Results) else Path(one).absolute() for one in runs]
    values = [values_of(folder) for folder in folders]
    keys = dict.fromkeys(key for one in values for key in one)
    rows = []
    for section, key in keys:
        found = [one.get((section, key)) for one in values]
        if any(value != found[0] for value in found):
            row = {"section": section, "key": key}
            rows.append({**row, **dict(zip(map(str, folders), found, strict=True))})
    return frames.frame(rows, ["section", "key", *map(str, folders)])
