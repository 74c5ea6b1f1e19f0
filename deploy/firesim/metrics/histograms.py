# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of a run: those that models wrote (`histograms.json`), and those among counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.user_path import found_in

from firesim.metrics.percentiles import SHARES, Bin, Bounds, percentile_of

FILE = "histograms.json"
"""In the folder of a node or switch."""
MOST_BYTES = 64 << 20


@dataclass(frozen=True)
class Percentiles:
    """What a histogram comes to."""

    part: str
    """The node or switch."""
    what: str
    unit: str
    count: int
    """Values that were counted: bursts, packets, or cycles in which a queue had a length."""
    mean: float
    at: Mapping[str, Bounds]
    """The percentiles of SHARES, by name."""
    largest: int


def of_values(part: str, what: str, unit: str, values: Sequence[float]) -> Percentiles | None:
    """Return what single values come to, all whole numbers; None where there are none."""
    counts: dict[int, int] = {}
    for value in values:
        counts[int(value)] = counts.get(int(value), 0) + 1
    bins = [Bin(value, value, counts[value]) for value in sorted(counts)]
    return of_bins(part, what, unit, bins)


def of_bins(
    part: str, what: str, unit: str, bins: Sequence[Bin], total: int | None = None,
    largest: int | None = None,
) -> Percentiles | None:  # fmt: skip
    """Return what bins come to; None where nothing was counted.

    `total` is the sum of all values and `largest` the largest of them, where bins do not say so.
    """
    count = sum(one.count for one in bins)
    if count <= 0 or any(one.count < 0 for one in bins):
        return None
    most = max(one.high for one in bins if one.count) if largest is None else largest
    sum_ = sum(one.low * one.count for one in bins) if total is None else total
    at = {name: percentile_of(bins, share, most) for name, share in SHARES.items()}
    return Percentiles(part, what, unit, count, sum_ / count, at, most)


def read_histograms(folder: Path, part: str) -> Iterator[Percentiles]:
    """Yield what the histograms of a node or switch come to; nothing of a file that is broken."""
    file = folder / part / FILE
    if not found_in(file, folder):
        return
    try:
        entries = read_json(file, MOST_BYTES)["histograms"]
        found = [_read(part, entry) for entry in entries]
    except (InputError, LookupError, TypeError, ValueError, AttributeError):
        return
    yield from (one for one in found if one is not None)


def _read(part: str, entry: Any) -> Percentiles | None:
    bins = [Bin(*map(_whole, one)) for one in entry["bins"]]
    if any(one.high < one.low for one in bins):
        raise ValueError("a bin that ends before it begins")
    if any(after.low <= before.high for before, after in pairwise(bins)):
        raise ValueError("bins that do not follow each other")
    what = str(entry["what"])[:64]
    if "port" in entry:
        what = f"port {_whole(entry['port'])} {what}"
    total, largest = _whole(entry["sum"]), _whole(entry["largest"])
    return of_bins(part, what, str(entry["unit"])[:16], bins, total, largest)


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("no whole number")
    return value
