"""Step `cluster`: what is evaluated together, from what changed in the training runs.

Items whose inputs change often are *hot*: they are evaluated in every cycle, without asking. The
others form clusters, each evaluated in the cycles in which something it reads has changed. A
cluster costs a check in every cycle and, when it runs, all its items; a value read by another
cluster costs a comparison. Clusters grow greedily as long as that sum falls.

The cycle alternates between hot items and clusters, in *phases*: an item that needs a cluster's
value comes in a later phase than that cluster. Clusters only join within a phase, so that they
never wait for each other through hot items.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from goldengate.engine.emit import Cluster
from goldengate.engine.ir import Node
from goldengate.engine.items import Item, Items, ordered
from goldengate.engine.profile import Profile

HOT = 0.12
"""Items active in more than this share of the cycles are evaluated in all."""
TICKING = 0.9
"""Items active in more than this share are clocks and dividers: they run by themselves, so that the
hot items can rest while nothing else happens."""
CHECK_COST = 1.5
"""Of asking whether a cluster must run, in operations."""
RUN_COST = 6.0
"""Of calling a cluster."""
DETECT_COST = 2.5
"""Of comparing a value with what it was."""
MISPREDICT_COST = 8.0
"""Of a branch that goes the rarer way."""
MOST_ITEMS = 250
FUNCTION_ITEMS = 1500
SEARCH_LIMIT = 400
_COSTS = {"cat": 2.0, "lt": 1.5, "read": 2.0, "mul": 3.0, "mulh": 4.0, "div": 25.0, "mod": 25.0}


def key_of(node: Node) -> object:
    """Return the key of a value in the profile."""
    return node.value if node.op == "leaf" else node.uid


def item_cost(item: Item) -> float:
    """Return the cost of an item in operations."""
    if item.kind == "write":
        return 2.0
    if item.node is None:
        return 1.0
    node = item.node
    if node.op == "cat":
        return 2.0 * len(node.args) - 2.0
    return 600.0 if node.op in ("divw", "modw") else _COSTS.get(node.op, 1.0)


@dataclass
class _Group:
    """A cluster as it grows. `active` holds the samples in which it must run."""

    number: int
    items: list[int]
    cost: float
    active: int
    phase: int
    before: set[int] = field(default_factory=set)
    after: set[int] = field(default_factory=set)

    def price(self, samples: int) -> float:
        """Return what the cluster costs over all samples, without comparisons."""
        runs = self.active.bit_count()
        mispredicts = min(runs, samples - runs) * MISPREDICT_COST
        return samples * CHECK_COST + runs * (RUN_COST + self.cost) + mispredicts


class Partitioner:
    """Cuts the items of a design into clusters."""

    def __init__(self, items: Items, profile: Profile) -> None:
        self.items = items
        self.profile = profile
        self.samples = max(1, profile.samples)
        self.order = [item.number for item in ordered(items)]
        self.active = [self._activity(item) for item in items.items]
        low, high = HOT * self.samples, TICKING * self.samples
        self.hot = [low < active.bit_count() <= high for active in self.active]
        self.predecessors = [set(items.predecessors(item)) for item in items.items]
        self.successors: list[set[int]] = [set() for _ in items.items]
        for number, before in enumerate(self.predecessors):
            for other in before:
                self.successors[other].add(number)
        self.phase = [0] * len(items.items)
        self._phases()
        self.readers = self._readers()
        self.groups: dict[int, _Group] = {}
        self.home: dict[int, int] = {}

    def _activity(self, item: Item) -> int:
        active = 0
        for node in item.reads:
            active |= self.profile.of(key_of(node))
        for column in item.columns:
            active |= self.profile.of(("column", column))
        return active

    def _phases(self) -> None:
        for number in self.order:
            hot, phase = self.hot[number], 0
            for before in self.predecessors[number]:
                later = hot and not self.hot[before]
                phase = max(phase, self.phase[before] + later)
            self.phase[number] = phase

    def _readers(self) -> list[list[int]]:
        """Return, for each item that computes a node, the items that read the node."""
        found: list[list[int]] = [[] for _ in self.items.items]
        for item in self.items.items:
            for node in item.reads:
                if node.op != "leaf":
                    found[self.items.of_node[node.uid].number].append(item.number)
        return found

    def _grow_cones(self) -> None:
        """Make groups of the cold items, joining items with the one group that follows them."""
        for number in reversed(self.order):
            if self.hot[number]:
                continue
            after = self.successors[number]
            homes = {self.home.get(other, -1) for other in after}
            group = _Group(
                number,
                [number],
                item_cost(self.items.items[number]),
                self.active[number],
                self.phase[number],
            )
            target = self.groups[next(iter(homes))] if len(homes) == 1 and -1 not in homes else None
            if (
                target is not None
                and target.phase == group.phase
                and self._gain(group, target, adjacent=True) > 0
            ):
                target.items.append(number)
                target.cost += group.cost
                target.active |= group.active
                self.home[number] = target.number
            else:
                self.groups[number] = group
                self.home[number] = number
        for group in self.groups.values():
            self._connect(group)

    def _connect(self, group: _Group) -> None:
        """Find the groups of the same phase before and after a group."""
        for number in group.items:
            for others, found in (
                (self.predecessors[number], group.before),
                (self.successors[number], group.after),
            ):
                for other in others:
                    home = self.home.get(other)
                    if home is None or home == group.number:
                        continue
                    if self.groups[home].phase == group.phase:
                        found.add(home)

    def _gain(self, a: _Group, b: _Group, adjacent: bool) -> float:
        """Return what joining two groups saves."""
        if len(a.items) + len(b.items) > MOST_ITEMS:
            return -1.0
        joined = _Group(0, [], a.cost + b.cost, a.active | b.active, 0)
        saved = a.price(self.samples) + b.price(self.samples) - joined.price(self.samples)
        if adjacent:
            saved += a.active.bit_count() * DETECT_COST
        return saved

    def _reaches(self, start: set[int], goal: int) -> bool:
        """Whether a path leads from `start` to `goal`; true also when the search takes long."""
        seen = set(start)
        todo = list(start)
        while todo:
            number = todo.pop()
            if number == goal:
                return True
            for other in self.groups[number].after:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
            if len(seen) > SEARCH_LIMIT:
                return True
        return False

    def _may_join(self, a: _Group, b: _Group) -> bool:
        """Whether joining two groups makes no ring."""
        if b.number in a.after:
            return not self._reaches(a.after - {b.number}, b.number)
        if a.number in b.after:
            return not self._reaches(b.after - {a.number}, a.number)
        return not self._reaches(a.after, b.number) and not self._reaches(b.after, a.number)

    def _join(self, a: _Group, b: _Group) -> None:
        """Put the items of `b` into `a`."""
        a.items += b.items
        a.cost += b.cost
        a.active |= b.active
        for number in b.items:
            self.home[number] = a.number
        for other in b.before:
            self.groups[other].after.discard(b.number)
            if other != a.number:
                self.groups[other].after.add(a.number)
        for other in b.after:
            self.groups[other].before.discard(b.number)
            if other != a.number:
                self.groups[other].before.add(a.number)
        a.before = (a.before | b.before) - {a.number, b.number}
        a.after = (a.after | b.after) - {a.number, b.number}
        del self.groups[b.number]

    def _grow_groups(self) -> None:
        """Join neighbours while that pays, the best pair first."""
        version = dict.fromkeys(self.groups, 0)
        heap: list[tuple[float, int, int, int, int]] = []

        def offer(a: _Group, b: _Group) -> None:
            gain = self._gain(a, b, b.number in a.after or a.number in b.after)
            if gain > 0:
                entry = (-gain, a.number, b.number, version[a.number], version[b.number])
                heapq.heappush(heap, entry)

        for group in list(self.groups.values()):
            for other in self._neighbours(group, above=group.number):
                offer(group, other)
        while heap:
            _, first, second, *versions = heapq.heappop(heap)
            known = first in self.groups and second in self.groups
            if not known or versions != [version[first], version[second]]:
                continue
            a, b = self.groups[first], self.groups[second]
            if not self._may_join(a, b):
                continue
            self._join(a, b)
            version[first] += 1
            for other in self._neighbours(a):
                offer(a, other)

    def _neighbours(self, group: _Group, above: int = -1) -> list[_Group]:
        """Return groups to join with this one, before, after and beside it, numbered `above`."""
        found = set(group.before) | set(group.after)
        for side in (group.before, group.after):
            for other in sorted(side)[:6]:
                near = (
                    self.groups[other].after if side is group.before else self.groups[other].before
                )
                found.update(sorted(near)[:12])
        found.discard(group.number)
        return [self.groups[number] for number in sorted(found) if number > above]

    def _join_rest(self) -> None:
        """Join groups that never ran, in order of their place, to save checks."""
        by_phase: dict[int, list[_Group]] = {}
        for group in self.groups.values():
            by_phase.setdefault(group.phase, []).append(group)
        for groups in by_phase.values():
            groups.sort(key=lambda group: (group.active, group.number))
            last: _Group | None = None
            for group in groups:
                joins = last is not None and self._gain(last, group, False) > 0
                if joins and last is not None and self._may_join(last, group):
                    self._join(last, group)
                else:
                    last = group

    def partition(self) -> list[Cluster]:
        """Return the clusters in the order in which they run."""
        self._grow_cones()
        self._grow_groups()
        self._join_rest()
        return self._schedule()

    def _schedule(self) -> list[Cluster]:
        position = {number: index for index, number in enumerate(self.order)}
        found: list[Cluster] = []
        items = self.items.items
        last = max(self.phase, default=0)
        for phase in range(last + 1):
            hot = [n for n in self.order if self.hot[n] and self.phase[n] == phase]
            for start in range(0, len(hot), FUNCTION_ITEMS):
                found.append(Cluster([items[n] for n in hot[start : start + FUNCTION_ITEMS]], True))
            groups = {n: g for n, g in self.groups.items() if g.phase == phase}
            waiting = {number: len(group.before) for number, group in groups.items()}
            ready = [number for number, count in waiting.items() if count == 0]
            heapq.heapify(ready)
            while ready:
                number = heapq.heappop(ready)
                group = groups.pop(number)
                group.items.sort(key=position.__getitem__)
                found.append(Cluster([items[n] for n in group.items], False))
                for other in group.after:
                    waiting[other] -= 1
                    if waiting[other] == 0:
                        heapq.heappush(ready, other)
            assert not groups, "clusters wait for each other"
        return found
