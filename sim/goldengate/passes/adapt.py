# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `read`: what the reader does not take of a file's text, in words that it takes.

In: the files of pass `rewrite`. Out: the same, or copies with equal line numbers, in which
`supply0` and `supply1` are wires with a value; where the reader asked for that, escaped names are
plain ones (`escapes.py`), part selects do not run backwards (`backward.py`), functions that the
reader lacks are written in other words (`tasks/functions.py`), signals as members of `inside` are
ranges (`tasks/members.py`), what nothing reads has no initial value (`unread.py`), and arrays have
words that the reader takes (`large_arrays.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from goldengate import backward, large_arrays, unread
from goldengate.passes import escapes
from goldengate.passes.rewrite import check_readable, source_of, take_copies, tokens_of
from goldengate.state import State

_SUPPLY = re.compile(r"\bsupply[01]\b")


def without_supplies(text: str) -> str:
    """Return the text with `wire gnd = '0;` for `supply0 gnd;`."""
    if not _SUPPLY.search(text):
        return text
    pieces: list[str] = []
    done, value, depth, previous = 0, "", 0, 0
    for word, start, end in tokens_of(text):
        if word in ("supply0", "supply1"):
            pieces += [text[done:start], "wire"]
            done, value, depth = end, word[-1], 0
        elif value and depth == 0 and word in (",", ";"):
            pieces += [text[done:previous], f" = '{value}"]
            done = previous
            value = value if word == "," else ""
        depth += (word in ("[", "(", "{")) - (word in ("]", ")", "}"))
        previous = end
    return "".join([*pieces, text[done:]])


def _write_functions(state: State) -> None:
    """Write functions that the reader does not know in other words."""
    from goldengate.tasks.functions import PACKAGE, RANDOM_VERILOG, Functions

    source = source_of(state)
    needs_package = Functions(source).run()
    take_copies(state, source, state.out / "functions")
    if needs_package:
        package = state.out / f"{PACKAGE}.sv"
        package.write_text(RANDOM_VERILOG)
        state.sources.append(package)
        state.original[os.path.realpath(package)] = str(package)


def _write_members(state: State) -> None:
    """Write members of `inside` that are signals as ranges."""
    from goldengate.tasks.members import Members

    source = source_of(state)
    Members(source).run()
    take_copies(state, source, state.out / "members")


def _in_file(file: str, found: Iterable[tuple[str, str, int]]) -> list[tuple[str, int]]:
    return [(name, line) for one, name, line in found if one == file]


def run(state: State) -> None:
    """Put copies into `state.sources` for files that the reader would not take."""
    if state.allowed.functions:
        _write_functions(state)
    if state.allowed.members:
        _write_members(state)
    for number, path in enumerate(state.sources):
        text = check_readable(path)
        adapted = backward.mended(without_supplies(text), state.allowed.selections)
        file = state.original[os.path.realpath(path)]
        allowed = state.allowed
        adapted = unread.without_initial_values(adapted, _in_file(file, allowed.initial_values))
        adapted = large_arrays.with_fewer_words(adapted, _in_file(file, allowed.large_arrays))
        if state.allowed.plain_names:
            adapted = escapes.hide(state, adapted)
        if adapted != text:
            copy = state.out / "adapted" / str(number) / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(adapted)
            state.original[os.path.realpath(copy)] = state.original[os.path.realpath(path)]
            state.sources[number] = copy
