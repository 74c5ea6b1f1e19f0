# SPDX-License-Identifier: BSD-3-Clause
"""Who waits for whom at a moment: which models hold others up, and the chains behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from firesim.watch.status import ModelStatus

MOST_HOLDERS = 12
MOST_IN_CHAIN = 6
"""Names; of a longer chain the ends."""


@dataclass(frozen=True)
class Holder:
    """A model that waits for nobody, and for which others wait."""

    name: str
    directly: int
    """Models that lack its own tokens."""
    behind: int
    """Models that lack tokens because of it, through any number of others."""
    chain: list[str]
    """The longest way to it, the model that is furthest behind first."""


def holders(models: Sequence[ModelStatus]) -> list[Holder]:
    """Return who holds others up, those with the most models behind them first."""
    waits = {
        model.name: model.waiting_for
        for model in models
        if model.state == "waiting" and model.waiting_for is not None
    }
    ends = _ends(waits)
    directly: dict[str, int] = defaultdict(int)
    behind: dict[str, int] = defaultdict(int)
    furthest: dict[str, str] = {}
    for name, other in waits.items():
        end, length = ends[name]
        directly[other] += 1
        behind[end] += 1
        if length > ends[furthest.setdefault(end, name)][1]:
            furthest[end] = name
    found = sorted(behind, key=lambda name: (-behind[name], name))[:MOST_HOLDERS]
    return [
        Holder(name, directly[name], behind[name], _way(furthest[name], waits)) for name in found
    ]


def _ends(waits: dict[str, str]) -> dict[str, tuple[str, int]]:
    """Return for whom each model waits in the end, and through how many others.

    Each model is asked at its own moment, so that a few may seem to wait for each other.
    """
    ends: dict[str, tuple[str, int]] = {}
    for name in waits:
        way = {name: None}
        at = name
        while at in waits and at not in ends and waits[at] not in way:
            at = waits[at]
            way[at] = None
        end, length = ends.get(at, (at, 0))
        for steps, one in enumerate(reversed(way)):
            ends.setdefault(one, (end, length + steps))
    return ends


def _way(name: str, waits: dict[str, str]) -> list[str]:
    """Return the models from one that waits to the one that does not."""
    way = {name: None}
    while name in waits and waits[name] not in way:
        name = waits[name]
        way[name] = None
    return list(way)


def chain_words(chain: Sequence[str]) -> str:
    """Return a chain for people."""
    if len(chain) > MOST_IN_CHAIN:
        half = MOST_IN_CHAIN // 2
        chain = [*chain[:half], f"({len(chain) - 2 * half} more)", *chain[-half:]]
    return " → ".join(chain)
