# SPDX-License-Identifier: BSD-3-Clause
"""Step `profile`: which values change when, in a run of training programs.

A model that keeps every value compares, now and then, two cycles that follow each other
(sim/engine/generated/profile.h). What comes back is, for each value, the set of samples
in which it changed: a Python integer with a bit for each sample.
"""

from __future__ import annotations

import functools
import operator
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldengate.engine.emit import Emitter
from goldengate.engine.fold import Unit
from goldengate.engine.items import Item, key_of

BLOCK, HELD_OUT_ONE_IN = 32, 4
"""Samples are held out by blocks, since those that follow each other are alike."""


@dataclass
class Profile:
    """`changed` maps a leaf's value, ("column", index) or a node's uid to its set of samples."""

    samples: int
    changed: dict[object, int]

    def of(self, keys: Sequence[object]) -> int:
        """Return the samples in which a value changed; of several, one set after the other."""
        found = 0
        for key in reversed(keys):
            found = found << self.samples | self.changed.get(key, 0)
        return found

    def part(self, held_out: bool) -> Profile:
        """Return the samples to cut by, or those held out to judge the cut by: a quarter."""
        blocks = [
            start for start in range(0, self.samples, BLOCK)
            if (start // BLOCK % HELD_OUT_ONE_IN == HELD_OUT_ONE_IN - 1) == held_out
        ]  # fmt: skip
        sizes = [min(BLOCK, self.samples - start) for start in blocks]
        changed = {}
        for key, bits in self.changed.items():
            found = at = 0
            for start, size in zip(blocks if bits else [], sizes, strict=False):
                found |= (bits >> start & (1 << size) - 1) << at
                at += size
            changed[key] = found
        return Profile(sum(sizes), changed)

    def activity(self, items: Sequence[Item]) -> int:
        """Return the samples in which something that an item reads changed; of several, as `of`."""
        found = 0
        for item in reversed(items):
            active = 0
            for node in item.reads:
                active |= self.changed.get(key_of(node), 0)
            for column in item.columns:
                active |= self.changed.get(("column", column), 0)
            found = found << self.samples | active
        return found

    def of_units(self, units: Iterable[Unit]) -> int:
        """Return the samples in which a zone of units runs; of several copies, as `of`."""
        return functools.reduce(operator.or_, (self.activity(unit.items) for unit in units))


VALUE, STATE, WRITTEN = "false, false", "true, false", "true, true"
"""What a watched field is, as WatchedField has it (sim/engine/generated/runtime.h)."""


def entries(emitter: Emitter) -> list[tuple[object, str, str]]:
    """Return (key, field of State, what it is) for every value that is watched.

    State read in a cycle is what the cycle before left, other values are of the cycle itself. Of a
    memory it is watched whether a cycle writes to it, as its readers then run: it is never copied.
    """
    design = emitter.design
    found: list[tuple[object, str, str]] = []
    for uid in sorted(emitter.items.of_node):
        if emitter.is_kept(uid):
            found.append((uid, emitter.place(uid), VALUE))
    for register in design.registers:
        found.append((register.leaf.value, emitter.place(register.leaf.value), STATE))
    for port in design.ports:
        for node in port.words if port.is_input else []:
            found.append((node.value, emitter.place(node.value), VALUE))
    for column in design.columns:
        found.append((("column", column.index), emitter.written_place(column.index), WRITTEN))
    return [(key, place.removeprefix("s."), what) for key, place, what in found]


def declarations(emitter: Emitter) -> list[str]:
    """Return the table of watched values for the profiling model."""
    lines = ["#define FIRESIM_PROFILE", "const WatchedField kWatched[] = {"]
    for _, field, what in entries(emitter):
        lines.append(f"  {{offsetof(State, {field}), sizeof(kLayout.{field}), {what}}},")
    return [*lines, "};"]


def read(folder: Path, emitter: Emitter) -> Profile:
    """Join the profiles that instances of the profiling model wrote into `folder`."""
    keys = [key for key, _, _ in entries(emitter)]
    samples = 0
    changed: dict[object, int] = dict.fromkeys(keys, 0)
    # By content, as names hold process numbers: the same training gives the same model.
    for data in sorted(path.read_bytes() for path in folder.glob("*.profile")):
        count, words = struct.unpack_from("<QQ", data)
        if len(data) != 16 + words * 8 * len(keys):
            continue
        for index, key in enumerate(keys):
            start = 16 + index * words * 8
            bits = int.from_bytes(data[start : start + words * 8], "little")
            changed[key] |= bits << samples
        samples += count
    return Profile(samples, changed)
