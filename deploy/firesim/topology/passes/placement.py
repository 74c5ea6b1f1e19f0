# SPDX-License-Identifier: BSD-3-Clause
"""Decide the host of each part. On one machine that is the machine itself."""

from __future__ import annotations

from firesim.config.simulation import Placement
from firesim.topology.plan import Plan


def place(plan: Plan, placement: Placement) -> None:
    """Set `host` of every node and switch."""
    for node in plan.nodes:
        node.host = placement.host
    for switch in plan.switches:
        switch.host = placement.host
