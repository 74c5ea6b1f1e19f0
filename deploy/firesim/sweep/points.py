# SPDX-License-Identifier: BSD-3-Clause
"""The points of a sweep: every combination of the values that some keys of a recipe take."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesim_common.errors import InputError
from firesim_common.positions import parse_yaml

MOST_POINTS = 10_000
PREFIX = "point-"
Axes = Mapping[str, Sequence[Any]]
"""The values of each key, in the order in which they are to be simulated."""


@dataclass(frozen=True)
class Point:
    """One run of a sweep."""

    name: str
    values: dict[str, Any]
    """By key of the recipe."""

    def overrides(self) -> list[str]:
        """Return its values as -x takes them."""
        return [f"{key}={json.dumps(value)}" for key, value in self.values.items()]

    def words(self) -> str:
        """Return its values for people."""
        short = short_names(list(self.values))
        return ", ".join(f"{short[key]}={shown(value)}" for key, value in self.values.items())


def shown(value: Any) -> str:
    """Return a value as it is typed."""
    return value if isinstance(value, str) else json.dumps(value)


def short_names(keys: Sequence[str]) -> dict[str, str]:
    """Return for each key the fewest of its last words that tell it from the others."""
    found = {}
    for key in keys:
        words = key.split(".")
        ends = (".".join(words[-count:]) for count in range(1, len(words) + 1))
        others = [f".{other}" for other in keys if other != key]
        found[key] = next((e for e in ends if not any(o.endswith(f".{e}") for o in others)), key)
    return found


def axes_of(overrides: Sequence[str]) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the keys with several values of `key=a,b,c`, and the other overrides as they are.

    Raises:
        InputError: a key with several values is said twice.
    """
    axes: dict[str, list[Any]] = {}
    fixed: list[str] = []
    for text in overrides:
        key, _, values = text.partition("=")
        found = _values(values, f"-x {text}")
        if key in axes or (len(found) > 1 and key in [one.partition("=")[0] for one in fixed]):
            raise InputError(f"-x {text}: found {key} twice, expected all its values in one -x.")
        if len(found) > 1:
            axes[key] = found
        else:
            fixed.append(text)
    return axes, fixed


def _values(text: str, name: str) -> list[Any]:
    """Return the values in "a,b,c", each as YAML; one where it is no such list."""
    try:
        found = parse_yaml(f"[{text}]", name).data
    except InputError:
        return [text]
    return found if isinstance(found, list) else [text]


def grid(axes: Axes) -> list[Point]:
    """Return a point for every combination of values; those of the last key change first.

    Raises:
        InputError: there is nothing to sweep, a value comes twice, or there are too many points.
    """
    if not axes:
        raise InputError(
            "sweep: found no key with several values, expected one at least, such as "
            "-x system.link.latency_cycles=100,200,400."
        )
    count = 1
    for key, values in axes.items():
        said = [json.dumps(value) for value in values]
        if not said:
            raise InputError(f"sweep: {key}: found no value, expected one at least.")
        if len(set(said)) < len(said):
            twice = next(value for value in said if said.count(value) > 1)
            raise InputError(f"sweep: {key}: found {twice} twice, expected each value once.")
        count *= len(said)
    if count > MOST_POINTS:
        raise InputError(f"sweep: found {count:,} points, expected {MOST_POINTS:,} at most.")
    digits = max(2, len(str(count)))
    combined = itertools.product(*axes.values())
    return [
        Point(f"{PREFIX}{number:0{digits}}", dict(zip(axes, values, strict=True)))
        for number, values in enumerate(combined, 1)
    ]
