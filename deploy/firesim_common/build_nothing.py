# SPDX-License-Identifier: BSD-3-Clause
"""Work that looks at what is built already, and builds nothing itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_looks_only = False
"""Of the whole process: a step may be done by several of its threads."""


class NotBuiltError(Exception):
    """Something would have to be built first; the text is its kind."""


@contextmanager
def building_nothing(wanted: bool = True) -> Iterator[None]:
    """Let what is missing in the cache raise NotBuiltError, if that is wanted."""
    global _looks_only
    before, _looks_only = _looks_only, wanted or _looks_only
    try:
        yield
    finally:
        _looks_only = before


def may_build(kind: str) -> None:
    """Begin with a build step.

    Raises:
        NotBuiltError: nothing shall be built.
    """
    if _looks_only:
        raise NotBuiltError(kind)
