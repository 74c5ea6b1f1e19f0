# SPDX-License-Identifier: BSD-3-Clause
"""The one exception of this package, and the nearest valid name as its messages have it."""

from __future__ import annotations

from collections.abc import Iterable

from firesim_common import errors


class GoldenGateError(RuntimeError):
    """The design cannot be compiled; the message says where, what was found and what to do."""


def nearest(name: str, valid: Iterable[str]) -> str:
    """Return ` (nearest: X)` for the valid name most like `name`, or nothing when none is near."""
    close = errors.nearest(name, sorted(set(valid)))
    return f" (nearest: {close})" if close else ""
