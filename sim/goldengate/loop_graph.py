# SPDX-License-Identifier: BSD-3-Clause
"""Graphs of what needs what in one cycle: their rings, where to cut them, and levels without them.

Nodes are numbers; `needs[n]` are the nodes that n is computed from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Needs = Mapping[int, Iterable[int]]


def components(nodes: Iterable[int], needs: Needs) -> list[list[int]]:
    """Return the strongly connected components of `nodes`, each after those that it needs."""
    inside = set(nodes)
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for start in sorted(inside):
        if start in number:
            continue
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        todo = [(start, iter(needs[start]))]
        while todo:
            node, others = todo[-1]
            for other in others:
                if other not in inside:
                    continue
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on_stack.add(other)
                    todo.append((other, iter(needs[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], number[other])
            else:
                todo.pop()
                if todo:
                    above = todo[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    at = stack.index(node) if stack[-1] != node else len(stack) - 1
                    found.append(sorted(stack[at:]))
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
    return found


def is_ring(component: Sequence[int], needs: Needs) -> bool:
    """Whether the nodes of a component need themselves."""
    return len(component) > 1 or component[0] in set(needs[component[0]])


def cuts(component: Sequence[int], needs: Needs) -> list[int]:
    """Return few nodes of a component without whose values no node needs itself.

    The node through which most ways lead is taken, then that of each ring that is left.
    """
    found, todo = [], [list(component)]
    while todo:
        ring = todo.pop()
        if not is_ring(ring, needs):
            continue
        inside = set(ring)
        inner = {node: [other for other in needs[node] if other in inside] for node in ring}
        uses = dict.fromkeys(ring, 0)
        for others in inner.values():
            for other in others:
                uses[other] += 1
        itself = [node for node in ring if node in inner[node]]
        best = itself[0] if itself else max(ring, key=lambda n: (len(inner[n]) * uses[n], -n))
        found.append(best)
        todo += components(inside - {best}, needs)
    return sorted(found)


def levels(needs: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return how many steps each node of a graph without rings comes after those without needs."""
    found: dict[int, int] = {}
    for start in needs:
        todo = [start]
        while todo:
            node = todo[-1]
            missing = [other for other in needs[node] if other not in found]
            if node in found or not missing:
                todo.pop()
                found.setdefault(node, max((found[n] + 1 for n in needs[node]), default=0))
            else:
                todo += missing
    return found
