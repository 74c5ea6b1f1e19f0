# SPDX-License-Identifier: BSD-3-Clause
"""A host that is up, of any run farm."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from firesim.hosts.channel import Link


@dataclass(frozen=True)
class Host:
    """A host that is up."""

    name: str
    """Unique in the farm and stable while the host lives."""
    address: str
    """IPv4 address where the other hosts reach it."""
    link: Link
    """How the manager reaches it."""
    folder: str
    """Where runs are kept on it."""
    cores: int | None = None
    """Worker threads for simulations; None = all cores."""
    memory_bytes: int | None = None
    """For simulations; None = all."""
    fpgas: int = 0
    kind: str = ""
    """Such as the instance type; for people."""
    usd_per_hour: float | None = None
    """What it costs; None where nobody asks for money."""
    since: datetime | None = None
    """When it was launched."""
    metadata: str | None = None
    """Where the host asks whether it will be taken away, as EC2 does; None where it will not."""
