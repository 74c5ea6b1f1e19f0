# SPDX-License-Identifier: BSD-3-Clause
"""How a run ended and where its results are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim.topology.plan import Plan


@dataclass(frozen=True)
class Outcome:
    """How a run ended and where its results are."""

    folder: Path
    plan: Plan
    exit_status: int
    """0 all nodes passed, 1 a node failed, 2 bad description, 3 error, 130 interrupted."""
    result: dict[str, Any] = field(default_factory=dict)
    """result.json; when the simulator could not write one, reason "error" and a message."""
    start_cycle: int = 0
    """Where the run began: the cycle of its snapshot."""
    lost: Sequence[str] = ()
    """Hosts, or simulators on them, that were lost; the run can go on without them."""

    @property
    def reason(self) -> str:
        """Why the run ended, as in result.json."""
        return str(self.result.get("reason", "error"))

    @property
    def message(self) -> str:
        """More about the reason, may be empty."""
        return str(self.result.get("message", ""))
