# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of 2³¹ bytes and more, which are larger than what the reader takes.

It is told of fewer words, and the memory that it makes of them gets the others back. An index keeps
its bits, so nothing else of the design changes. Only an array that is used word by word is taken
so: its name stands nowhere without an index.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from goldengate.errors import GoldenGateError
from goldengate.passes.rewrite import module_at, tokens_of
from goldengate.state import State, plain

MOST_WORDS = (1 << 31) - 1
"""Of a memory of Yosys."""
SHIFT = 12
"""Of 2 to this many words the reader is told of one."""
_DIMENSION = re.compile(r"\[(?:\s*0\s*:(?P<last>[^][:]+)|(?P<first>[^][:]+):\s*0\s*)\]")


def array_at(text: str, at: int) -> tuple[str, int]:
    """Return the array whose bounds stand at a place, and the line of its name.

    No name when it has several dimensions, does not begin at 0, or is used as a whole.
    """
    match = re.search(r"\b([A-Za-z_]\w*)\s*$", text[:at])
    if match is None or _dimension(text, match.end(1)) is None:
        return "", 0
    words = [word for word, _, _ in tokens_of(module_at(text, at))]
    uses = {following for word, following in itertools.pairwise(words) if word == match[1]}
    return (match[1], text.count("\n", 0, match.start()) + 1) if uses == {"["} else ("", 0)


def _dimension(text: str, at: int) -> re.Match[str] | None:
    """Return the only dimension behind the name of an array."""
    match = re.compile(rf"\s*{_DIMENSION.pattern}").match(text, at)
    following = re.compile(r"\s*([\[=])").match(text, match.end()) if match else None
    return match if following is None else None


def with_fewer_words(text: str, arrays: Iterable[tuple[str, int]]) -> str:
    """Return a file's text in which arrays, by the line of their name, have few words."""
    for name, line in arrays:
        begin = sum(map(len, text.splitlines(keepends=True)[: line - 1]))
        for match in re.compile(rf"\b{name}\b").finditer(text, begin):
            found = _dimension(text, match.end())
            if found is not None:
                last = f"({' '.join((found['last'] or found['first']).split())}) >> {SHIFT}"
                fewer = f" [0:{last}]" if found["last"] else f" [{last}:0]"
                fewer += "\n" * text.count("\n", match.end(), found.end())
                text = text[: match.end()] + fewer + text[found.end() :]
                break
    return text


def give_words_back(state: State) -> None:
    """Let the memories of such arrays have as many words as in the text."""
    names = {f"{file}:{line}": name for file, name, line in state.allowed.large_arrays}
    for module in state.design.modules_.values() if names else ():
        for memory in dict(module.memories).values():
            place = state.place(memory.get_src_attribute())
            name = names.get(place)
            if name is None or plain(memory.name).rpartition(".")[2] != name:
                continue
            if memory.size << SHIFT > MOST_WORDS:
                found = f"{place}: found an array of {memory.size << SHIFT:,} words"
                raise GoldenGateError(f"{found}, expected at most {MOST_WORDS:,}.")
            memory.size <<= SHIFT
