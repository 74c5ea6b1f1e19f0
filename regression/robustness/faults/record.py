# SPDX-License-Identifier: BSD-3-Clause
"""The faults that a run of the experiment has let happen, kept one by one: a cut run can go on."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, cut

FILE = "faults.jsonl"
BROKEN = "BROKEN"


@dataclass(frozen=True)
class Fault:
    """One fault and how its run ended."""

    number: int
    kind: str
    ending: str
    wall_s: float
    cpu_s: float
    what: str = ""
    """What is wrong, of one that is BROKEN."""


@dataclass(frozen=True)
class About:
    """What all faults of one record have in common: on it depends what a number stands for."""

    seed: int
    kinds: list[str]
    token_hash: str


class Record:
    """The faults of a run, in memory and in a file of a line a fault."""

    def __init__(self, folder: Path, about: About, before: list[Fault]) -> None:
        """Begin with the faults of an earlier part."""
        self.faults = list(before)
        self._file = folder / FILE
        lines = [asdict(about), *(asdict(fault) for fault in before)]
        self._file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def add(self, fault: Fault) -> None:
        """Keep one more."""
        self.faults.append(fault)
        with self._file.open("a") as stream:
            stream.write(f"{json.dumps(asdict(fault))}\n")

    @property
    def broken(self) -> int:
        """How many did not end in order."""
        return sum(fault.ending == BROKEN for fault in self.faults)

    def rows(self) -> list[list[object]]:
        """Return a line of the table for each kind, in the order of their first faults."""
        by_kind: dict[str, list[Fault]] = {}
        for fault in sorted(self.faults, key=lambda fault: fault.number):
            by_kind.setdefault(fault.kind, []).append(fault)
        return [
            [
                kind,
                len(faults),
                ", ".join(
                    f"{how}: {n}"
                    for how, n in sorted(Counter(fault.ending for fault in faults).items())
                ),
                f"{sum(fault.wall_s for fault in faults) / len(faults):.1f}",
                f"{sum(fault.cpu_s for fault in faults) / len(faults):.1f}",
            ]
            for kind, faults in by_kind.items()
        ]


def earlier_faults(folder: Path, about: About) -> list[Fault]:
    """Return the faults of a run that was cut, except for those to be tried again: BROKEN ones.

    Raises:
        InputError: there is no record, or it is one of other faults.
    """
    file = folder / FILE
    try:
        lines = file.read_text().splitlines()
    except OSError as error:
        raise InputError(f"--resume: found no {file}, expected results of faults.") from error
    values = [value for value in map(_parsed, lines) if value is not None]
    if not values or set(values[0]) != set(asdict(about)):
        raise InputError(f"{file}:1: found no head of a record, expected seed, kinds, token hash.")
    for key, expected in asdict(about).items():
        if values[0][key] != expected:
            found, wanted = cut(str(values[0][key])), cut(str(expected))
            raise InputError(f"{file}:1: {key}: found {found}, expected {wanted}.")
    faults = {fault.number: fault for fault in (Fault(**value) for value in values[1:])}
    return [fault for fault in faults.values() if fault.ending != BROKEN]


def _parsed(line: str) -> dict[str, Any] | None:
    """Return a line as an object, None for one that was cut off."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
