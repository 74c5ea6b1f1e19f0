# SPDX-License-Identifier: BSD-3-Clause
"""Flame graphs: folded call stacks as one tree, packed for `flame.js`, which draws them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from firesim_common.regular_file import opened_regular

from firesim.report.stack_tree import Frame, Stacks, tree

LEAST_SHARE = 1 / 20_000
"""Frames of a smaller share are left out: an operating system's stacks are tens of thousands."""
LONGEST_LINE_BYTES = 1 << 16
"""The most that is taken as one stack."""
TRAPS = {
    "exception 0": "misaligned fetch",
    "exception 1": "fetch access fault",
    "exception 2": "illegal instruction",
    "exception 3": "breakpoint",
    "exception 4": "misaligned load",
    "exception 5": "load access fault",
    "exception 6": "misaligned store",
    "exception 7": "store access fault",
    "exception 8": "system call",
    "exception 9": "call of the firmware",
    "exception 11": "call from M mode",
    "exception 12": "page fault: fetch",
    "exception 13": "page fault: load",
    "exception 15": "page fault: store",
    "interrupt 1": "software interrupt",
    "interrupt 3": "software interrupt (M)",
    "interrupt 5": "timer interrupt",
    "interrupt 7": "timer interrupt (M)",
    "interrupt 9": "device interrupt",
    "interrupt 11": "device interrupt (M)",
}
"""What the causes of the RISC-V privileged architecture are called in a graph."""


_CYCLES = re.compile(r"[0-9]{1,20}")


class FlameGraphError(RuntimeError):
    """The flame graph could not be made; the message says why."""


def merge_folded(files: list[Path]) -> dict[str, int]:
    """Add up folded stacks (`a;b;c 123`) of several files; lines cut short are left out."""
    total: Counter[str] = Counter()
    for file in files:
        with opened_regular(file) as stream:
            while data := stream.readline(LONGEST_LINE_BYTES):
                line = data.decode(errors="replace").rstrip("\n")
                stack, _, count = line.rpartition(" ")
                if stack and _CYCLES.fullmatch(count):
                    total[stack] += int(count)
    return dict(total)


def folded_text(stacks: Stacks) -> str:
    """Return folded stacks as `merge_folded` reads them, sorted."""
    return "".join(f"{stack} {count}\n" for stack, count in sorted(stacks.items()))


def shown_name(frame: str) -> str:
    """Return a frame's name for people: `[exception 8]` is a system call."""
    cause = TRAPS.get(frame[1:-1]) if frame.startswith("[") and frame.endswith("]") else None
    return f"[{cause}]" if cause else frame


def _walk(root: Frame, least: float) -> Iterator[tuple[int, str, int, int]]:
    """Yield (depth, name, first cycle, cycles) of every frame to be drawn, callers first."""
    left = [(root, 0, 0)]
    while left:
        frame, depth, start = left.pop()
        yield depth, frame.name, start, frame.total[0]
        for name in sorted(frame.below):
            called = frame.below[name]
            if called.total[0] >= least:
                left.append((called, depth + 1, start))
            start += called.total[0]


def flame_data(stacks: dict[str, int]) -> str:
    """Return the frames of folded stacks, whose counts are target cycles, as JSON for `flame.js`.

    `names` lists each name once; the lists `depth`, `name` (an index), `start` and `cycles` have an
    entry a frame.

    Raises:
        FlameGraphError: there are no stacks.
    """
    root = tree(stacks)
    if root.total[0] == 0:
        raise FlameGraphError("the trace holds no call stack")
    index: dict[str, int] = {}
    columns: dict[str, list[int]] = {"depth": [], "name": [], "start": [], "cycles": []}
    for depth, name, start, cycles in _walk(root, root.total[0] * LEAST_SHARE):
        values = (depth, index.setdefault(shown_name(name), len(index)), start, cycles)
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
    return json.dumps({"names": list(index), **columns}, separators=(",", ":"))
