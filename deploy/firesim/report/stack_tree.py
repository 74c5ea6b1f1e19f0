# SPDX-License-Identifier: BSD-3-Clause
"""Folded call stacks of one run or of several as one tree of frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Stacks = Mapping[str, int]
"""Target cycles by folded stack."""


@dataclass
class Frame:
    """A frame of the stacks of some runs, with their cycles by run."""

    name: str
    own: list[int]
    total: list[int]
    below: dict[str, Frame] = field(default_factory=dict)
    """The frames that it called, by name."""


def tree(*runs: Stacks) -> Frame:
    """Return the root of the stacks of some runs."""

    def made(name: str) -> Frame:
        return Frame(name, [0] * len(runs), [0] * len(runs))

    root = made("all")
    for run, stacks in enumerate(runs):
        for stack, cycles in stacks.items():
            root.total[run] += cycles
            frame = root
            for name in stack.split(";"):
                called = frame.below.get(name)
                if called is None:
                    called = frame.below[name] = made(name)
                frame = called
                frame.total[run] += cycles
            frame.own[run] += cycles
    return root
