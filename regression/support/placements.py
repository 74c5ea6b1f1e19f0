# SPDX-License-Identifier: BSD-3-Clause
"""Where a unit may stand: its cycles to memory there, and the order in which places are fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regression.support.near_core_cases import Outcome

PLACEMENTS = {"near core": 0, "chiplet (25 ns)": 80, "PCIe (200 ns)": 640}
"""Cycles at 3.2 GHz that each request takes more, and each response again."""
NEAR, PCIE, CACHED = "near core", "PCIe (200 ns)", "PCIe, local cache"
_CACHE = 1 << 16
"""Of the instruction that sets cycles: what the unit reads back takes none."""
ALL_PLACEMENTS = {**PLACEMENTS, CACHED: PLACEMENTS[PCIE] | _CACHE}
_SAME = 0.01
"""Share of cycles by which runs of the same work may differ."""
_ROUND_TRIPS = 2 * 2 * PLACEMENTS[PCIE]
"""Cycles besides: at another alignment the data may take one more turn of reads and of writes."""


def by_place(outcomes: Sequence[Outcome]) -> list[dict[str, Outcome]]:
    """Return outcomes of cases that each were run in `ALL_PLACEMENTS`, in that order."""
    count = len(ALL_PLACEMENTS)
    groups = [outcomes[first : first + count] for first in range(0, len(outcomes), count)]
    return [dict(zip(ALL_PLACEMENTS, group, strict=True)) for group in groups]


def _slack(cycles: Mapping[str, int], calls: int) -> float:
    return _SAME * cycles[PCIE] + calls * _ROUND_TRIPS


def in_order(cycles: Mapping[str, int], calls: int = 1) -> bool:
    """Return whether farther places are slower, and a local cache makes none slower.

    Cycles by the place are those of `calls` calls together.
    """
    near = [cycles[place] for place in PLACEMENTS]
    no_slower = cycles[CACHED] <= cycles[PCIE] + _slack(cycles, calls)
    return near == sorted(set(near)) and no_slower


def cache_is_idle(cycles: Mapping[str, int]) -> bool:
    """Return whether both places behind PCIe take the same time, so far as alignments allow."""
    return abs(cycles[CACHED] - cycles[PCIE]) <= _slack(cycles, 1)


def cycles_of(outcomes: Mapping[str, Outcome]) -> dict[str, int]:
    """Return cycles by the place."""
    return {place: outcome.cycles for place, outcome in outcomes.items()}
