# SPDX-License-Identifier: BSD-3-Clause
"""What the fuzzers share: what differs, and how a batch that fails as a whole is halved."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, TypeVar

MOST_CHARACTERS = 600


@dataclass(frozen=True)
class Difference:
    """What was not equal in the case of `seed`: a signal, first in a cycle, or a failure."""

    seed: int
    what: str


def failure(seed: int, error: Exception) -> Difference:
    """Return the difference that a failed tool is."""
    return Difference(seed, f"{type(error).__name__}: {str(error)[:MOST_CHARACTERS]}")


class Addable(Protocol):
    """What a batch showed."""

    def add(self, other: Self) -> None:
        """Add what another batch showed."""


T = TypeVar("T", bound=Addable)


def halved(
    folder: Path,
    seeds: Sequence[int],
    compare: Callable[[Path, Sequence[int]], T],
    alone: Callable[[int, Exception], T],
    nothing: Callable[[], T],
) -> T:
    """Compare the cases of `seeds` in `folder`; a single one leaves its files there.

    What stops a whole batch, say a text that one side refuses, is traced to its case by halves;
    `alone` says what the failure of a single case is.
    """
    folder.mkdir(parents=True)
    try:
        return compare(folder, seeds)
    except Exception as error:  # whatever a tool does with a case is a finding
        if len(seeds) == 1:
            return alone(seeds[0], error)
    finally:
        if len(seeds) > 1:
            shutil.rmtree(folder)
    whole, middle = nothing(), len(seeds) // 2
    for part in (seeds[:middle], seeds[middle:]):
        where = folder.with_name(f"seed-{part[0]}-{len(part)}")
        whole.add(halved(where, part, compare, alone, nothing))
    return whole
