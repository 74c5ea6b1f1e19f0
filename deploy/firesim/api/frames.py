# SPDX-License-Identifier: BSD-3-Clause
"""Results folders as pandas frames. pandas is imported when the first frame is read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.user_path import found_in

from firesim.metrics.counted import Counted
from firesim.metrics.links import link_use
from firesim.metrics.own import read_own
from firesim.metrics.stock import with_own
from firesim.report.console import records
from firesim.report.network import Network
from firesim.report.percentiles import percentiles as counted_percentiles
from firesim.report.results import read_peers, read_results, read_start_cycle, read_table, read_text
from firesim.report.round_trips import measured_round_trips

if TYPE_CHECKING:
    from pandas import DataFrame

PACKAGES = "'pandas>=2' 'pyarrow>=15'"
"""What pip installs so that frames can be read and written."""
FLIT_BITS = 64
Entry = Mapping[str, Any]


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> DataFrame:
    """Return rows as a frame; without rows it has `columns`.

    Raises:
        InputError: pandas is not installed.
    """
    listed = list(rows)
    return _pandas().DataFrame(listed, columns=None if listed else list(columns))


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise lacking("pandas") from error
    return pandas


def lacking(package: str) -> InputError:
    """Return the error that says that a package is not installed, and how to install it."""
    pip = f"{sys.executable} -m pip install {PACKAGES}"
    return InputError(f"frames: found no {package}, expected it installed: {pip}")


def description_of(folder: Path) -> dict[str, Any]:
    """Return the description of the run in a folder.

    Raises:
        InputError: it is no results folder.
    """
    if not (folder / "description.json").is_file():
        raise InputError(f"{folder}: found no description.json, expected a results folder.")
    found = read_json(folder / "description.json")
    if not isinstance(found, dict):
        raise InputError(f"{folder / 'description.json'}: found no object, expected a description.")
    return found


def result_of(folder: Path) -> dict[str, Any]:
    """Return the result.json of the run in a folder, nothing when there is no whole one."""
    try:
        found = read_json(folder / "result.json")
    except InputError:
        return {}
    return found if isinstance(found, dict) else {}


def nodes(result: Entry) -> DataFrame:
    """Return a row for each node: how it ended, and its statistics as `nic.packets_in`."""
    rows = [
        {**{k: v for k, v in one.items() if k != "statistics"}, **_flat(one.get("statistics"))}
        for one in result.get("nodes", [])
    ]
    return frame(({"node": row.pop("name"), **row} for row in rows), ["node"])


def _flat(value: Any, before: str = "") -> dict[str, Any]:
    """Return the plain values of nested mappings, keys joined by points.

    What a list has of several, as `nic` of a node with several links, is under their numbers.
    """
    found: dict[str, Any] = {}
    for key, inner in (value or {}).items():
        if isinstance(inner, dict):
            found |= _flat(inner, f"{before}{key}.")
        elif isinstance(inner, list):
            several = {str(index): one for index, one in enumerate(inner) if isinstance(one, dict)}
            found |= _flat(several, f"{before}{key}.")
        else:
            found[f"{before}{key}"] = inner
    return found


def links(description: Entry, result: Entry) -> DataFrame:
    """Return a row for each direction of each link: what went over it, and its token hash."""
    said = {one["name"]: one for one in result.get("links", [])}
    cycles = int(result.get("end_cycle", 0))
    rows = []
    for link in description.get("links", []):
        ends = [str(link[end]["model"]) for end in "ab"]
        for way, (source, target) in (("a_to_b", ends), ("b_to_a", ends[::-1])):
            went = said.get(link["name"], {}).get(way) or {}
            flits = went.get("flits")
            rows.append(
                {
                    "link": link["name"],
                    "source": source,
                    "target": target,
                    "latency_cycles": link["latency_cycles"],
                    "packets": went.get("packets"),
                    "flits": flits,
                    "flits_per_cycle": flits / cycles if cycles and flits is not None else None,
                    "hash": went.get("hash"),
                }
            )
    return frame(rows, ["link", "source", "target"])


def ports(folder: Path, description: Entry) -> DataFrame:
    """Return a row for each port of each switch: packets, bytes, drops, queues."""
    far = _far_ends(description)
    rows = []
    for switch in description.get("switches", []):
        name = str(switch["name"])
        file = _file(folder, switch.get("statistics") or f"{name}/ports.json")
        said = read_json(file) if file else {}
        for port, values in enumerate(said.get("ports", [])):
            linked = far.get((name, port))
            rows.append({"switch": name, "port": port, "linked_to": linked, **values})
    return frame(rows, ["switch", "port", "linked_to"])


def _far_ends(description: Entry) -> dict[tuple[str, int], str]:
    found = {}
    for link in description.get("links", []):
        for near, far in (("a", "b"), ("b", "a")):
            found[str(link[near]["model"]), int(link[near]["port"])] = str(link[far]["model"])
    return found


def throughput(folder: Path, description: Entry) -> DataFrame:
    """Return what each port of each switch carried in each interval, in bytes."""
    switches = {str(one["name"]): one.get("throughput") for one in description.get("switches", [])}
    files = {name: text or f"{name}/throughput.csv" for name, text in switches.items()}
    return _tables(folder, files, "switch", ["switch", "cycle", "port", "bytes_in", "bytes_out"])


def counters(folder: Path, description: Entry) -> DataFrame:
    """Return what the counters of each node have come to at the end of each interval."""
    return _tables(folder, _counter_files(description), "node", ["node", "cycle"])


def _counter_files(description: Entry) -> dict[str, str]:
    files = {}
    for node in description.get("nodes", []):
        bridge = (node.get("bridges") or {}).get("autocounter") or {}
        files[str(node["name"])] = bridge.get("file") or f"{node['name']}/counters.csv"
    return files


def metrics(folder: Path, description: Entry, result: Entry) -> DataFrame:
    """Return what is worked out of the counters, a row for each value.

    `from_cycle` and `cycle` are the stretch: each interval, and the whole run in rows where
    `whole_run` is true. Values of single harts, and of links, are of whole runs only. NaN is a
    value that there is not, as of a division by 0.
    """
    every = with_own(read_own(folder))
    links = link_use(description, result)
    rows: list[dict[str, Any]] = []
    for node, text in _counter_files(description).items():
        if (file := _file(folder, text)) is None or not file.stat().st_size:
            continue
        table = read_table(file)
        counted = Counted(table.columns, read_start_cycle(folder))
        for before, after in counted.stretches(table.rows):
            rows += [
                _metric_row(
                    node, before[0], after[0], metric.name, counted.value(metric, before, after)
                )
                for metric in counted.metrics(every)
                if not counted.is_of_links(metric)
            ]
        totals = counted.totals(every, table.rows, links.get(node))
        if totals:
            ends = counted.base(table.rows)[0], table.rows[-1][0]
            rows += [_metric_row(node, *ends, name, value, True) for name, value in totals.items()]
    return frame(rows, ["node", "from_cycle", "cycle", "metric", "value", "whole_run"])


def percentiles(folder: Path) -> DataFrame:
    """Return a row for each thing of which single values were counted.

    A percentile lies between `p99_low` and `p99_high`, which are the same where it is exact.
    """
    rows: list[dict[str, Any]] = []
    for one in counted_percentiles(read_results(folder)):
        row: dict[str, Any] = {"part": one.part, "what": one.what, "unit": one.unit}
        row |= {"count": one.count, "mean": one.mean}
        for name, bounds in one.at.items():
            row |= {f"{name}_low": bounds.low, f"{name}_high": bounds.high}
        rows.append({**row, "largest": one.largest})
    return frame(rows, ["part", "what", "unit", "count"])


def _metric_row(
    node: str, begin: float, end: float, name: str, value: float | None, whole_run: bool = False
) -> dict[str, Any]:
    return {
        "node": node,
        "from_cycle": int(begin),
        "cycle": int(end),
        "metric": name,
        "value": float("nan") if value is None else value,
        "whole_run": whole_run,
    }


def _tables(folder: Path, files: Mapping[str, str], key: str, columns: Sequence[str]) -> DataFrame:
    """Return CSV files below each other, a column saying whose each row is.

    The last line of a file may be cut short, which a killed simulator leaves: it is left out.
    """
    pandas = _pandas()
    found = []
    for name, text in files.items():
        if (file := _file(folder, text)) is not None and file.stat().st_size:
            table = pandas.read_csv(file, comment="#", on_bad_lines="skip").dropna()
            table.insert(0, key, name)
            found.append(table)
    return pandas.concat(found, ignore_index=True) if found else frame([], columns)


def pings(folder: Path, description: Entry) -> DataFrame:
    """Return a row for each round trip that a node measured, with the ideal beside it."""
    network = Network(dict(description), read_peers(folder))
    rows = []
    for name, text in _logs(folder, description):
        measured = measured_round_trips(network, name, text)
        ideal = measured.ideals[0] if len(measured.ideals) == 1 else None
        rows += [
            {"node": name, "seq": seq, "cycles": cycles, "ideal_cycles": ideal}
            for seq, cycles in measured.trips
        ]
    return frame(rows, ["node", "seq", "cycles", "ideal_cycles"])


def measurements(folder: Path, description: Entry) -> DataFrame:
    """Return a row for each `key=value` that software printed: "kind key=value key=value"."""
    rows = []
    for name, text in _logs(folder, description):
        for line, record in enumerate(records(text)):
            rows += [
                {
                    "node": name,
                    "line": line,
                    "kind": record.kind,
                    "key": key,
                    "text": said,
                    "value": record.number(key),
                }
                for key, said in record.fields.items()
            ]
    return frame(rows, ["node", "line", "kind", "key", "text", "value"])


def consoles(folder: Path, description: Entry) -> DataFrame:
    """Return a row for each line of each node's console."""
    rows = (
        {"node": name, "line": number, "text": line}
        for name, text in _logs(folder, description)
        for number, line in enumerate(text.splitlines(), 1)
    )
    return frame(rows, ["node", "line", "text"])


