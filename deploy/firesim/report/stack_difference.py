# SPDX-License-Identifier: BSD-3-Clause
"""The difference of two runs' call stacks, by shares of their cycles: runs need not be as long.

A share is a fraction of all cycles of the chosen stacks of its own run. A difference is the second
run's share without the first one's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from firesim.report.stack_tree import Stacks


@dataclass(frozen=True)
class FunctionChange:
    """What share of the cycles a function has in two runs."""

    name: str
    own: tuple[float, float]
    """Fraction of cycles in the function itself, in the first and in the second run."""
    total: tuple[float, float]
    """The same with all that it calls; a stack in which it is twice counts once."""

    @property
    def own_difference(self) -> float:
        """Growth of its own share, as a fraction of all cycles."""
        return self.own[1] - self.own[0]

    @property
    def total_difference(self) -> float:
        """Growth of the share with its callees."""
        return self.total[1] - self.total[0]


def changes(first: Stacks, second: Stacks) -> list[FunctionChange]:
    """Return all functions of two runs, the largest change of their own share first."""
    own = [own_shares(stacks) for stacks in (first, second)]
    total = [_total_shares(stacks) for stacks in (first, second)]
    found = [
        FunctionChange(
            name,
            (own[0].get(name, 0.0), own[1].get(name, 0.0)),
            (total[0].get(name, 0.0), total[1].get(name, 0.0)),
        )
        for name in {*total[0], *total[1]}
    ]
    return sorted(
        found, key=lambda one: (-abs(one.own_difference), -abs(one.total_difference), one.name)
    )


def folded_difference(first: Stacks, second: Stacks) -> Iterator[str]:
    """Yield lines `stack cycles cycles`, which flamegraph.pl draws as a difference."""
    for stack in sorted({*first, *second}):
        yield f"{stack} {first.get(stack, 0)} {second.get(stack, 0)}"


def own_shares(stacks: Stacks) -> dict[str, float]:
    """Return the share of the cycles that each function has itself, by its name."""
    cycles: Counter[str] = Counter()
    for stack, count in stacks.items():
        cycles[stack.rpartition(";")[2]] += count
    return _shares(cycles, stacks)


def _total_shares(stacks: Stacks) -> dict[str, float]:
    cycles: Counter[str] = Counter()
    for stack, count in stacks.items():
        for name in set(stack.split(";")):
            cycles[name] += count
    return _shares(cycles, stacks)


def _shares(cycles: Counter[str], stacks: Stacks) -> dict[str, float]:
    whole = sum(stacks.values())
    return {name: count / whole for name, count in cycles.items()}
