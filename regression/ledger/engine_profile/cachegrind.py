# SPDX-License-Identifier: BSD-3-Clause
"""Valgrind's cachegrind: how it is started, and what it counted, function by function.

It executes every instruction of a program in a model of a processor: caches of a fixed size and a
simple branch predictor, the same on every machine. What it counts is exact for that model, not for
the processor it runs on.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from firesim_common.tools import ToolError

from regression.support.experiment import ExperimentError

CACHES = ("--I1=65536,16,64", "--D1=49152,12,64", "--LL=2097152,16,64")
"""Bytes, ways and bytes of a line: those of one core of the machine that docs/ quotes. What
cachegrind calls the last level is the core's second level there."""
CACHES_IN_WORDS = "I1 64 KiB of 16 ways, D1 48 KiB of 12, L2 2 MiB of 16"


@dataclass(frozen=True)
class Counts:
    """Events of one function, or of a program."""

    instructions: float = 0
    i1_misses: float = 0
    d1_misses: float = 0
    last_level_misses: float = 0
    branches: float = 0
    mispredicted: float = 0

    def __add__(self, other: Counts) -> Counts:
        return self._with(other, 1)

    def __sub__(self, other: Counts) -> Counts:
        return self._with(other, -1)

    def _with(self, other: Counts, sign: int) -> Counts:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Counts(*(mine + sign * theirs for mine, theirs in pairs))

    def per(self, cycles: int) -> Counts:
        """Return the events of one cycle."""
        return Counts(*(value / cycles for value in vars(self).values()))


_NONE = Counts()
_EVENTS = {
    "instructions": ("Ir",),
    "i1_misses": ("I1mr",),
    "d1_misses": ("D1mr", "D1mw"),
    "last_level_misses": ("ILmr", "DLmr", "DLmw"),
    "branches": ("Bc", "Bi"),
    "mispredicted": ("Bcm", "Bim"),
}
"""The names that cachegrind has for what is in Counts, which are summed."""
Profile = Mapping[str, Counts]
"""Counts by function."""


def require_valgrind() -> str:
    """Return the path of valgrind.

    Raises:
        ToolError: it is not installed.
    """
    if path := shutil.which("valgrind"):
        return path
    raise ToolError("valgrind is not installed (Debian: apt-get install valgrind).")


def command(target: Path) -> list[str]:
    """Return the words to put before a command so that cachegrind counts into `target`."""
    options = ["--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", *CACHES]
    return [require_valgrind(), "--quiet", *options, f"--cachegrind-out-file={target}"]


def read(file: Path) -> Profile:
    """Return what cachegrind counted.

    Raises:
        ExperimentError: the file was not written to its end, or by another program.
    """
    events: list[str] = []
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    function, summary = "", Counter[str]()
    for line in file.read_text(errors="replace").splitlines():
        if line.startswith("fn="):
            function = line.removeprefix("fn=")
        elif line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("summary:"):
            summary.update(_counted(events, line.split()[1:]))
        elif line[:1].isdigit():
            sums[function].update(_counted(events, line.split()[1:]))
    profile = {name: _counts(found) for name, found in sums.items()}
    if not summary or total(profile.values()) != _counts(summary):
        raise ExperimentError(f"{file}: its functions do not add up to its summary.")
    return profile


def _counted(events: list[str], words: list[str]) -> dict[str, int]:
    # Zeros at the end of a line may be left out.
    return dict(zip(events, map(int, words), strict=False))


def _counts(found: Mapping[str, int]) -> Counts:
    return Counts(**{name: sum(found.get(e, 0) for e in of) for name, of in _EVENTS.items()})


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sum."""
    return sum(counts, _NONE)


def between(short: Profile, long: Profile) -> Profile:
    """Return what a longer run of the same program did more, function by function."""
    return {name: long.get(name, _NONE) - short.get(name, _NONE) for name in {*short, *long}}


def summed(one: Profile, other: Profile) -> Profile:
    """Return the sum of two runs, function by function."""
    return {name: one.get(name, _NONE) + other.get(name, _NONE) for name in {*one, *other}}


@dataclass(frozen=True)
class Group:
    """Functions that belong together: those whose name matches."""

    name: str
    pattern: str


def by_group(profile: Profile, groups: Iterable[Group], rest: str) -> dict[str, Counts]:
    """Sum functions by the first group that they match; `rest` is for those that match none."""
    found = {group.name: Counts() for group in groups} | {rest: Counts()}
    for function, counts in profile.items():
        matching = (group.name for group in groups if re.search(group.pattern, function))
        found[next(matching, rest)] += counts
    return found
