# SPDX-License-Identifier: BSD-3-Clause
"""`simulation.monitoring`: what is told about a run while it lasts."""

from __future__ import annotations

from typing import Annotated

from firesim_common.base import Strict
from pydantic import Field


class Monitoring(Strict):
    """What is told about a run while it lasts, beside the live table."""

    metrics_port: Annotated[int, Field(ge=0, le=65535)] | None = None
    """Port of 127.0.0.1 that Prometheus reads; 0 = any free one, which is shown (default: none)."""
    eta_cycle: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Target cycle up to which the time left is estimated; 0 = `max_cycles`."""
