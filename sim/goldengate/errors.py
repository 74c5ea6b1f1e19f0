# SPDX-License-Identifier: BSD-3-Clause
"""The one exception of this package, and the search for the nearest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GoldenGateError(RuntimeError):
    """The design cannot be compiled; the message says where, what was found and what to do."""


def nearest(name: str, valid: Iterable[str]) -> str:
    """Return ` (nearest: X)` for the valid name most like `name`, or nothing when none is near."""
    candidates = sorted(set(valid))
    close = difflib.get_close_matches(name, candidates, n=1, cutoff=0.5)
    if not close:
        folded = {candidate.lower(): candidate for candidate in candidates}
        close = [
            folded[hit] for hit in difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.5)
        ]
    return f" (nearest: {close[0]})" if close else ""
