# SPDX-License-Identifier: BSD-3-Clause
"""`simulation.timeline`: what a run keeps so that one timeline can show all of it."""

from __future__ import annotations

from typing import Annotated

from firesim_common.base import Strict
from pydantic import Field


class Timeline(Strict):
    """Call stacks, console lines, disk requests and packets by target cycle, for one timeline.

    The run writes RUN/timeline.perfetto-trace. Harts are traced as `tracing` says, and
    every switch captures its packets at both sides.
    """

    enabled: bool = False
    """Whether it is kept."""
    limit_mib: Annotated[int, Field(ge=1, le=4096)] = 8
    """MiB of events that each hart, console and disk keeps; later ones are counted and left out."""
