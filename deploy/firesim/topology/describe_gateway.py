# SPDX-License-Identifier: BSD-3-Clause
"""The gateway's entry in the simulation description (interfaces.md, section 10)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from firesim.config.run_config import RunConfig
from firesim.topology.plan import Plan

STATUS = "gateway.json"
"""The file in the results that names the ports in use."""


def gateway_entries(plan: Plan, config: RunConfig) -> list[dict[str, Any]]:
    """Return the entry of the gateway, or nothing."""
    planned, wanted = plan.gateway, config.system.gateway
    if planned is None or wanted is None:
        return []
    entry = {
        "name": planned.name,
        "kind": "gateway",
        "mac": planned.mac,
        "ip": planned.network,
        "mode": wanted.mode,
        "forwards": [asdict(forward) for forward in planned.forwards],
        "outgoing": wanted.outgoing,
        "status": STATUS,
        "poll_cycles": wanted.poll_cycles,
        "real_time_ratio": wanted.real_time_ratio,
    }
    return [{**entry, "device": wanted.device} if wanted.device else entry]
