# SPDX-License-Identifier: BSD-3-Clause
"""Step `zones`: what is evaluated together, from what changed in the training runs.

Items form zones, each evaluated in the cycles in which something it reads has changed. A
zone costs a check in every cycle and, when it runs, all its items; a value read by another
zone costs a comparison. Zones grow greedily as long as that sum falls.

What the copies of a module share (step `fold`) is cut once, with the activity of all copies in
view: a zone of it runs for each copy, and nothing else is in it.

No zones may wait for each other in a ring. Each has a rank, and what comes before has a lower
one, so that looking for a ring only visits ranks between those of the two to be joined; the ranks
of what was visited are then dealt again (after Pearce and Kelly's dynamic topological order).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from goldengate.engine.costs import item_cost
from goldengate.engine.emit import Zone
from goldengate.engine.fold import Folding
from goldengate.engine.items import sorted_by_need, successors
from goldengate.engine.profile import Profile

CHECK_COST = 1.0
"""Of asking whether a zone must run, in operations."""
RUN_COST = 6.0
"""Of calling a zone."""
DETECT_COST = 4.0
"""Of comparing a value with what it was."""
MISPREDICT_COST = 15.0
"""Of a branch that goes the rarer way."""
MOST_ITEMS = 250
SEARCH_LIMIT = 3000
"""Groups visited in one search for a ring; beyond it two groups are not joined."""


@dataclass
class _Group:
    """A zone of units as it grows. `active` holds the samples in which it must run.

    What it costs is for one copy, its price for all of them.

    `before` and `after` say how many values lead from and to other groups; a value that n groups
    read counts for 1 / n with each. Waiting without a value counts for 0.
    """

    number: int
    units: list[int]
    module: int | None
    cost: float
    active: int
    price: float = 0.0
    before: dict[int, float] = field(default_factory=dict)
    after: dict[int, float] = field(default_factory=dict)


_Offer = tuple[float, int, int, int, int]
"""What joining two groups saves, negative, their numbers, and how often each had grown."""


def branch_cost(runs: int, samples: int) -> float:
    """Return what a branch costs that is taken in `runs` of the samples in which it is reached."""
    rarer = runs if runs + runs < samples else samples - runs
    return samples * CHECK_COST + rarer * MISPREDICT_COST


class Cutter:
    """Cuts the units of a design into zones."""

    def __init__(self, folding: Folding, profile: Profile) -> None:
        self.folding = folding
        self.samples = max(1, profile.samples)
        self.predecessors = folding.predecessors()
        self.order = sorted_by_need(self.predecessors)
        self.active = [profile.activity(unit.items) for unit in folding.units]
        self.successors = successors(self.predecessors)
        self.readers = self._readers()
        self.groups: dict[int, _Group] = {}
        self.home: dict[int, int] = {}
        self.rank: list[int] = []
        """The rank of each group."""
        self.versions: dict[int, int] = {}
        """How often each group has grown."""
        self.joined: dict[int, int] = {}
        """The group that each group which is no more was put into."""
        self.between: dict[tuple[int, int], int] = {}
        """A group on a way between two that could not be joined, by their numbers."""

    def _readers(self) -> list[list[int]]:
        """Return, for each unit that computes nodes, the units that read them."""
        found: list[list[int]] = [[] for _ in self.folding.units]
        of_node, unit_of = self.folding.found.of_node, self.folding.unit_of
        for item in self.folding.found.items:
            for node in item.reads:
                if node.op != "leaf":
                    found[unit_of[of_node[node.uid].number]].append(unit_of[item.number])
        return found

    def _price(self, cost: float, active: int, module: int | None) -> float:
        """Return what a zone costs over all samples, without comparisons."""
        copies = 1 if module is None else self.folding.modules[module]
        samples, runs = self.samples * copies, active.bit_count()
        return branch_cost(runs, samples) + runs * (RUN_COST + cost)

    def _group(self, number: int) -> _Group:
        """Return a group of one unit."""
        unit = self.folding.units[number]
        cost, active = item_cost(unit.items[0]), self.active[number]
        price = self._price(cost, active, unit.module)
        return _Group(number, [number], unit.module, cost, active, price=price)

    def _grow_cones(self) -> None:
        """Make groups of the units, joining units with the one group that follows them."""
        for number in reversed(self.order):
            homes = {self.home[other] for other in self.successors[number]}
            group = self._group(number)
            target = self.groups[homes.pop()] if len(homes) == 1 else None
            if target is not None and self._gain(group, target, 1.0) > 0:
                target.units.append(number)
                target.cost += group.cost
                target.active |= group.active
                target.price = self._price(target.cost, target.active, target.module)
                self.home[number] = target.number
            else:
                self.groups[number] = group
                self.home[number] = number
        self._connect()
        self.rank = [0] * len(self.folding.units)
        for rank, group in enumerate(self._schedule()):
            self.rank[group.number] = rank

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
        if a.module != b.module or len(a.units) + len(b.units) > MOST_ITEMS:
            return -1.0
        saved = a.price + b.price - self._price(a.cost + b.cost, a.active | b.active, a.module)
        return saved + values * a.active.bit_count() * DETECT_COST

    def _is_apart(self, first: int, second: int) -> bool:
        """Whether it is known that joining two groups makes a ring.

        A way between them stays one when groups grow, until what is on it is put into an end of it.
        """
        pair = (first, second) if first < second else (second, first)
        found = self.between.get(pair)
        if found is None:
            return False
        while found in self.joined:
            found = self.joined[found]
        self.between[pair] = found
        return found not in pair

    def _between(self, low: _Group, high: _Group) -> tuple[set[int], set[int]] | None:
        """Return the groups after `low` of lower rank than `high`, and those before `high` of
        higher rank than `low`, without the two.

        None stands for a way from `low` to `high` through another group, or a long search. It is
        looked for from both ends.
        """
        groups, rank = self.groups, self.rank
        bottom, top = rank[low.number], rank[high.number]
        later = {n for n in low.after if rank[n] < top}
        earlier = {n for n in high.before if rank[n] > bottom}
        met = later & earlier
        ahead, back = list(later), list(earlier)
        while ahead and not met:
            if len(later) > SEARCH_LIMIT:
                return None
            new = [n for n in groups[ahead.pop()].after if rank[n] < top and n not in later]
            later.update(new)
            ahead += new
            met = earlier.intersection(new)
            if back and not met:
                new = [
                    n for n in groups[back.pop()].before if rank[n] > bottom and n not in earlier
                ]
                earlier.update(new)
                back += new
                met = later.intersection(new)
        if met:
            ends = low.number, high.number
            self.between[min(ends), max(ends)] = min(met)
            return None
        while back:
            new = [n for n in groups[back.pop()].before if rank[n] > bottom and n not in earlier]
            earlier.update(new)
            back += new
        return later, earlier

    def _join(self, a: _Group, b: _Group) -> bool:
        """Put the units of `b` into `a`, unless that makes a ring."""
        groups, rank = self.groups, self.rank
        low, high = (a, b) if rank[a.number] < rank[b.number] else (b, a)
        found = self._between(low, high)
        if found is None:
            return False
        later, earlier = (sorted(part, key=rank.__getitem__) for part in found)
        moved = [*earlier, a.number, *later]
        free = sorted([rank[low.number], *(rank[number] for number in (*earlier, *later))])
        for number, new in zip(moved, free, strict=True):
            rank[number] = new
        a.units += b.units
        a.cost += b.cost
        a.active |= b.active
        a.price = self._price(a.cost, a.active, a.module)
        self._redirect(a, b)
        del groups[b.number]
        self.joined[b.number] = a.number
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

    def _offers(self, group: _Group, others: list[_Group]) -> list[_Offer]:
        """Return what joining a group with each of some others saves, where that is something."""
        number, versions = group.number, self.versions
        found = []
        for other in others:
            if other.module != group.module or self._is_apart(number, other.number):
                continue
            if number in other.after:
                gain = self._gain(other, group, other.after[number])
            else:
                gain = self._gain(group, other, group.after.get(other.number, 0.0))
            if gain > 0:
                pair = number, other.number
                found.append((-gain, *pair, versions[number], versions[other.number]))
        heapq.heapify(found)
        return found

    def _grow_groups(self) -> None:
        """Join neighbours while that pays, the best pair first.

        Each group has the pairs that it makes with its neighbours since it has last grown; the best
        of each are in one heap. A pair of which one has grown since is out of date.
        """
        self.versions = dict.fromkeys(self.groups, 0)
        offers = {
            group.number: self._offers(group, self._neighbours(group, above=group.number))
            for group in self.groups.values()
        }
        heap = [own[0] for own in offers.values() if own]
        heapq.heapify(heap)
        while heap:
            _, first, second, *versions = heap[0]
            if first not in self.groups or versions[0] != self.versions[first]:
                heapq.heappop(heap)
                continue
            own = offers[first]
            heapq.heappop(own)
            if second in self.groups and versions[1] == self.versions[second]:
                a = self.groups[first]
                if self._join(a, self.groups[second]):
                    self.versions[first] += 1
                    own = offers[first] = self._offers(a, self._neighbours(a))
            if own:
                heapq.heapreplace(heap, own[0])
            else:
                heapq.heappop(heap)

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
        modules = {None: 0} | {module: module + 1 for module in range(len(self.folding.modules))}
        groups = self.groups.values()
        for group in sorted(groups, key=lambda g: (g.active, modules[g.module], g.number)):
            if last is None or self._gain(last, group, 0.0) <= 0 or not self._join(last, group):
                last = group

    def _schedule(self) -> list[_Group]:
        """Return the groups in an order in which none comes before what it waits for.

        Those of one module follow each other as long as that goes.
        """
        waiting = {number: len(group.before) for number, group in self.groups.items()}
        ready: dict[int | None, list[int]] = {None: []}

        def free(number: int) -> None:
            heapq.heappush(ready.setdefault(self.groups[number].module, []), number)

        for number, count in waiting.items():
            if count == 0:
                free(number)
        found: list[_Group] = []
        module = None
        while any(ready.values()):
            if not ready[module]:
                module = max(ready, key=lambda other: len(ready[other]))
            group = self.groups[heapq.heappop(ready[module])]
            found.append(group)
            for other in group.after:
                waiting[other] -= 1
                if waiting[other] == 0:
                    free(other)
        assert len(found) == len(self.groups), "zones wait for each other"
        return found

    def zones(self) -> list[Zone]:
        """Return the zones in the order in which they run."""
        self._grow_cones()
        self._grow_groups()
        self._join_rest()
        position = {number: index for index, number in enumerate(self.order)}
        found = []
        for group in self._schedule():
            group.units.sort(key=position.__getitem__)
            items = [self.folding.units[number].items[0] for number in group.units]
            found.append(Zone(items, group.module))
        return found


def pieces(folding: Folding, size: int) -> list[Zone]:
    """Return zones of at most `size` units, in their order."""
    found: list[Zone] = []
    for number in sorted_by_need(folding.predecessors()):
        unit = folding.units[number]
        last = found[-1] if found else None
        if last is None or last.module != unit.module or len(last.items) == size:
            found.append(last := Zone([], unit.module))
        last.items.append(unit.items[0])
    return found
