# SPDX-License-Identifier: BSD-3-Clause
"""Which modules a design has several copies of, by the names of their state.

A flat netlist does not say what was an instance of what. But the registers and memories of two
copies of a module have the same names below the names of the copies, and of the same widths; some
may be missing in one of them, where a constant input made them useless.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldengate.engine.design import Design

Key = tuple[str, int]
"""("register", index) or ("column", index)."""
_Relative = tuple[str, str, int, int, int]
"""Kind, name below the module, lowest bit, width and rows."""

LEAST_STATE = 8
"""Registers and columns below which a module is too small to be looked at."""
LEAST_ALIKE = 0.9
"""Share of the state that copies of a module have in common."""


@dataclass(frozen=True)
class Copies:
    """Copies of a module: their hierarchical names, and what corresponds, in the same order."""

    paths: tuple[str, ...]
    state: list[tuple[Key, ...]]


def _state_of_modules(design: Design) -> dict[str, dict[_Relative, Key]]:
    """Return what state each module holds, those inside it included."""
    found: dict[str, dict[_Relative, Key]] = {}
    entries = [
        (("register", r.index), r.name, (r.low, r.leaf.width, 1)) for r in design.registers
    ] + [(("column", c.index), c.name, (c.low, c.width, c.size)) for c in design.columns]
    for key, name, size in entries:
        parts = name.split(".")
        for depth in range(1, len(parts)):
            relative = (key[0], ".".join(parts[depth:]), *size)
            found.setdefault(".".join(parts[:depth]), {}).setdefault(relative, key)
    return found


def _nested(path: str, other: str) -> bool:
    """Whether one of two modules is the other or inside it."""
    return f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}.")


def find(design: Design, least_state: int = LEAST_STATE) -> list[Copies]:
    """Return the largest modules of which there are several copies, none inside another."""
    modules = _state_of_modules(design)
    paths = [path for path in modules if len(modules[path]) >= least_state]
    paths.sort(key=lambda path: (-len(modules[path]), path))
    taken: list[str] = []
    found = []
    for index, first in enumerate(paths):
        if any(_nested(first, other) for other in taken):
            continue
        alike = [first]
        for path in paths[index + 1 :]:
            if len(modules[path]) < LEAST_ALIKE * len(modules[first]):
                break
            common = len(modules[first].keys() & modules[path].keys())
            apart = not any(_nested(path, other) for other in (*taken, *alike))
            if apart and common >= LEAST_ALIKE * len(modules[first]):
                alike.append(path)
        if len(alike) > 1:
            taken += alike
            ours = [modules[path] for path in sorted(alike)]
            state = [
                tuple(module[relative] for module in ours)
                for relative in ours[0]
                if all(relative in module for module in ours)
            ]
            found.append(Copies(tuple(sorted(alike)), state))
    return found
