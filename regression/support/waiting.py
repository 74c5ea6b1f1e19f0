# SPDX-License-Identifier: BSD-3-Clause
"""Waits for what happens elsewhere, not without a bound."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(condition: Callable[[], bool], what: str, limit_s: float) -> None:
    """Wait for a condition; `what` says in a failure what was waited for."""
    limit = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < limit, f"{what} did not happen in {limit_s} s"
        time.sleep(0.02)
