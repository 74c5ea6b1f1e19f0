# SPDX-License-Identifier: BSD-3-Clause
"""Reads a results folder, complete or not: what is missing or damaged is listed, never fatal."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from firesim_common.errors import InputError
from firesim_common.json_text import parsed, read_json
from firesim_common.regular_file import opened_regular
from firesim_common.user_path import found_in
from pydantic import TypeAdapter

from firesim.engines import ENGINES
from firesim.metrics.expression import Expression
from firesim.metrics.own import read_own
from firesim.report import shape
from firesim.topology.peers import FILE as PEERS

LARGEST_TEXT_BYTES = 256 * 1024
"""The most that is kept of one console log; the middle of a longer one is left out."""

LONGEST_LINE_BYTES = 1 << 20
"""The most that is taken as one line of a CSV file."""

LAST_STATUS_BYTES = 32 << 20
"""As much of the end of status.jsonl is looked through: several lines of thousands of models."""

LARGEST_TABLE_ROWS = 200_000
"""The most rows read from one CSV file, so that a long run cannot exhaust the memory."""

LEAST_VALUE, MOST_VALUE = 1e-12, float(2**63)
"""Of numbers in a CSV file, except for 0."""

JsonObject = dict[str, Any]


@dataclass
class Table:
    """A CSV file: column names and numeric rows."""

    columns: list[str]
    rows: list[list[float]]
    incomplete_rows: int = 0

    def column(self, name: str) -> list[float]:
        """Return one column by name.

        Raises:
            ValueError: no such column.
        """
        index = self.columns.index(name)
        return [row[index] for row in self.rows]


@dataclass
class NodeFiles:
    """What one node left behind."""

    name: str
    console: str | None = None
    memory: JsonObject | None = None
    counters: Table | None = None
    folded: list[Path] = field(default_factory=list)


@dataclass
class SwitchFiles:
    """What one switch left behind."""

    name: str
    ports: list[JsonObject] = field(default_factory=list)
    throughput: Table | None = None
    captures: list[Path] = field(default_factory=list)


@dataclass
class Results:
    """A results folder in memory."""

    folder: Path
    description: JsonObject
    result: JsonObject | None
    last_status: JsonObject | None
    versions: JsonObject
    peers: dict[str, list[str]]
    """The nodes that each node talks to, as far as its software's arguments say."""
    config_text: str | None
    run_log: str | None
    nodes: list[NodeFiles]
    switches: list[SwitchFiles]
    missing: list[str]
    own_metrics: dict[str, Expression] = field(default_factory=dict)
    """Metrics that the user gave the run, by name."""

    @property
    def clock_hz(self) -> float:
        """Target clock in hertz."""
        return float(self.description.get("clock_hz") or 3_200_000_000)

    @property
    def start_cycle(self) -> int:
        """Where the run began: the cycle of its snapshot, or 0."""
        return int((self.versions.get("snapshot") or {}).get("cycle", 0))


def read_table(path: Path) -> Table:
    """Read a CSV file of numbers; lines that start with # are comments.

    Rows that are cut short or hold no numbers, as a killed simulator may leave, are counted and
    left out. At most LARGEST_TABLE_ROWS rows are read.

    Raises:
        OSError: the file cannot be read, or is no regular one.
    """
    rows: list[list[float]] = []
    incomplete = 0
    with opened_regular(path) as stream:
        lines = _lines(stream)
        columns = next(_words(lines), [])
        for words in _words(lines):
            if len(rows) + incomplete >= LARGEST_TABLE_ROWS:
                break
            try:
                row = [float(word) for word in words]
            except ValueError:
                row = []
            if len(row) == len(columns) and all(map(_is_count, row)):
                rows.append(row)
            else:
                incomplete += 1
    return Table(columns, rows, incomplete)


def _is_count(value: float) -> bool:
    """Whether something may have been counted or measured so; what is drawn divides by it."""
    return value == 0 or LEAST_VALUE <= abs(value) <= MOST_VALUE


