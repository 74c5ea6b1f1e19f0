# SPDX-License-Identifier: BSD-3-Clause
"""Compares two runs: what was asked, with what software, how it ended, and every counter.

What the host alone decides, such as processor time, is left out: two runs of the same target with
the same inputs do not differ in anything that is compared here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.positions import read_yaml
from firesim_common.user_path import found_in

from firesim.metrics.counted import Counted
from firesim.metrics.histograms import read_histograms
from firesim.metrics.own import read_own
from firesim.metrics.stock import with_own
from firesim.report.percentiles import shown_bounds
from firesim.report.results import read_table
from firesim.work.folder import saved_config, saved_result

HOST_ONLY = frozenset({"cpu_s", "wall_s", "advances", "transport", "lost", "snapshots"})
"""Keys of result.json that say what a run took, and not what the target did."""
SOFTWARE = ("commit", "packages", "programs", "linux")
"""Of versions.json."""
SECTIONS = (
    "configuration",
    "software",
    "end",
    "nodes",
    "switches",
    "links",
    "counters",
    "metrics",
    "percentiles",
)


@dataclass(frozen=True)
class Difference:
    """One value that two runs do not share; None where a run does not have it."""

    section: str
    key: str
    left: Any
    right: Any


def compare(left: Path, right: Path) -> list[Difference]:
    """Return all differences of two results folders, by section and key.

    Raises:
        InputError: one of them is no results folder, or its run has no result yet.
    """
    one, other = values_of(left), values_of(right)
    order = {section: place for place, section in enumerate(SECTIONS)}
    keys = sorted({*one, *other}, key=lambda key: (order[key[0]], key[1]))
    return [
        Difference(*key, one.get(key), other.get(key))
        for key in keys
        if one.get(key) != other.get(key)
    ]


def values_of(folder: Path) -> dict[tuple[str, str], Any]:
    """Return all that is compared of a results folder, by section and key.

    Raises:
        InputError: it is no results folder, or its run has no result yet.
    """
    found = zip(SECTIONS, _sections(folder), strict=True)
    return {(section, key): value for section, values in found for key, value in values.items()}


def _sections(folder: Path) -> list[dict[str, Any]]:
    """Return the values of a run by key, a mapping for each of SECTIONS."""
    config = read_yaml(saved_config(folder, "compare")).data
    result = saved_result(folder)
    if not result:
        raise InputError(f"compare: found no result.json in {folder}, expected a run that is over.")
    lists = ("nodes", "switches", "links")
    end = {key: value for key, value in result.items() if key not in lists}
    parts = [config, _software(folder), end, *(result.get(key, []) for key in lists)]
    counted = [*_counted(folder, result), _percentiles(folder, result)]
    return [*(dict(_flat(part, "")) for part in parts), *counted]


def _percentiles(folder: Path, result: dict[str, Any]) -> dict[str, Any]:
    """Return the percentiles of what nodes and switches counted single values of."""
    found: dict[str, Any] = {}
    for part in [*result.get("nodes", []), *result.get("switches", [])]:
        for one in read_histograms(folder, str(part.get("name"))):
            key = f"{one.part}.{one.what.replace(' ', '_')}"
            found |= {f"{key}.{name}": shown_bounds(bounds) for name, bounds in one.at.items()}
            found |= {f"{key}.largest": one.largest, f"{key}.count": one.count}
    return found


def _counted(folder: Path, result: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the counters of all nodes have come to, and the metrics worked out of them."""
    counters: dict[str, Any] = {}
    metrics: dict[str, Any] = {}
    every = with_own(read_own(folder))
    for node in result.get("nodes", []):
        name = str(node.get("name"))
        file = folder / name / "counters.csv"
        if not found_in(file, folder):
            continue
        try:
            table = read_table(file)
        except OSError:
            continue
        if not table.rows:
            continue
        counters |= {
            f"{name}.{key}": v for key, v in zip(table.columns, table.rows[-1], strict=True)
        }
        # What was counted before is the same in both, if they went on from one snapshot.
        totals = Counted(table.columns).totals(every, table.rows)
        metrics |= {f"{name}.{key}": value for key, value in totals.items()}
    return counters, metrics


def _software(folder: Path) -> dict[str, Any]:
    try:
        found = read_json(folder / "versions.json")
        return {key: found.get(key) for key in SOFTWARE}
    except (InputError, AttributeError):
        return {}


def _flat(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    """Give each value that is no list or mapping, with its path; list items by their names."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in HOST_ONLY:
                yield from _flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            name = inner.get("name", index) if isinstance(inner, dict) else index
            yield from _flat(inner, f"{key}.{name}" if key else str(name))
    elif value is not None:
        yield key, value
