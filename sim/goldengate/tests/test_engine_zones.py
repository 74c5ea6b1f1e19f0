# SPDX-License-Identifier: BSD-3-Clause
"""Cutting a design by a profile: order, and which changes are branched on."""

from __future__ import annotations

import random

from goldengate.engine import items, names
from goldengate.engine.backend import cut
from goldengate.engine.fold import single
from goldengate.engine.profile import Profile
from goldengate.engine.zones import MOST_ITEMS, Cutter
from goldengate.tests.engine_designs import cell, design, module_text, random_text, values_read

SAMPLES = 96


def _invented(found: items.Items, generator: random.Random) -> Profile:
    changed: dict[object, int] = {}
    for key in values_read(found):
        changed[key] = generator.getrandbits(SAMPLES) & generator.getrandbits(SAMPLES)
    return Profile(SAMPLES, changed)


def test_every_item_runs_once_and_after_what_it_needs() -> None:
    for seed in range(20):
        generator = random.Random(seed)
        found = items.collect(design(random_text(seed)))
        zones = Cutter(single(found), _invented(found, generator)).zones()
        order = [item.number for zone in zones for item in zone.items]
        assert sorted(order) == list(range(len(found.items))), f"seed {seed}"
        place = {number: index for index, number in enumerate(order)}
        for item in found.items:
            for before in found.predecessors(item):
                assert place[before] < place[item.number], f"seed {seed}"
        assert all(len(zone.items) <= MOST_ITEMS for zone in zones)


class _Forgetful(Cutter):
    """Looks again for every ring that it has met before."""

    def _is_apart(self, first: int, second: int) -> bool:
        return False


def test_rings_that_are_remembered_are_rings() -> None:
    remembered = 0
    for seed in range(12):
        found = items.collect(design(random_text(seed)))
        folding, seen = single(found), _invented(found, random.Random(seed))
        cutter, other = Cutter(folding, seen), _Forgetful(folding, seen)
        assert cutter.zones() == other.zones(), f"seed {seed}"
        remembered += len(cutter.between)
    assert remembered > 0


def test_what_cannot_be_foreseen_is_not_branched_on() -> None:
    """A third of the time all changes, then nothing does: a predictor learns that."""
    found = items.collect(design(random_text(1)))
    phases = Profile(SAMPLES, dict.fromkeys(values_read(found), (1 << SAMPLES // 3) - 1))
    assert cut(single(found), phases).erratic == set()
    emitter = cut(single(found), _invented(found, random.Random(2)))
    assert emitter.erratic
    assert emitter.erratic <= set(emitter.flags_of)


def test_zones_are_called_after_the_module_that_most_of_them_is_in() -> None:
    body = ["  wire width 8 \\core.alu.sum", "  wire width 8 \\core.pc", "  wire width 8 \\next"]
    widths: dict[str, int | str] = {"A_WIDTH": 8, "B_WIDTH": 8, "Y_WIDTH": 8}
    sources = {"A": "\\x", "B": "\\core.pc", "Y": "\\next"}
    body.append(cell("$mul", {**widths, "A_SIGNED": 0, "B_SIGNED": 0}, **sources))
    for q in ("\\core.alu.sum", "\\core.pc"):
        source = "\\next" if q.endswith("sum") else "\\x"
        body.append(cell("$dff", {"WIDTH": 8, "CLK_POLARITY": 1}, CLK="\\clock", D=source, Q=q))
    body.append("  connect \\y \\core.alu.sum")
    found = items.collect(design(module_text("\n".join(body), x=8, y=8)))
    of_kind = {(item.kind, item.index): item for item in found.items}
    alu = [item for item in found.items if item.kind == "node"] + [of_kind["update", 0]]
    assert names.functions(found, [alu, [of_kind["update", 1]], [of_kind["output", 1]]]) == [
        "zone_0_in_core_alu",
        "zone_1_in_core",
        "zone_2_in_top",
    ]
