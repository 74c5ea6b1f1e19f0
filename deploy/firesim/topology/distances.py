# SPDX-License-Identifier: BSD-3-Clause
"""Distances between switches, by sets that are the bits of a number: it is quick for thousands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firesim.topology.shape import Shape


def adjacent_switches(shape: Shape) -> list[int]:
    """Return for each switch, in their order, the set of those it is linked to."""
    number = {name: index for index, name in enumerate(shape.switches)}
    found = [0] * len(number)
    for a, b in shape.links:
        if a in number and b in number:
            found[number[a]] |= 1 << number[b]
            found[number[b]] |= 1 << number[a]
    return found


def members(numbers: int) -> Iterator[int]:
    """Return the numbers in a set."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


@dataclass(frozen=True)
class Layer:
    """A set of switches, twice: as a number, and one by one."""

    numbers: int
    members: list[int]


def layers_from(adjacent: Sequence[int], start: int) -> list[Layer]:
    """Return the sets of switches that are 0, 1, 2, ... links away from one."""
    found = [Layer(1 << start, [start])]
    seen = 1 << start
    while True:
        near = 0
        for number in found[-1].members:
            near |= adjacent[number]
        near &= ~seen
        if not near:
            return found
        seen |= near
        found.append(Layer(near, list(members(near))))


def diameter(adjacent: Sequence[int]) -> int:
    """Return how many links the two switches are apart that are furthest from each other."""
    return max(len(layers_from(adjacent, start)) for start in range(len(adjacent))) - 1
