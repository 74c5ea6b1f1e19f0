# SPDX-License-Identifier: BSD-3-Clause
"""Divides large processes of RTLIL text into parts that compute a few variables each.

Yosys' `proc_mux` looks at the whole process once for each variable that it assigns, so its time
grows with the square of what one `always` block holds: a load-store unit of a large core has 18,000
variables in one. What a variable takes depends on its own assignments alone, and on the branches
around them. A part has those of its variables, in their order, and no other branch: together they
compute what the whole did, in a time that is linear except for conditions that several parts
repeat, which later passes merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

VARIABLES = 32
"""How many variables a part computes. Fewer repeat more conditions, more take longer each."""
LARGE = 16 * VARIABLES
"""A process with no more variables stays whole: its time is short anyway."""


@dataclass
class _Block:
    """What stands in a branch: assignments and switches, and in which of them a part has any."""

    items: list[str | _Switch] = field(default_factory=list)
    places: dict[int, list[int]] = field(default_factory=dict)

    def note(self, part: int, place: int) -> bool:
        """Note that an item has assignments of a part; return whether that was not known."""
        noted = self.places.setdefault(part, [])
        if noted[-1:] == [place]:
            return False
        noted.append(place)
        return True


@dataclass
class _Switch:
    """A `switch` with its attributes, and its cases with theirs; the last case of each part."""

    head: list[str]
    cases: list[tuple[list[str], _Block]] = field(default_factory=list)
    last: dict[int, int] = field(default_factory=dict)


def assigned(line: str) -> list[str]:
    """Return the words of the left side of an `assign` line."""
    words = line.split()[1:]
    if words[0] == "{":
        return words[: words.index("}") + 1]
    return words[:2] if words[1].startswith("[") else words[:1]


def is_name(word: str) -> bool:
    """Return whether a word of RTLIL names a wire: not so a brace, a range or a constant."""
    return word.startswith(("\\", "$"))


def _parts_of_names(lines: Sequence[str]) -> dict[str, int]:
    """Return the part of each variable: neighbours in the text share one.

    Variables that one line assigns together are in one part.
    """
    leaders: dict[str, str] = {}

    def leader(name: str) -> str:
        while leaders.setdefault(name, name) != name:
            leaders[name] = leaders[leaders[name]]
            name = leaders[name]
        return name

    for line in lines:
        if line.split(maxsplit=1)[0] == "assign":
            first, *others = (leader(word) for word in assigned(line) if is_name(word))
            for other in others:
                leaders[leader(other)] = leader(first)
    order = {name: place for place, name in enumerate(dict.fromkeys(map(leader, list(leaders))))}
    return {name: order[leader(name)] // VARIABLES for name in leaders}


def _read(lines: Sequence[str], parts: dict[str, int]) -> tuple[_Block, list[str]]:
    """Read a process; return what it computes, and its lines from the first `sync` on."""
    root = _Block()
    open_blocks, open_switches = [root], list[_Switch]()
    head: list[str] = []
    for number, line in enumerate(lines):
        word = line.split(maxsplit=1)[0]
        if word == "sync" or (word == "end" and not open_switches):
            return root, [*head, *lines[number:]]
        head.append(line)
        if word == "attribute":
            continue
        if word == "assign":
            open_blocks[-1].items.append("".join(head))
            _note(open_blocks, open_switches, parts[next(filter(is_name, assigned(line)))])
        elif word == "switch":
            open_switches.append(_Switch(head))
            open_blocks[-1].items.append(open_switches[-1])
        elif word == "case":
            if open_switches[-1].cases:
                open_blocks.pop()
            open_blocks.append(_Block())
            open_switches[-1].cases.append((head, open_blocks[-1]))
        else:
            if open_switches.pop().cases:
                open_blocks.pop()
        head = []
    raise ValueError("a process of RTLIL ends within a switch")


def _note(blocks: Sequence[_Block], switches: Sequence[_Switch], part: int) -> None:
    """Note an assignment of a part in the innermost branch, and in all around it."""
    for depth in range(len(blocks) - 1, -1, -1):
        if not blocks[depth].note(part, len(blocks[depth].items) - 1):
            return
        if depth:
            switches[depth - 1].last[part] = len(switches[depth - 1].cases) - 1


def _lines(root: _Block, part: int) -> Iterator[str]:
    """Yield the lines of one part.

    Of a switch, the cases up to the last with an assignment of the part are kept: an earlier one
    keeps its pattern from those that follow.
    """
    waiting: list[str | _Block] = [root]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
            continue
        found: list[str | _Block] = []
        for item in (one.items[place] for place in one.places.get(part, ())):
            if isinstance(item, str):
                found.append(item)
                continue
            found += item.head
            for head, block in item.cases[: item.last[part] + 1]:
                found += [*head, block]
            found.append("end\n")
        waiting += reversed(found)


def divided(head: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield the text of a process, in parts when it is large.

    `head` is its `process` line, `lines` are what follows, with the `end`. What is done at an event
    (`sync`) stands in the first part alone.
    """
    parts = _parts_of_names(lines)
    if len(parts) <= LARGE:
        yield head
        yield from lines
        return
    root, end = _read(lines, parts)
    for part in sorted(set(parts.values())):
        yield head if part == 0 else f"{head.rstrip()}$part{part}\n"
        yield from _lines(root, part)
        yield from end if part == 0 else ["end\n"]
