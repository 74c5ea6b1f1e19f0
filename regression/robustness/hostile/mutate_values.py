# SPDX-License-Identifier: BSD-3-Clause
"""Seeded changes of values: of JSON, whole or a line of it, and of tables, behind a name."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from regression.robustness.hostile.mutate import mutated

EDGES: list[Any] = [
    *(None, True, 0, -1, 1, 2**53 - 1, 2**53, 2**63, 2**64 - 1, 1e18, -1e300, 1e-300, 1e-9, 0.5),
    *("", "x", "\x1b[2J", "x" * 5000, "node0", "../x", "a\\b", "\0"),
    *([], {}, [1], {"a": 1}, [[]], [{}], {"name": "node0"}),
]
CELLS = (0, -1, 1e18, 2**53, 2**63 - 1, 1e-12, 5e-324, 1e300, 0.5, "nan", "cycle", '"')
_BYTES_SHARE, _REMOVED_SHARE, _DOUBLED_SHARE, _MIXED_SHARE = 0.3, 0.15, 0.1, 0.3


def mutated_values(good: bytes, rng: random.Random) -> bytes:
    """Return a file behind the line with its name, with a few values, or bytes, changed."""
    name, _, content = good.partition(b"\n")
    if rng.random() < _BYTES_SHARE:
        return mutated(good, rng)
    if name.endswith(b".csv"):
        return name + b"\n" + _table(content, rng)
    if name.endswith((b".json", b".jsonl")):
        # Of lines of JSON the last one is read.
        value = json.loads(content.splitlines()[-1] if name.endswith(b"l") else content)
        return name + b"\n" + json.dumps(_changed(value, rng)).encode()
    return mutated(good, rng)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every value within one: what holds it, and its key there."""
    found: list[tuple[Any, Any]] = []
    left = [value]
    while left:
        one = left.pop()
        items = one.items() if isinstance(one, dict) else enumerate(one)
        for key, inner in items:
            found.append((one, key))
            if isinstance(inner, dict | list):
                left.append(inner)
    return found


def _changed(value: Any, rng: random.Random) -> Any:
    for _ in range(rng.randint(1, 2)):
        places = _places(value)
        if not places:
            break
        holder, key = rng.choice(places)
        chance = rng.random()
        if chance < _REMOVED_SHARE:
            del holder[key]
        elif chance < _REMOVED_SHARE + _DOUBLED_SHARE and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(rng.choice(EDGES))
    return value


def _table(content: bytes, rng: random.Random) -> bytes:
    rows = content.decode().splitlines() or [""]
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(rows))
        cells = rows[at].split(",")
        cells[rng.randrange(len(cells))] = str(rng.choice(CELLS))
        rows[at] = ",".join(cells)
    if rng.random() < _MIXED_SHARE:
        rng.shuffle(rows)
    return "\n".join(rows).encode()
