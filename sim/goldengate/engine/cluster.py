"""Step `cluster`: what is evaluated together, from what changed in the training runs.

Items form clusters, each evaluated in the cycles in which something it reads has changed. A cluster
costs a check in every cycle and, when it runs, all its items; a value read by another cluster costs
a comparison. Clusters grow greedily as long as that sum falls.

No clusters may wait for each other in a ring. Each has a rank, and what comes before has a lower
one, so that looking for a ring only visits ranks between those of the two to be joined; the ranks
of what was visited are then dealt anew (after Pearce and Kelly's dynamic topological order).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from goldengate.engine.emit import Cluster
from goldengate.engine.items import Item, Items, ordered
from goldengate.engine.profile import Profile

CHECK_COST = 1.0
"""Of asking whether a cluster must run, in operations."""
RUN_COST = 6.0
"""Of calling a cluster."""
DETECT_COST = 4.0
"""Of comparing a value with what it was."""
MISPREDICT_COST = 15.0
"""Of a branch that goes the rarer way."""
MOST_ITEMS = 250
SEARCH_LIMIT = 3000
"""Groups visited in one search for a ring; beyond it two groups are not joined."""
_COSTS = {"cat": 2.0, "lt": 1.5, "read": 2.0, "mul": 3.0, "mulh": 4.0, "div": 25.0, "mod": 25.0}


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
    """A cluster as it grows. `active` holds the samples in which it must run.

    `before` and `after` say how many values lead from and to other groups; a value that n groups
    read counts for 1 / n with each. Waiting without a value counts for 0.
    """

    number: int
    items: list[int]
    cost: float
    active: int
    rank: int = 0
    price: float = 0.0
    before: dict[int, float] = field(default_factory=dict)
    after: dict[int, float] = field(default_factory=dict)


class Partitioner:
    """Cuts the items of a design into clusters."""

    def __init__(self, items: Items, profile: Profile) -> None:
        self.items = items
        self.samples = max(1, profile.samples)
        self.order = [item.number for item in ordered(items)]
        self.active = [profile.activity(item) for item in items.items]
        self.predecessors = [set(items.predecessors(item)) for item in items.items]
        self.successors: list[set[int]] = [set() for _ in items.items]
        for number, before in enumerate(self.predecessors):
            for other in before:
                self.successors[other].add(number)
        self.readers = self._readers()
        self.groups: dict[int, _Group] = {}
        self.home: dict[int, int] = {}

    def _readers(self) -> list[list[int]]:
        """Return, for each item that computes a node, the items that read the node."""
        found: list[list[int]] = [[] for _ in self.items.items]
        for item in self.items.items:
            for node in item.reads:
                if node.op != "leaf":
                    found[self.items.of_node[node.uid].number].append(item.number)
        return found

    def _price(self, cost: float, active: int) -> float:
        """Return what a cluster costs over all samples, without comparisons."""
        runs = active.bit_count()
        mispredicts = min(runs, self.samples - runs) * MISPREDICT_COST
        return self.samples * CHECK_COST + runs * (RUN_COST + cost) + mispredicts

    def _group(self, number: int) -> _Group:
        """Return a group of one item."""
        cost, active = item_cost(self.items.items[number]), self.active[number]
        return _Group(number, [number], cost, active, price=self._price(cost, active))

    def _grow_cones(self) -> None:
        """Make groups of the items, joining items with the one group that follows them."""
        for number in reversed(self.order):
            homes = {self.home[other] for other in self.successors[number]}
            group = self._group(number)
            target = self.groups[homes.pop()] if len(homes) == 1 else None
            if target is not None and self._gain(group, target, 1.0) > 0:
                target.items.append(number)
                target.cost += group.cost
                target.active |= group.active
                target.price = self._price(target.cost, target.active)
                self.home[number] = target.number
            else:
                self.groups[number] = group
                self.home[number] = number
        self._connect()
        for rank, group in enumerate(self._schedule()):
            group.rank = rank

    def _connect(self) -> None:
        """Find what leads from group to group."""
        for number, after in enumerate(self.successors):
            own = self.home[number]
            homes = {self.home[other] for other in after} - {own}
            readers = {self.home[other] for other in self.readers[number]} - {own}
            for home in homes:
                share = 1 / len(readers) if home in readers else 0.0
                for edges, other in (
                    (self.groups[own].after, home),
                    (self.groups[home].before, own),
                ):
                    edges[other] = edges.get(other, 0.0) + share

    def _gain(self, a: _Group, b: _Group, values: float) -> float:
        """Return what joining two groups saves, `values` of the first being read by the other."""
        if len(a.items) + len(b.items) > MOST_ITEMS:
            return -1.0
        saved = a.price + b.price - self._price(a.cost + b.cost, a.active | b.active)
        return saved + values * a.active.bit_count() * DETECT_COST

    def _later(self, low: _Group, high: _Group) -> set[int] | None:
        """Return the groups after `low`, but for `high`, of lower rank than `high`.

        None stands for a way from `low` to `high` through another group, or a long search.
        """
        groups = self.groups
        found = {n for n in low.after if groups[n].rank < high.rank}
        todo = list(found)
        while todo:
            after = groups[todo.pop()].after
            if high.number in after or len(found) > SEARCH_LIMIT:
                return None
            for number in after:
                if number not in found and groups[number].rank < high.rank:
                    found.add(number)
                    todo.append(number)
        return found

    def _earlier(self, low: _Group, high: _Group) -> set[int]:
        """Return the groups before `high`, but for `low`, of higher rank than `low`."""
        groups = self.groups
        found = {n for n in high.before if groups[n].rank > low.rank}
        todo = list(found)
        while todo:
            for number in groups[todo.pop()].before:
                if number not in found and groups[number].rank > low.rank:
                    found.add(number)
                    todo.append(number)
        return found

    def _join(self, a: _Group, b: _Group) -> bool:
        """Put the items of `b` into `a`, unless that makes a ring."""
        low, high = (a, b) if a.rank < b.rank else (b, a)
        later = self._later(low, high)
        if later is None:
            return False
        earlier = self._earlier(low, high)
        groups = self.groups
        moved = [*sorted(earlier, key=lambda n: groups[n].rank), a.number]
        moved += sorted(later, key=lambda n: groups[n].rank)
        ranks = sorted([low.rank, *(groups[n].rank for n in (*earlier, *later))])
        for number, rank in zip(moved, ranks, strict=True):
            groups[number].rank = rank
        a.items += b.items
        a.cost += b.cost
        a.active |= b.active
        a.price = self._price(a.cost, a.active)
        self._redirect(a, b)
        del groups[b.number]
        return True

    def _redirect(self, a: _Group, b: _Group) -> None:
        """Let what leads to and from `b` lead to and from `a`."""
        for own, gone, back in (
            (a.before, b.before, "after"),
            (a.after, b.after, "before"),
        ):
            for other, values in gone.items():
                edges = getattr(self.groups[other], back)
                del edges[b.number]
                if other != a.number:
                    edges[a.number] = own[other] = own.get(other, 0.0) + values

    def _grow_groups(self) -> None:
        """Join neighbours while that pays, the best pair first."""
        version = dict.fromkeys(self.groups, 0)
        heap: list[tuple[float, int, int, int, int]] = []

        def offer(a: _Group, b: _Group) -> None:
            if a.number in b.after:
                gain = self._gain(b, a, b.after[a.number])
            else:
                gain = self._gain(a, b, a.after.get(b.number, 0.0))
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
            if self._join(a, b):
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
        last: _Group | None = None
        for group in sorted(self.groups.values(), key=lambda g: (g.active, g.number)):
            if last is None or self._gain(last, group, 0.0) <= 0 or not self._join(last, group):
                last = group

    def _schedule(self) -> list[_Group]:
        """Return the groups in an order in which none comes before what it waits for."""
        waiting = {number: len(group.before) for number, group in self.groups.items()}
        ready = [number for number, count in waiting.items() if count == 0]
        heapq.heapify(ready)
        found: list[_Group] = []
        while ready:
            group = self.groups[heapq.heappop(ready)]
            found.append(group)
            for other in group.after:
                waiting[other] -= 1
                if waiting[other] == 0:
                    heapq.heappush(ready, other)
        assert len(found) == len(self.groups), "clusters wait for each other"
        return found

    def partition(self) -> list[Cluster]:
        """Return the clusters in the order in which they run."""
        self._grow_cones()
        self._grow_groups()
        self._join_rest()
        position = {number: index for index, number in enumerate(self.order)}
        found = []
        for group in self._schedule():
            group.items.sort(key=position.__getitem__)
            found.append(Cluster([self.items.items[number] for number in group.items]))
        return found
