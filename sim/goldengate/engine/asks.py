# SPDX-License-Identifier: BSD-3-Clause
"""Step `asks`: which flags are asked for at once.

Most zones run in few cycles, and each is asked for in every one. Eight flags that lie side by
side are one word; where training shows that it is mostly zero, one branch stands for eight.
"""

from __future__ import annotations

import functools
import operator

from goldengate.engine.emit import Emitter
from goldengate.engine.profile import Profile
from goldengate.engine.zones import branch_cost

WORD = 8
"""Flags that are asked for at once (`eight_flags` in sim/engine/generated/runtime.h)."""


def is_word(emitter: Emitter, start: int) -> bool:
    """Whether the flags of a zone and those after it make a word, being of one module."""
    modules = [zone.module for zone in emitter.zones[start : start + WORD]]
    return len(modules) == WORD and len(set(modules)) == 1


def together(emitter: Emitter, profile: Profile) -> list[range]:
    """Return who is asked for at once, or alone, in the order of zones, at the least cost."""
    active = [_activity(emitter, profile, index) for index in range(len(emitter.zones))]
    best: list[tuple[float, int]] = [(0.0, 0)]
    """What all zones before each one cost, and where the last ask of them begins."""
    for end in range(1, len(active) + 1):
        choices = [(best[end - 1][0] + _cost(active[end - 1 : end], profile.samples), end - 1)]
        start = end - WORD
        if start >= 0 and is_word(emitter, start):
            choices.append((best[start][0] + _cost(active[start:end], profile.samples), start))
        best.append(min(choices))
    found, end = [], len(active)
    while end:
        start = best[end][1]
        found.append(range(start, end))
        end = start
    return found[::-1]


def cost(emitter: Emitter, profile: Profile) -> float:
    """Return what all asking costs over the samples, as the emitter asks."""
    active = [_activity(emitter, profile, index) for index in range(len(emitter.zones))]
    return sum(_cost([active[index] for index in of], profile.samples) for of in emitter.asks)


def _cost(active: list[list[int]], samples: int) -> float:
    """Return what it costs to ask for zones at once, given the samples in which each runs."""
    cost = 0.0
    for of_copy in zip(*active, strict=True):
        reached = samples
        if len(of_copy) > 1:
            reached = functools.reduce(operator.or_, of_copy).bit_count()
            cost += branch_cost(reached, samples)
        cost += sum(branch_cost(one.bit_count(), reached) for one in of_copy)
    return cost


def _activity(emitter: Emitter, profile: Profile, index: int) -> list[int]:
    """Return, for each copy, the samples in which a zone runs."""
    zone = emitter.zones[index]
    active = profile.of_units(emitter.folding.unit(item) for item in zone.items)
    copies = 1 if zone.module is None else emitter.folding.modules[zone.module]
    part = (1 << profile.samples) - 1
    return [active >> profile.samples * copy & part for copy in range(copies)]
