# SPDX-License-Identifier: BSD-3-Clause
"""Calls of a fleet's sizes on a unit that compresses: bytes a cycle of all, by the place."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from regression.support.call_sizes import MOST_LOG, call_sizes
from regression.support.corpus import corpus
from regression.support.experiment import Experiment
from regression.support.near_core_cases import Outcome
from regression.support.placements import ALL_PLACEMENTS, NEAR, by_place, in_order

C = TypeVar("C")
WAYS = ("decompress", "compress")
_KINDS = ("text", "code")
_CALLS, _QUICK_CALLS = 128, 8
_QUICK_LOG = 13


def fleet_calls(
    experiment: Experiment,
    format_: str,
    case: Callable[[str, bytes, int, bool], C],
    run: Callable[[Experiment, str, Sequence[C]], list[tuple[C, Outcome]]],
) -> bool:
    """Show a table; return whether places are in their order and software is slower than a unit.

    `case` makes a case of a direction, the plain data, cycles to memory, and whether the same is
    done in software, too; `run` runs cases and compares their outputs.
    """
    count, most_log = (_QUICK_CALLS, _QUICK_LOG) if experiment.quick else (_CALLS, MOST_LOG)
    rng = random.Random(experiment.seed)
    rows, ordered = [], True
    for way in WAYS:
        sizes = call_sizes(format_, way, count, rng, most_log)
        data = [corpus(_KINDS[index % 2], size, rng) for index, size in enumerate(sizes)]
        cases = [
            case(way, plain, latency, latency == 0)
            for plain in data
            for latency in ALL_PLACEMENTS.values()
        ]
        found = by_place([outcome for _, outcome in run(experiment, f"calls-{way}", cases)])
        cycles = {place: sum(one[place].cycles for one in found) for place in ALL_PLACEMENTS}
        software = sum(one[NEAR].software for one in found)
        ordered &= in_order(cycles, count) and cycles[NEAR] < software
        for place, taken in cycles.items():
            rates = [f"{sum(sizes) / taken:.2f}", f"{software / taken:.1f}"]
            rows.append([way, place, sizes[count // 2], sum(sizes), *rates])
    columns = ["operation", "place", "median bytes", "bytes", "bytes a cycle", "times software"]
    experiment.table(
        f"{count} calls of a fleet's sizes, up to {1 << most_log} bytes", columns, rows
    )
    return ordered
