"""Step `profile`: which values change when, in a run of training programs.

A model that keeps every value compares, now and then, two cycles that follow each other
(sim/engine/generated/profile.h). What comes back is, for each value, the set of samples
in which it changed: a Python integer with a bit for each sample.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from goldengate.engine.emit import Emitter
from goldengate.engine.ir import Node
from goldengate.engine.items import Item


def key_of(node: Node) -> object:
    """Return the key of a value in the profile."""
    return node.value if node.op == "leaf" else node.uid


@dataclass
class Profile:
    """`changed` maps a leaf's value, ("column", index) or a node's uid to its set of samples."""

    samples: int
    changed: dict[object, int]

    def of(self, key: object) -> int:
        """Return the samples in which a value changed."""
        return self.changed.get(key, 0)

    def activity(self, item: Item) -> int:
        """Return the samples in which something that an item reads changed."""
        active = 0
        for node in item.reads:
            active |= self.of(key_of(node))
        for column in item.columns:
            active |= self.of(("column", column))
        return active


def entries(emitter: Emitter) -> list[tuple[object, str, bool]]:
    """Return (key, field of State, whether it is state) for every value that is watched.

    State read in a cycle is what the cycle before left, other values are of the cycle itself.
    """
    design = emitter.design
    found: list[tuple[object, str, bool]] = []
    for uid in sorted(emitter.kept):
        found.append((uid, f"v{uid}", False))
    for register in design.registers:
        found.append((register.leaf.value, f"r{register.index}", True))
    for index, port in enumerate(design.ports):
        for word, node in enumerate(port.words if port.is_input else []):
            field = f"in.p{index}[{word}]" if port.width > 64 else f"in.p{index}"
            found.append((node.value, field, False))
    for column in design.columns:
        found.append((("column", column.index), f"m{column.index}", True))
    return found


def declarations(emitter: Emitter) -> list[str]:
    """Return the table of watched values for the profiling model."""
    lines = ["#define FIRESIM_PROFILE", "const WatchedField kWatched[] = {"]
    for _, field, is_state in entries(emitter):
        size = f"sizeof(State::{field})" if "." not in field else f"sizeof(State{{}}.{field})"
        lines.append(f"  {{offsetof(State, {field}), {size}, {str(is_state).lower()}}},")
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
