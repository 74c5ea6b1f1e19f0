# SPDX-License-Identifier: BSD-3-Clause
"""One kind of error for all bad input: one sentence that says where, what and what instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_ALIKE = 0.5
_BEGUN = 3
"""Characters that say which name was begun."""
MOST_SHOWN = 80
"""Characters of what was found."""


class InputError(Exception):
    """Bad input of the user; `str(error)` is the whole message, one sentence a line."""


def cut(text: str) -> str:
    """Return as much of a text as a sentence shows of it, in one line."""
    short = text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
    return short.replace("\n", "\\n")


def nearest(found: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `found`, or None when none is alike.

    Capitals count only when that finds one. Of names that are none of them alike, the shortest that
    goes on where `found` ends is meant.
    """
    names, found = list(known), found[:MOST_SHOWN]
    if matches := difflib.get_close_matches(found, names, n=1, cutoff=_ALIKE):
        return matches[0]
    folded = {name.lower(): name for name in names}
    if matches := difflib.get_close_matches(found.lower(), folded, n=1, cutoff=_ALIKE):
        return folded[matches[0]]
    begun = [name for name in names if len(found) >= _BEGUN and name.startswith(found)]
    return min(begun, key=len) if begun else None


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Return "a", "b" or "c" as text; a list much above the limit is cut with a count."""
    is_cut = len(names) > limit + 1  # "or 1 more" would be as long as the name
    shown = [f'"{name}"' for name in (names[:limit] if is_cut else names)]
    if is_cut:
        return ", ".join(shown) + f" or {len(names) - limit} more"
    if len(shown) < 2:
        return "".join(shown) or "nothing"
    return ", ".join(shown[:-1]) + " or " + shown[-1]


def unknown(found: str, what: str, known: Sequence[str]) -> str:
    """Return: found "x", expected <what> "a", "b" or "c", did you mean "b"?"""
    text = f'found "{cut(found)}", expected {what} {listed(sorted(known))}'
    if close := nearest(found, known):
        return f'{text}, did you mean "{close}"?'
    return text + "."
