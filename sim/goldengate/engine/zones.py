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
    rank: int = 0
    price: float = 0.0
    before: dict[int, float] = field(default_factory=dict)
    after: dict[int, float] = field(default_factory=dict)


def branch_cost(runs: int, samples: int) -> float:
    """Return what a branch costs that is taken in `runs` of the samples in which it is reached."""
    return samples * CHECK_COST + min(runs, samples - runs) * MISPREDICT_COST


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
        if a.module != b.module or len(a.units) + len(b.units) > MOST_ITEMS:
            return -1.0
        saved = a.price + b.price - self._price(a.cost + b.cost, a.active | b.active, a.module)
        return saved + values * a.active.bit_count() * DETECT_COST

    def _later(self, low: _Group, high: _Group) -> set[int] | None:
        """Return the groups after `low`, except `high`, of lower rank than `high`.

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
        """Return the groups before `high`, except `low`, of higher rank than `low`."""
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
        """Put the units of `b` into `a`, unless that makes a ring."""
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
        a.units += b.units
        a.cost += b.cost
        a.active |= b.active
        a.price = self._price(a.cost, a.active, a.module)
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