def _lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines of a file that are no comments; one that is too long comes in pieces."""
    while line := stream.readline(LONGEST_LINE_BYTES):
        if not line.startswith(b"#"):
            yield line.decode(errors="replace")


def _words(lines: Iterator[str]) -> Iterator[list[str]]:
    """Yield the words of lines of a CSV file, none of one that is no such line."""
    for line in lines:
        try:
            yield [word.strip() for word in next(csv.reader([line]), [])]
        except csv.Error:
            yield []


def read_text(path: Path) -> str:
    """Return the text of a log; of a long one, whole lines of its beginning and its end.

    Raises:
        OSError: the file cannot be read, or is no regular one.
    """
    half = LARGEST_TEXT_BYTES // 2
    with opened_regular(path) as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        if size <= 2 * half:
            return stream.read(2 * half).decode(errors="replace")
        head = stream.read(half)
        stream.seek(size - half)
        tail = stream.read(half)
    # Half a line is left out, too: what is left of a number would be another number.
    head = head[: head.rfind(b"\n") + 1]
    tail = tail[tail.find(b"\n") + 1 :]
    left_out = size - len(head) - len(tail)
    note = f"… {left_out:,} bytes left out; see the file …\n".encode()
    return (head + note + tail).decode(errors="replace")


def read_peers(folder: Path) -> dict[str, list[str]]:
    """Return the nodes each node of a run talks to; nothing where the run did not keep them."""
    try:
        value = read_json(folder / PEERS)
        return {str(name): [str(other) for other in others] for name, others in value.items()}
    except (InputError, AttributeError, TypeError):
        return {}


def read_start_cycle(folder: Path) -> int:
    """Return where a run began: the cycle of its snapshot, or 0."""
    try:
        return int((read_json(folder / "versions.json").get("snapshot") or {}).get("cycle", 0))
    except (InputError, AttributeError, TypeError, ValueError):
        return 0


class _Reader:
    """Reads files of one folder and keeps a list of what could not be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.missing: list[str] = []

    def text(self, relative: str, *, required: bool = True) -> str | None:
        if (file := self.file(relative, required=required)) is None:
            return None
        try:
            return read_text(file)
        except OSError as error:
            self.missing.append(f"{relative} cannot be read: {error.strerror}")
            return None

    def file(self, relative: str, *, required: bool) -> Path | None:
        """Return a file of the folder; whatever leads out of it is not one."""
        if found_in(self.folder / relative, self.folder):
            return self.folder / relative
        if required:
            self.missing.append(f"{relative} was not written")
        return None

    def json(self, relative: str, *, required: bool = True) -> Any:
        if (file := self.file(relative, required=required)) is None:
            return None
        try:
            return read_json(file)
        except InputError as error:
            self.missing.append(str(error).removeprefix(f"{self.folder}/"))
        return None

    def object(
        self, relative: str, kind: TypeAdapter[Any] | None = None, *, required: bool = True
    ) -> JsonObject | None:
        """Return an object of a kind.

        Raises:
            InputError: it is one of another kind.
        """
        value: JsonObject | None = self.json(relative, required=required)
        if value is not None and not isinstance(value, dict):
            self.missing.append(f"{relative} holds no JSON object")
            return None
        if value is not None and kind is not None:
            shape.check(value, kind, self.folder / relative)
        return value

    def table(self, relative: str, *, required: bool = False) -> Table | None:
        if (file := self.file(relative, required=required)) is None:
            return None
        try:
            table = read_table(file)
        except OSError as error:
            self.missing.append(f"{relative} cannot be read: {error.strerror}")
            return None
        if not table.columns:
            self.missing.append(f"{relative} is empty")
            return None
        if table.incomplete_rows:
            self.missing.append(f"{relative}: {table.incomplete_rows} incomplete row(s) left out")
        if len(table.rows) >= LARGEST_TABLE_ROWS:
            self.missing.append(f"{relative}: only the first {LARGEST_TABLE_ROWS:,} rows shown")
        return table

    def last_status(self) -> JsonObject | None:
        if (path := self.file("status.jsonl", required=True)) is None:
            return None
        try:
            with opened_regular(path) as stream:
                stream.seek(max(0, stream.seek(0, os.SEEK_END) - LAST_STATUS_BYTES))
                lines = stream.read(LAST_STATUS_BYTES).splitlines()
        except OSError as error:
            self.missing.append(f"status.jsonl cannot be read: {error.strerror}")
            return None
        for line in reversed(lines):
            try:
                value = parsed(line)
            except ValueError:
                continue  # a killed simulator may leave half a line
            if isinstance(value, dict):
                shape.check(value, shape.STATUS, path)
                return value
        return None


