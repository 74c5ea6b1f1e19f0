# SPDX-License-Identifier: BSD-3-Clause
"""The gateway's entry in the simulation description (docs/reference/interfaces/gateway.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from firesim.topology.plan import Plan

STATUS = "gateway.json"
"""The file in the results that names the ports in use."""


def gateway_entries(plan: Plan) -> list[dict[str, Any]]:
    """Return the entry of the gateway, or nothing."""
    planned = plan.gateway
    if planned is None:
        return []
    entry = {
        "name": planned.name,
        "kind": "gateway",
        "mac": planned.mac,
        "ip": planned.network,
        "mode": planned.mode,
        "forwards": [asdict(forward) for forward in planned.forwards],
        "outgoing": planned.outgoing,
        "status": STATUS,
        "poll_cycles": planned.poll_cycles,
        "real_time_ratio": planned.real_time_ratio,
    }
    return [{**entry, "device": planned.device} if planned.device else entry]
