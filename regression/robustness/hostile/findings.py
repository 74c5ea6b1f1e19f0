# SPDX-License-Identifier: BSD-3-Clause
"""What broken input showed: how many cases, and those that were no orderly end."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """A defect: the seed that replays it, and what happened."""

    seed: int
    what: str


@dataclass
class Tally:
    """What the cases of one target showed."""

    target: str
    cases: int = 0
    accepted: int = 0
    """Cases that were as good as the good ones."""
    findings: list[Finding] = field(default_factory=list)