def _read_node(reader: _Reader, node: JsonObject) -> NodeFiles:
    name = str(node.get("name", "?"))
    files = NodeFiles(name)
    if node.get("kind") not in ENGINES:
        return files
    bridges: JsonObject = node.get("bridges") or {}
    uart = bridges.get("uart") or {}
    files.console = reader.text(
        str(uart.get("log") or f"{name}/uart.log"), required="uart" in bridges
    )
    memory = bridges.get("memory") or {}
    files.memory = reader.object(
        str(memory.get("statistics") or f"{name}/memory.json"),
        required=bool(memory.get("statistics")),
    )
    counter = bridges.get("autocounter") or {}
    wanted = bool(counter.get("file")) and (counter.get("trigger") or {}).get("kind") != "none"
    files.counters = reader.table(
        str(counter.get("file") or f"{name}/counters.csv"), required=wanted
    )
    trace = bridges.get("tracerv") or {}
    directory = reader.file(str(trace.get("directory") or f"{name}/trace"), required=False)
    files.folded = [] if directory is None else sorted(directory.glob("*.folded"))
    return files


def _read_switch(reader: _Reader, switch: JsonObject) -> SwitchFiles:
    name = str(switch.get("name", "?"))
    files = SwitchFiles(name)
    statistics = reader.json(
        str(switch.get("statistics") or f"{name}/ports.json"),
        required=bool(switch.get("statistics")),
    )
    if isinstance(statistics, dict):
        statistics = statistics.get("ports", [])
    if isinstance(statistics, list):
        files.ports = [port for port in statistics if isinstance(port, dict)]
        shape.check(files.ports, shape.PORTS, reader.folder / name)
    files.throughput = reader.table(
        str(switch.get("throughput") or f"{name}/throughput.csv"),
        required=bool(switch.get("throughput")),
    )
    folder = reader.file(name, required=False)
    files.captures = [] if folder is None else sorted(folder.glob("*.pcapng"))
    return files


def read_results(folder: Path) -> Results:
    """Read everything a run left in `folder`.

    A folder without `description.json` still gives a `Results`, with nodes and switches empty.

    Raises:
        FileNotFoundError: there is no such folder.
        InputError: its files are none that a run leaves.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a results folder: there is no such folder.")
    reader = _Reader(folder)
    description = reader.object("description.json", shape.DESCRIPTION) or {}
    nodes = [_read_node(reader, node) for node in description.get("nodes", [])]
    switches = [_read_switch(reader, switch) for switch in description.get("switches", [])]
    lost = reader.text("outputs-missing.txt", required=False) or ""
    reader.missing += [f"output of {line}" for line in lost.splitlines()]
    return Results(
        folder=folder,
        description=description,
        result=reader.object("result.json", shape.RESULT),
        last_status=reader.last_status(),
        versions=reader.object("versions.json", shape.VERSIONS) or {},
        peers=read_peers(folder),
        config_text=reader.text("config.yaml"),
        run_log=reader.text("run.log", required=False),
        nodes=nodes,
        switches=switches,
        missing=reader.missing,
        own_metrics=read_own(folder),
    )
