# SPDX-License-Identifier: BSD-3-Clause
"""Waits for what happens elsewhere, not without a bound."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(
    condition: Callable[[], Any],
    what: str,
    limit_s: float,
    error: type[Exception] = AssertionError,
    poll_s: float = 0.02,
) -> None:
    """Wait for a condition; `what` says in a failure, an `error`, what was waited for."""
    limit = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() >= limit:
            raise error(f"{what} did not happen in {limit_s} s")
        time.sleep(poll_s)
