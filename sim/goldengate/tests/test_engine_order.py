# SPDX-License-Identifier: BSD-3-Clause
"""The order of a side: each after what it waits for, few late updates, in linear time."""

from __future__ import annotations

import random
from collections.abc import Iterator

from goldengate.engine.order import Order, Soft, Waits
from goldengate.tests.designs import seed


class _Counted(set[int]):
    """Updates; counts how often they are looked through."""

    looks = 0

    def __iter__(self) -> Iterator[int]:
        """Count, and look through them."""
        type(self).looks += 1
        return super().__iter__()


_Hard = dict[int, set[int]]
_Held = dict[int, dict[int, set[int]]]


def _one_by_one(count: int, hard: _Hard, soft: _Held) -> tuple[list[int], set[int]]:
    """Return the order and the late updates, found by looking at all that is left each time."""
    found: list[int] = []
    late: set[int] = set()
    while len(found) < count:
        left = [index for index in range(count) if index not in found]
        held = {
            index: {u for o, us in soft.get(index, {}).items() if o in left for u in us}
            for index in left
            if not hard.get(index, set()) & set(left)
        }
        index = min(held, key=lambda one: (len(held[one]), one))
        late |= held[index]
        found.append(index)
    return found, late


def test_an_order_is_that_of_looking_at_all_that_is_left() -> None:
    draw = random.Random(seed())
    some_late = 0
    for _ in range(300):
        count = draw.randint(1, 12)
        entries = [[index] for index in range(count)]
        ids = [id(entry) for entry in entries]
        # A number of an update for each entry: what others read before. Hard waits go backwards.
        hard = {
            index: {other for other in range(index) if draw.random() < 0.2}
            for index in range(count)
        }
        soft: dict[int, dict[int, set[int]]] = {}
        for index in range(count):
            readers = [other for other in range(count) if other != index and draw.random() < 0.3]
            if readers and draw.random() < 0.6:
                soft[index] = {
                    other: {index * 3 + draw.randrange(3) for _ in range(draw.randint(1, 2))}
                    for other in readers
                }
        before: Waits = {ids[index]: {ids[o] for o in others} for index, others in hard.items()}
        overwrites: Soft = {
            ids[index]: {ids[o]: updates for o, updates in of.items()} for index, of in soft.items()
        }
        order = Order(entries, before, overwrites)
        expected, late = _one_by_one(count, hard, soft)
        assert [entry[0] for entry in order.ordered()] == expected
        assert order.late == late
        some_late += bool(late)
    assert some_late > 50


def test_many_updates_in_each_others_way_take_linear_time() -> None:
    """Each branch of a pair reads what the other updates; one of each pair comes late."""
    pairs = 400
    entries = [[index] for index in range(2 * pairs)]
    overwrites: Soft = {}
    for index in range(2 * pairs):
        overwrites[id(entries[index])] = {id(entries[index ^ 1]): _Counted([index])}
    _Counted.looks = 0
    order = Order(entries, {}, overwrites)
    order.ordered()
    assert order.late == set(range(0, 2 * pairs, 2))
    assert _Counted.looks <= 4 * pairs
