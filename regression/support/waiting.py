# SPDX-License-Identifier: BSD-3-Clause
"""Waits for what happens elsewhere, not without a bound."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firesim.work.folder import ProcessRecord, load_simulator


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


def simulating(results: Path, limit_s: float) -> ProcessRecord:
    """Wait until the run of a results folder simulates; return the record of its simulator.

    The manager writes the record once it has started the simulator, whose first status line
    may be there before.
    """
    status = results / "status.jsonl"
    until(lambda: status.is_file() and status.stat().st_size > 0, "the first status line", limit_s)
    until(lambda: load_simulator(results) is not None, "the record of the simulator", limit_s)
    record = load_simulator(results)
    assert record is not None
    return record
