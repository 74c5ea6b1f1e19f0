# SPDX-License-Identifier: BSD-3-Clause
"""The signals that a failed assert names, cycle by cycle."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError

from firesim.run.signals import list_signals, read_peeks

MOST_SIGNALS = 24
CYCLES = 12
"""Cycles that are shown, the one of the event last."""


@dataclass(frozen=True)
class Shown:
    """A signal and its values in some cycles."""

    name: str
    values: tuple[str, ...]


def named_in(folder: Path, node: str, words: Collection[str], overrides: list[str]) -> list[str]:
    """Return the signals of a node whose own names are among `words`, the outermost first."""
    if not words:
        return []
    try:
        shapes = list_signals(folder, node, [""], overrides)
    except InputError:
        return []
    fits = [one for one in shapes if one.name.rpartition(".")[2] in words and one.rows <= 1]
    fits.sort(key=lambda one: (one.name.count("."), one.name))
    return [one.name for one in fits[:MOST_SIGNALS]]


def peeked_cycles(cycle: int, first: int) -> list[int]:
    """Return the cycles in which signals are read."""
    return list(range(max(first, cycle - CYCLES + 1), cycle + 1))


def read_shown(file: Path, cycles: list[int]) -> list[Shown]:
    """Return what the replay has read of the signals."""
    if not file.is_file():
        return []
    found: dict[str, dict[int, int]] = {}
    for value in read_peeks(file):
        found.setdefault(value.signal, {})[value.cycle] = value.value
    return [
        Shown(name, tuple(hex(at[cycle]) if cycle in at else "" for cycle in cycles))
        for name, at in found.items()
    ]
