# SPDX-License-Identifier: BSD-3-Clause
"""The target cycles that a timeline shows."""

from __future__ import annotations

from dataclasses import dataclass

MOST_CYCLE = 2**63 - 1


@dataclass(frozen=True)
class Window:
    """Cycles with first <= cycle < end."""

    first: int = 0
    end: int = MOST_CYCLE

    def __contains__(self, cycle: int) -> bool:
        return self.first <= cycle < self.end


WHOLE = Window()
"""All of a run."""