def stacks(folder: Path, description: Entry) -> DataFrame:
    """Return a row for each call stack of each core, and the cycles that were spent in it."""
    rows = []
    for node in description.get("nodes", []):
        trace = (node.get("bridges") or {}).get("tracerv") or {}
        kept = _file(folder, trace.get("directory") or f"{node['name']}/trace")
        for file in sorted(kept.glob("*.folded")) if kept else []:
            for line in file.read_text(errors="replace").splitlines():
                stack, _, cycles = line.rpartition(" ")
                if stack and cycles.isdigit():
                    row = {"node": node["name"], "core": file.stem, "stack": stack}
                    rows.append({**row, "cycles": int(cycles)})
    return frame(rows, ["node", "core", "stack", "cycles"])


def _logs(folder: Path, description: Entry) -> Iterator[tuple[str, str]]:
    """Yield the name and the console of each node that has one."""
    for node in description.get("nodes", []):
        uart = (node.get("bridges") or {}).get("uart") or {}
        if file := _file(folder, uart.get("log") or f"{node['name']}/uart.log"):
            yield str(node["name"]), read_text(file).replace("\r", "")


def _file(folder: Path, relative: Any) -> Path | None:
    """Return what is in a results folder; None if it is not there or leads out of the folder."""
    path = folder / str(relative)
    return path if found_in(path, folder) else None
